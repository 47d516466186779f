// `node benches/node/small-model.mjs <base URL> [cases]`: how many first answers of the data stage a
// small model gets right in either form of proof, asked through an OpenAI-compatible service such as
// llama-server. Core answers are given, so that the data stage alone is measured.

import { Intent } from '@devcodex/intent-runtime';
import { coreAnswer, LANGUAGES } from './token-cases.mjs';

const [base, most = '60'] = process.argv.slice(2);

const NAMES = ['Bob', 'Alice', 'Carol', 'Dave', 'Erin'];
const CHINESE_NAMES = ['张三', '李四', '王五', '赵六', '孙七'];
const id = (i) => String(100_000 + i * 7919).slice(-6);

/** A case of each number: input, schema, language. */
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
  return { language, input: inputs[kind], schema };
};

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
      max_tokens: 500,
    }),
    signal,
  });
  const { choices, usage } = await response.json();
  return { text: choices[0].message.content, tokens: usage.completion_tokens };
};

for (const proof of ['brief', 'full']) {
  const causes = new Map();
  let [accepted, results, tokens] = [0, 0, 0];
  const began = performance.now();
  for (let i = 0; i < Number(most); i++) {
    const { language, input, schema } = caseOf(i);
    const executor = {
      id: 'small',
      async generate(request) {
        if (request.stage === 'core') {
          const core = coreAnswer(LANGUAGES[language], proof);
          return { outcome: 'complete', text: JSON.stringify({ ...core, normalizedInput: input }) };
        }
        const answer = await ask(request);
        tokens += answer.tokens;
        return { outcome: 'complete', text: answer.text };
      },
    };
    const intent = new Intent({ language, schema, proof, executor, repairAttempts: 0 });
    const outcome = await intent.parse({ input }).catch((error) => error);
    await intent.dispose();
    const good = outcome.code === undefined || outcome.code === 'DATA_EXTRACTION_FAILED';
    if (outcome.code === undefined) results++;
    if (good) accepted++;
    else {
      const cause = outcome.message
        .replace(/^.*acceptable: /, '')
        .replace(/\d+/g, 'n')
        .slice(0, 90);
      causes.set(cause, (causes.get(cause) ?? 0) + 1);
    }
  }
  const seconds = (performance.now() - began) / 1000;
  console.log(
    `${proof}: ${accepted} of ${most} first answers accepted, ${results} with data; ` +
      `${Math.round(tokens / Number(most))} tokens and ${(seconds / Number(most)).toFixed(1)} s an answer`,
  );
  for (const [cause, count] of [...causes].sort((a, b) => b[1] - a[1]).slice(0, 6))
    console.log(`  ${count} x ${cause}`);
}
