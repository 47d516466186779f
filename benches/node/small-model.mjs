// `node benches/node/small-model.mjs <base URL> [cases]`: measures how many first answers of the data stage
// are right for a small model in each form of proof, through an OpenAI-compatible service such as
// llama-server. The core answers are given, so that only the data stage is measured. Each case is asked in
// both forms before the next one, so that a stopped run has compared the same cases.

import { isDeepStrictEqual } from 'node:util';
import { Intent } from '@devcodex/intent-runtime';
import { coreAnswer, LANGUAGES } from './token-cases.mjs';

const [base, most = '60'] = process.argv.slice(2);

const NAMES = ['Bob', 'Alice', 'Carol', 'Dave', 'Erin'];
const CHINESE_NAMES = ['张三', '李四', '王五', '赵六', '孙七'];
const id = (i) => String(100_000 + i * 7919).slice(-6);

/** Makes the case of a number: input, schema, language. */
const caseOf = (i) => {
  const language = i % 2 === 0 ? 'en' : 'zh-CN';
  const english = language === 'en';
  const kind = Math.floor(i / 2) % 3;
  const name = (english ? NAMES : CHINESE_NAMES)[i % 5];
  const orderId = { type: 'string', description: english ? 'The order number.' : '订单编号。' };
  const count = { type: 'integer', description: english ? 'How many.' : '数量。' };
  const person = { type: 'string', description: english ? 'Who receives it.' : '收件人。' };
  const inputs = english
    ? [
        `Please query order ${id(i)}.`,
        `Add ${3 + (i % 6)} pieces to order ${id(i)}.`,
        `Send order ${id(i)} to ${name}.`,
      ]
    : [`请查询订单${id(i)}。`, `给订单${id(i)}加${3 + (i % 6)}件。`, `把订单${id(i)}寄给${name}。`];
  const properties = [{ orderId }, { orderId, count }, { orderId, person }][kind];
  const schema = {
    type: 'object',
    properties,
    required: ['orderId'],
    additionalProperties: false,
  };
  const gold = [
    { orderId: id(i) },
    { orderId: id(i), count: 3 + (i % 6) },
    { orderId: id(i), person: name },
  ][kind];
  return { language, input: inputs[kind], schema, gold };
};

/** The largest number of tokens of an answer; an answer that is cut off counts as not accepted. */
const MOST_TOKENS = 500;

const ask = async ({ instructions, payload, outputSchema, signal }) => {
  const response = await fetch(`${base}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      messages: [
        { role: 'system', content: instructions },
        { role: 'user', content: payload },
      ],
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'data', schema: outputSchema, strict: true },
      },
      temperature: 0,
      max_tokens: MOST_TOKENS,
    }),
    signal,
  });
  const { choices, usage } = await response.json();
  const [{ message, finish_reason: reason }] = choices;
  return { text: message.content, cut: reason === 'length', tokens: usage.completion_tokens };
};

const executorOf = ({ language, input }, proof, told) => ({
  id: 'small',
  async generate(request) {
    if (request.stage === 'core') {
      const core = coreAnswer(LANGUAGES[language], proof);
      return { outcome: 'complete', text: JSON.stringify({ ...core, normalizedInput: input }) };
    }
    const answer = await ask(request);
    told.tokens = answer.tokens;
    told.text = answer.text;
    return answer.cut ? { outcome: 'incomplete' } : { outcome: 'complete', text: answer.text };
  },
});

const causeOf = ({ code, message }) =>
  code === 'MODEL_OUTPUT_INVALID'
    ? message
        .replace(/^.*acceptable: /, '')
        .replace(/\d+/g, 'n')
        .slice(0, 90)
    : code;

/** Runs one case in one form, and returns its outcome. */
const run = async (subject, proof) => {
  const told = { tokens: 0, text: '' };
  const { language, schema, input } = subject;
  const executor = executorOf(subject, proof, told);
  const intent = new Intent({ language, schema, proof, executor, repairAttempts: 0 });
  const began = performance.now();
  const outcome = await intent.parse({ input }).catch((error) => error);
  await intent.dispose();
  const settled = outcome.code === undefined || outcome.code === 'DATA_EXTRACTION_FAILED';
  return {
    ...told,
    seconds: (performance.now() - began) / 1000,
    data: outcome.code === undefined ? outcome.data : undefined,
    cause: settled ? undefined : causeOf(outcome),
  };
};

const sum = (list, value) => list.reduce((all, item) => all + value(item), 0);

const report = (proof, all) => {
  const accepted = all.filter(({ cause }) => cause === undefined);
  const filled = accepted.filter(({ data }) => data !== undefined);
  const right = filled.filter(({ data, gold }) => isDeepStrictEqual(data, gold));
  console.log(
    `${proof}: ${accepted.length} of ${all.length} first answers accepted, ${filled.length} with data, ` +
      `${right.length} with the right data; ${Math.round(sum(all, ({ tokens }) => tokens) / all.length)} tokens and ` +
      `${(sum(all, ({ seconds }) => seconds) / all.length).toFixed(1)} s an answer`,
  );
  const causes = new Map();
  for (const { cause } of all)
    if (cause !== undefined) causes.set(cause, (causes.get(cause) ?? 0) + 1);
  for (const [cause, count] of [...causes].sort((a, b) => b[1] - a[1]).slice(0, 6))
    console.log(`  ${count} x ${cause}`);
};

const outcomes = { brief: [], full: [] };
for (let i = 0; i < Number(most); i++) {
  const subject = caseOf(i);
  for (const proof of ['brief', 'full']) {
    const outcome = await run(subject, proof);
    outcomes[proof].push({ ...outcome, gold: subject.gold });
    const { cause, data, tokens, seconds } = outcome;
    const what = cause ?? (data ? JSON.stringify(data) : 'accepted, without data');
    console.log(`${i + 1} ${proof} ${tokens} tokens ${seconds.toFixed(1)} s: ${what}`);
    if (process.env.TEXTS) console.log(`  ${outcome.text}`);
  }
}
for (const proof of ['brief', 'full']) report(proof, outcomes[proof]);
