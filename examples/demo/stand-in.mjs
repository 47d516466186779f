// A stand-in for a model: it derives both candidates from the text by the rules of rules.mjs, and serves
// Chat Completions on loopback, so that the demo uses the complete package without a key and without a
// network. It is not a model and knows only its rules.

import { createServer } from 'node:http';
import { unreadPartsOf } from './coverage.mjs';
import { identifiersIn, quantitiesIn, read } from './rules.mjs';

const ACTION_NAMES = {
  zh: {
    query: '查询',
    analyze: '分析',
    generate: '生成',
    modify: '修改',
    delete: '删除',
    execute: '执行',
  },
  en: {
    query: 'query',
    analyze: 'analyse',
    generate: 'generate',
    modify: 'modify',
    delete: 'delete',
    execute: 'execute',
  },
};

const WORDS = {
  zh: {
    comma: '，',
    stop: '。',
    nothing: '没有仍然有效的请求。',
    factsOnly: (text) => `${text}（未提出操作请求）。`,
    noTarget: (action) => [`没有说明要${action}的对象。`, `要${action}哪一个对象？`],
    noAction: (target) => [`没有说明要做什么。`, target ? `要对${target}做什么？` : '要做什么？'],
    alternatives: (target) => [`“${target}”未作选择。`, '选择哪一个？'],
    found: (quote) => `文本中写明“${quote}”。`,
    missing: (field) => `${field} 为必填，但文本没有给出。`,
    absent: '文本没有给出。',
    several: (field, values) => `${field} 只能有一个值，文本给出了 ${values.join('、')}。`,
    outside: (field, quote) => `“${quote}”超出 ${field} 允许的范围。`,
    unread: '替身没有读懂这条描述的规则。',
    tooLarge: (quote) => `“${quote}”超出可准确表示的整数范围。`,
  },
  en: {
    comma: ', ',
    stop: '.',
    nothing: 'No request stands.',
    factsOnly: (text) => `${text} (no request made).`,
    noTarget: (action) => [`It is not said what to ${action}.`, `What is there to ${action}?`],
    noAction: (target) => [
      'It is not said what to do.',
      target ? `What is to be done with ${target}?` : 'What is to be done?',
    ],
    alternatives: (target) => [`"${target}" leaves a choice open.`, 'Which one?'],
    found: (quote) => `The text states "${quote}".`,
    missing: (field) => `${field} is required, and the text does not give it.`,
    absent: 'The text does not give it.',
    several: (field, values) =>
      `${field} holds one value, and the text gives ${values.join(', ')}.`,
    outside: (field, quote) => `"${quote}" is outside what ${field} allows.`,
    unread: 'The stand-in has no rule that reads this description.',
    tooLarge: (quote) => `"${quote}" is past the integers that can be kept exactly.`,
  },
};
const languageOf = ({ structuredLanguage }) =>
  /^(?:zh|cmn|yue)\b/.test(structuredLanguage ?? '') ? 'zh' : 'en';

/** Makes the candidate of stage `core` (docs/candidates.md, "Core candidate"). */
export function coreCandidate(materials) {
  const language = languageOf(materials);
  const words = WORDS[language];
  const { clauses, intents, prohibitions, requirements } = read(
    materials.currentInput,
    antecedentOf(materials),
  );
  const standing = clauses
    .filter(({ kind, retracted }) => kind !== 'retraction' && !retracted)
    .map(({ text }) => text)
    .join(words.comma);
  const quiet = intents.length + prohibitions.length + requirements.length === 0;
  return {
    normalizedInput:
      standing === '' ? words.nothing : quiet ? words.factsOnly(standing) : standing + words.stop,
    primaryIntent: intents.length > 0 ? titleOf(intents[0]) : null,
    requirements: unique(requirements),
    prohibitions: unique(prohibitions),
    intents: intents.map((intent) => {
      const doubts = doubtsOf(intent, words, ACTION_NAMES[language]);
      return {
        action: intent.action,
        target: intent.target,
        requirements: unique(intent.requirements),
        blockers: {
          clarificationReason:
            doubts.length > 0 ? doubts.map(({ reason }) => reason).join(' ') : null,
          questions: doubts.map(({ question, options }) => ({ question, options })),
          confirmationReason: intent.confirmation,
          conditionReason: intent.condition,
        },
      };
    }),
  };
}

const unique = (texts) => [...new Set(texts)];

/** Returns the user's own words, with the target added if it is in another clause. */
const titleOf = ({ text, target }) =>
  target === null || text.includes(target) ? text : `${text} ${target}`;

/** Returns the meaning of "it": the last target that the user named before. */
function antecedentOf({ context = [] }) {
  let found = null;
  for (const { role, content } of context) {
    if (role === 'user' || role === 'background') {
      found =
        read(content, found).intents.at(-1)?.target ??
        identifiersIn(content).at(-1)?.value ??
        found;
    }
  }
  return found;
}

function doubtsOf({ action, target, options }, words, names) {
  const doubts = [];
  const add = ([reason, question], answers = []) =>
    doubts.push({ reason, question, options: answers });
  if (action === null)
    add(
      words.noAction(target),
      ['query', 'modify', 'delete'].map((known) => names[known]),
    );
  else if (target === null) add(words.noTarget(names[action]));
  if (options.length > 0) add(words.alternatives(target), options);
  return doubts;
}

/** Makes the candidate of stage `data` (docs/candidates.md, "Data candidate"). */
export function dataCandidate(materials) {
  const words = WORDS[languageOf(materials)];
  const { selectedSchema, selectedFields } = materials;
  const out = { data: {}, evidence: [], descriptionChecks: [], fieldResults: [], issues: [] };
  for (const field of selectedFields) {
    const path = `/data/${field.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const schema = selectedSchema.properties[field];
    const { sourceId, found } = findField(field, schema, materials);
    const problem = problemOf(
      field,
      schema,
      found,
      selectedSchema.required?.includes(field),
      words,
    );
    if (problem) {
      out.issues.push({
        code: problem.code,
        category: problem.category,
        path,
        message: problem.message,
      });
      out.fieldResults.push({ path, status: 'issue', explanation: problem.message });
    } else if (found.length === 0) {
      out.fieldResults.push({ path, status: 'not_provided', explanation: words.absent });
    } else {
      const { value, quote } = found[0];
      const sources = [{ sourceId, quote }];
      const explanation = words.found(quote);
      // By definition, not assignment: a field may be called __proto__.
      Object.defineProperty(out.data, field, { value, enumerable: true });
      out.evidence.push({ path, mode: value === quote ? 'exact' : 'semantic', sources });
      out.descriptionChecks.push({ path, verdict: 'satisfied', explanation, sources });
      out.fieldResults.push({ path, status: 'extracted', explanation });
    }
  }
  if (selectedSchema.description?.trim()) {
    // No rule evaluates a description of the root, so its check only quotes all sources.
    const quote = materials.currentInput;
    out.descriptionChecks.push({
      path: '/data',
      verdict: 'undetermined',
      explanation: words.unread,
      sources: [{ sourceId: 'input', quote }],
    });
  }
  return out;
}

function problemOf(field, schema, found, required, words) {
  const values = found.map(({ value }) => String(value));
  if (found.length === 0 && required) {
    return {
      code: 'DATA_REQUIRED_MISSING',
      category: 'business_information',
      message: words.missing(field),
    };
  }
  if (found.length > 1) {
    return {
      code: 'DATA_AMBIGUOUS',
      category: 'business_information',
      message: words.several(field, values),
    };
  }
  const [{ value, quote } = {}] = found;
  if (typeof value === 'number' && !Number.isSafeInteger(value)) {
    return {
      code: 'DATA_VALUE_UNREPRESENTABLE',
      category: 'definition',
      message: words.tooLarge(quote),
    };
  }
  if (value < schema.minimum || value > schema.maximum) {
    return {
      code: 'DATA_CONSTRAINT_VIOLATED',
      category: 'definition',
      message: words.outside(field, quote),
    };
  }
  return null;
}

/**
 * Finds the possible values of a field and their positions: in the requests of the input, otherwise in the
 * rest of the input that is still valid, otherwise in the user's last message before it.
 */
function findField(field, schema, { currentInput, context = [] }) {
  const find = finderFor(field, schema);
  const { clauses } = read(currentInput);
  const standing = clauses.filter(
    ({ kind, retracted }) => !retracted && kind !== 'retraction' && kind !== 'hearsay',
  );
  const asked = standing.filter(({ kind }) => kind !== 'prohibition' && kind !== 'fact');
  for (const some of [asked, standing.filter(({ kind }) => kind !== 'prohibition'), standing]) {
    const found = uniqueValues(some.flatMap(({ text }) => find(text)));
    if (found.length > 0) return { sourceId: 'input', found };
  }
  for (let index = context.length - 1; index >= 0; index--) {
    const { role, content, sourceId } = context[index];
    const found = role === 'user' || role === 'background' ? uniqueValues(find(content)) : [];
    if (found.length > 0) return { sourceId, found };
  }
  return { sourceId: 'input', found: [] };
}

const uniqueValues = (found) => [...new Map(found.map((one) => [one.value, one])).values()];

const SYNONYMS = {
  urgent: /加急|紧急|尽快|马上|立即|urgent(?:ly)?|asap|as soon as possible|immediately/i,
  normal: /不急|普通|不着急|no hurry|no rush|normal priority/i,
};

/** Chooses the rule for a field by its schema. */
function finderFor(field, { type, enum: members, description = '' }) {
  if (members) {
    return (text) =>
      members.flatMap((value) => {
        const quote = (
          SYNONYMS[value] ?? new RegExp(String(value).replace(/[^\w\s]/g, '\\$&'), 'i')
        ).exec(text)?.[0];
        return quote ? [{ value, quote }] : [];
      });
  }
  if (type === 'integer' || type === 'number') return quantitiesIn;
  if (type === 'string' && /id\b|\bno\b|number|编号|单号/i.test(`${field} ${description}`))
    return identifiersIn;
  return () => [];
}

const LARGEST_REQUEST = 4 << 20;

/**
 * Serves `POST /v1/chat/completions` on loopback.
 *
 * @returns {Promise<{ baseURL: string, close(): Promise<void> }>}
 */
export async function startStandIn() {
  const server = createServer(async (request, response) => {
    const reply = (status, body) => {
      response.writeHead(status, {
        'content-type': 'application/json',
        connection: status === 200 ? 'keep-alive' : 'close',
      });
      response.end(JSON.stringify(body));
    };
    const refuse = (status, message) =>
      reply(status, { error: { type: 'invalid_request_error', message } });
    try {
      if (request.url !== '/v1/chat/completions')
        return refuse(404, 'only /v1/chat/completions is served');
      if (request.method !== 'POST') return refuse(405, 'only POST is answered');
      const chunks = [];
      let size = 0;
      for await (const chunk of request) {
        size += chunk.length;
        if (size > LARGEST_REQUEST) return refuse(413, 'the request is too large');
        chunks.push(chunk);
      }
      const { model, messages } = JSON.parse(Buffer.concat(chunks).toString('utf8'));
      const materials = JSON.parse(
        textOf(messages.findLast(({ role }) => role === 'user').content),
      );
      // If no rule is reliable, the stand-in refuses like a model, because no answer is better than a wrong one.
      const refused = unreadPartsOf(materials.currentInput).length > 0;
      const candidate = () =>
        materials.selectedFields ? dataCandidate(materials) : coreCandidate(materials);
      const message = refused
        ? { content: null, refusal: 'No rule of the stand-in reads this text.' }
        : { content: JSON.stringify(candidate()), refusal: null };
      return reply(200, {
        id: 'chatcmpl-stand-in',
        object: 'chat.completion',
        created: Math.floor(Date.now() / 1000),
        model,
        choices: [
          {
            index: 0,
            finish_reason: 'stop',
            message: { role: 'assistant', ...message },
          },
        ],
      });
    } catch (error) {
      return refuse(400, `not a request of this package: ${error.message}`);
    }
  });
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    baseURL: `http://127.0.0.1:${server.address().port}/v1`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const textOf = (content) =>
  typeof content === 'string' ? content : content.map(({ text }) => text).join('');
