// Runs 10,000 parses at concurrency 500 over 8 instances in one process: each must end with the outcome of its
// kind, and the counts must add up.

import { Intent } from '@devcodex/intent-runtime';
import { createApiExecutor } from '@devcodex/intent-runtime/adapters/api';
import {
  amount,
  BAD_DATA,
  complete,
  counted,
  good,
  INPUT,
  ISSUES,
  modelService,
  never,
  outcomeOf,
  pool,
  proof,
  SCHEMA,
  sleep,
} from './support.mjs';

const bad = complete('{}');
const inData = (answer) => (request) => (request.stage === 'core' ? good(request) : answer);

/** By kind: the executor's answer to the n-th question, and the outcome. */
const KINDS = {
  good: { answer: good, outcome: 'ok' },
  'repaired core': {
    answer: (request, n) => (n === 0 ? bad : good(request)),
    outcome: 'ok',
    questions: 3,
  },
  'repaired data': {
    answer: (request, n) => (n === 1 ? complete(BAD_DATA) : good(request)),
    outcome: 'ok',
    questions: 3,
  },
  'invalid twice': { answer: () => bad, outcome: 'MODEL_OUTPUT_INVALID', questions: 2 },
  'refused by the schema twice': {
    answer: inData(complete(BAD_DATA)),
    outcome: 'MODEL_OUTPUT_INVALID',
    questions: 3,
  },
  refused: { answer: () => ({ outcome: 'refusal', detail: 'no' }), outcome: 'MODEL_REFUSED' },
  incomplete: { answer: inData({ outcome: 'incomplete' }), outcome: 'MODEL_OUTPUT_INCOMPLETE' },
  issues: { answer: inData(complete(ISSUES)), outcome: 'DATA_EXTRACTION_FAILED' },
  thrown: {
    answer: () => {
      throw new Error('boom');
    },
    outcome: 'MODEL_REQUEST_FAILED',
  },
  'no reply': { answer: () => 42, outcome: 'MODEL_OUTPUT_INVALID', questions: 1 },
  'too large': { answer: () => complete('x'.repeat(300_000)), outcome: 'LIMIT_EXCEEDED' },
  'bad input': { input: ' ', answer: good, outcome: 'INPUT_INVALID' },
  'unknown field': { fields: ['x'], answer: good, outcome: 'UNKNOWN_FIELD' },
  'aborted before': { abort: 'before', answer: good, outcome: 'MODEL_ABORTED' },
  'aborted in core': { abort: 'core', answer: never, outcome: 'MODEL_ABORTED' },
  'aborted in data': {
    abort: 'data',
    answer: (request) => (request.stage === 'core' ? good(request) : never()),
    outcome: 'MODEL_ABORTED',
  },
  'timed out': { answer: never, outcome: 'MODEL_TIMEOUT', timeout: true },
  'over HTTP': { http: true, outcome: 'ok' },
};

await proof('load', async ({ figure, check }) => {
  const parses = amount(10_000, 1_000);
  const concurrency = amount(500, 100);
  const service = await modelService();
  const running = new Map();
  const executor = {
    id: 'load',
    async generate(request) {
      const run = running.get(request.input.currentInput);
      const n = run.questions++;
      if (n % 3 === 0) await sleep(1);
      if (run.kind.abort === request.stage) setImmediate(() => run.abort());
      return run.kind.answer(request, n);
    },
  };
  const limits = { maxConcurrentParses: concurrency };
  const api = createApiExecutor({
    provider: 'openai',
    protocol: 'chat-completions',
    baseURL: service.url,
    model: 'm',
    apiKey: 'k',
  });
  const make = (extra) => new Intent({ schema: SCHEMA, executor, limits, ...extra });
  const instances = {
    plain: [make(), make(), make(), make({ language: 'zh-CN' })],
    timeout: [make({ timeoutMs: 20 }), make({ timeoutMs: 40 })],
    http: [make({ executor: api }), make({ executor: api })],
  };
  const names = Object.keys(KINDS);
  const outcomes = {};
  let right = 0;
  let questions = 0;
  const memory = process.memoryUsage.rss();
  await pool(parses, concurrency, async (i) => {
    const name = names[i % names.length];
    const kind = KINDS[name];
    const own = instances[kind.timeout ? 'timeout' : kind.http ? 'http' : 'plain'];
    const intent = own[i % own.length];
    const controller = new AbortController();
    // Each parse has its own input, so that an answer of another parse would be noticed.
    const input = kind.input ?? `${INPUT} #${i}`;
    const run = { kind, questions: 0, abort: () => controller.abort() };
    running.set(input, run);
    if (kind.abort === 'before') controller.abort();
    const request = { input, signal: controller.signal };
    if (kind.fields) request.fields = kind.fields;
    let ended = 0;
    const parse = intent.parse(request).finally(() => ended++);
    const outcome = await outcomeOf(
      parse.then((result) => {
        check(result.input === input, `the result of another: ${result.input}`);
        check(result.data.order === '7', () => JSON.stringify(result));
      }),
    );
    running.delete(input);
    counted(outcomes, outcome);
    questions += run.questions;
    check(outcome === kind.outcome, `${name} #${i} ended as ${outcome}`);
    check(
      kind.questions === undefined || run.questions === kind.questions,
      `${name} asked ${run.questions} times`,
    );
    check(ended === 1, 'it settled once');
    right++;
  });
  check(right === parses, `${right} of ${parses}`);
  const sum = Object.values(outcomes).reduce((a, b) => a + b, 0);
  check(sum === parses, `the counts add up to ${sum}`);
  // Every slot is free again.
  for (const intent of instances.plain) {
    running.set(INPUT, { kind: KINDS.good, questions: 0 });
    check((await outcomeOf(intent.parse({ input: INPUT }))) === 'ok', 'usable afterwards');
    await intent.dispose();
  }
  for (const intent of [...instances.timeout, ...instances.http]) await intent.dispose();
  await service.close();
  check(running.size <= 1, 'nothing is left running');
  figure('parses', parses);
  figure('concurrency', concurrency);
  figure('instances', 8);
  figure('kinds', names.length);
  figure('questions to JavaScript executors', questions);
  for (const [code, count] of Object.entries(outcomes).sort()) figure(`outcome ${code}`, count);
  figure('RSS growth, MiB', ((process.memoryUsage.rss() - memory) / 2 ** 20).toFixed(1));
});
