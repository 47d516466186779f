// A stand-in for a model, so that the documentation's examples run without one: it answers from
// the payload by a few plain rules, over HTTP in both protocols or as a function.

import { createServer } from 'node:http';

const VERBS = [
  ['query', /quer|look up|show|find|查/i],
  ['analyze', /analy[sz]e|review|分析/i],
  ['modify', /update|rename|改|更新/i],
  ['delete', /delete|remove|删/i],
  ['generate', /write|draft|create|export|生成|导出/i],
  ['execute', /run|send|refund|退|发送/i],
];
const NEGATION = /\b(not|never|nothing|without|leave|untouched)\b|n't|不要|别|勿/i;

const core = ({ currentInput }) => {
  const clauses = currentInput.split(/[,;.，；。]|\bbut\b|\band\b/).map((clause) => clause.trim());
  const intents = [];
  const prohibitions = [];
  for (const clause of clauses.filter(Boolean)) {
    if (NEGATION.test(clause)) {
      prohibitions.push(clause);
      continue;
    }
    const verb = VERBS.find(([, words]) => words.test(clause));
    if (verb === undefined) continue;
    intents.push({
      action: verb[0],
      target: clause,
      requirements: [],
      blockers: {
        clarificationReason: null,
        questions: [],
        confirmationReason: null,
        conditionReason: null,
      },
    });
  }
  return {
    normalizedInput: currentInput,
    primaryIntent: intents[0]?.target ?? null,
    requirements: [],
    prohibitions,
    intents,
  };
};

/** The value of a schema in a text, with the words that it was taken from. */
const find = (schema, text) => {
  const first = (pattern) => pattern.exec(text)?.[0];
  if (schema.enum) {
    const quote = schema.enum.find((member) => text.includes(member));
    return quote && { value: quote, quote };
  }
  if (schema.type === 'integer' || schema.type === 'number') {
    const quote = first(/\d+(\.\d+)?/);
    return quote && { value: Number(quote), quote };
  }
  if (schema.type === 'array') {
    const quotes = text.match(/\d{3,}/g);
    return quotes && { value: quotes, quote: quotes[0] };
  }
  const quote = schema.format === 'date' ? first(/\d{4}-\d{2}-\d{2}/) : first(/\d{3,}/);
  return quote && { value: quote, quote };
};

const data = ({ currentInput, context, selectedSchema, selectedFields }) => {
  const sources = [
    { sourceId: 'input', text: currentInput },
    ...context.map(({ sourceId, content }) => ({ sourceId, text: content })),
  ];
  const candidate = { data: {}, evidence: [], descriptionChecks: [], fieldResults: [], issues: [] };
  const explanation = 'as the text says.';
  const check = (path, source) =>
    candidate.descriptionChecks.push({ path, verdict: 'satisfied', explanation, sources: [source] });
  for (const field of selectedFields) {
    const schema = selectedSchema.properties[field];
    const path = `/data/${field}`;
    const found = sources
      .map(({ sourceId, text }) => ({ sourceId, ...find(schema, text) }))
      .find(({ quote }) => quote);
    if (found === undefined) {
      const required = selectedSchema.required.includes(field);
      const status = required ? 'issue' : 'not_provided';
      candidate.fieldResults.push({ path, status, explanation });
      if (required)
        candidate.issues.push({
          code: 'DATA_REQUIRED_MISSING',
          category: 'business_information',
          path,
          message: `Please tell ${field}.`,
        });
      continue;
    }
    const { value, quote, sourceId } = found;
    candidate.data[field] = value;
    candidate.fieldResults.push({ path, status: 'extracted', explanation });
    if (schema.description) check(path, { sourceId, quote });
    const leaves = Array.isArray(value) ? value.map((leaf, i) => [`${path}/${i}`, leaf]) : [[path, value]];
    for (const [leafPath, leaf] of leaves) {
      const leafQuote = typeof leaf === 'string' ? leaf : quote;
      const mode = leaf === leafQuote ? 'exact' : 'semantic';
      candidate.evidence.push({ path: leafPath, mode, sources: [{ sourceId, quote: leafQuote }] });
      if (Array.isArray(value) && schema.items?.description)
        check(leafPath, { sourceId, quote: leafQuote });
    }
  }
  if (selectedSchema.description) check('/data', { sourceId: 'input', quote: currentInput });
  return candidate;
};

/** The candidate for a payload, as JSON text. */
export const answer = (payload) => {
  const materials = JSON.parse(payload);
  return JSON.stringify('selectedFields' in materials ? data(materials) : core(materials));
};

const textOf = (content) =>
  typeof content === 'string' ? content : content.map(({ text }) => text).join('');

const reply = (path, body) => {
  const messages = body.messages ?? (typeof body.input === 'string' ? [{ content: body.input }] : body.input);
  const text = answer(textOf(messages.at(-1).content));
  return path.endsWith('/chat/completions')
    ? {
        object: 'chat.completion',
        choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: text } }],
        usage: { prompt_tokens: 10, completion_tokens: 5 },
      }
    : {
        object: 'response',
        status: 'completed',
        output: [
          { type: 'message', role: 'assistant', content: [{ type: 'output_text', text, annotations: [] }] },
        ],
        usage: { input_tokens: 10, output_tokens: 5 },
      };
};

/** Serves both protocols on loopback; `{ url, close }`. */
export const serve = async () => {
  const server = createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      response.setHeader('content-type', 'application/json');
      try {
        response.end(JSON.stringify(reply(request.url, JSON.parse(Buffer.concat(chunks)))));
      } catch (error) {
        response.statusCode = 400;
        response.end(JSON.stringify({ error: { message: String(error) } }));
      }
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/v1`,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
};
