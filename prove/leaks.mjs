// Finds leaks: memory, handles, threads and listeners must be constant after a warm-up, over many parses of
// every outcome on one long-lived signal, Bridge calls, instances and sessions.
// Needs --expose-gc.

import { getEventListeners } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { Intent } from '@devcodex/intent-runtime';
import { createApiExecutor } from '@devcodex/intent-runtime/adapters/api';
import { createIntentBridge } from '@devcodex/intent-runtime/bridge';
import { serveIntentMcp } from '@devcodex/intent-runtime/mcp';
import {
  amount,
  BAD_DATA,
  CORE,
  complete,
  DATA,
  good,
  INPUT,
  ISSUES,
  modelService,
  never,
  outcomeOf,
  proof,
  SCHEMA,
  sleep,
} from './support.mjs';

/** The growth that is allowed: pages that the allocators keep, and code that the engine compiles late. */
const SLACK_MIB = 12;

const linux = process.platform === 'linux';
const threads = () =>
  linux ? Number(/Threads:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) : 0;
const handles = () => ({
  resources: process.getActiveResourcesInfo().length,
  files: linux ? readdirSync('/proc/self/fd').length : 0,
  threads: threads(),
});

const settledMemory = async () => {
  for (let i = 0; i < 3; i++) {
    global.gc();
    await sleep(20);
  }
  return process.memoryUsage.rss() / 2 ** 20;
};

await proof('leaks', async ({ figure, check }) => {
  check(typeof global.gc === 'function', 'run it with --expose-gc');
  // A first output, because standard output may be a pipe, which then counts as a resource.
  figure('slack of every series, MiB', SLACK_MIB);

  /** Runs `once` this number of times in batches; memory must not grow in the last three quarters. */
  const flat = async (name, count, once, { batch = 50, connections = 0 } = {}) => {
    const series = [];
    const step = Math.ceil(count / 8);
    let before;
    let done = 0;
    while (done < count) {
      const until = Math.min(done + step, count);
      while (done < until) {
        const now = Math.min(batch, until - done);
        await Promise.all(Array.from({ length: now }, (_, i) => once(done + i)));
        done += now;
      }
      series.push(await settledMemory());
      // The first quarter is the warm-up.
      if (series.length === 2) before = handles();
    }
    // Closing sockets need a moment; pooled ones may stay, and both of their ends are in this process.
    const excess = (now) =>
      Object.keys(now).filter((what) => now[what] > before[what] + 1 + 2 * connections);
    for (let i = 0; i < 50 && excess(handles()).length > 0; i++) await sleep(100);
    const grown = series.at(-1) - series[1];
    figure(name, `${count}, RSS ${series.map((mib) => mib.toFixed(0)).join(' ')} MiB`);
    check(grown < SLACK_MIB, `${name}: RSS grew by ${grown.toFixed(1)} MiB: ${series}`);
    const after = handles();
    for (const what of excess(after))
      check(false, `${name}: ${what} grew from ${before[what]} to ${after[what]}`);
  };

  const shared = new AbortController().signal;
  const listeners = () => getEventListeners(shared, 'abort').length;
  const limits = { maxConcurrentParses: 1000 };
  const bad = complete('{}');
  const OUTCOMES = {
    ok: { answer: good },
    'ok after a repair': {
      answer: (request) =>
        request.stage === 'core' || request.input.repair ? good(request) : complete(BAD_DATA),
    },
    MODEL_OUTPUT_INVALID: { answer: () => bad },
    MODEL_REFUSED: { answer: () => ({ outcome: 'refusal' }) },
    MODEL_REQUEST_FAILED: {
      answer: () => {
        throw new Error('boom');
      },
    },
    DATA_EXTRACTION_FAILED: {
      answer: (request) => (request.stage === 'core' ? good(request) : complete(ISSUES)),
    },
    MODEL_TIMEOUT: { answer: never, config: { timeoutMs: 5 } },
    MODEL_ABORTED: { answer: never, abort: true },
    UNKNOWN_FIELD: { answer: good, fields: ['x'] },
  };
  // The addon's threads start with the first timer, and use descriptors.
  const first = new Intent({
    schema: SCHEMA,
    executor: { id: 'leaks', generate: async (request) => good(request) },
    timeoutMs: 10_000,
  });
  await first.parse({ input: INPUT });
  await first.dispose();

  const each = Math.ceil(amount(200_000, 4_500) / Object.keys(OUTCOMES).length);
  for (const [name, { answer, config, abort, fields }] of Object.entries(OUTCOMES)) {
    const executor = { id: 'leaks', generate: async (request) => answer(request) };
    const intent = new Intent({ schema: SCHEMA, executor, limits, ...config });
    const request = { input: INPUT, signal: shared };
    if (fields) request.fields = fields;
    await flat(`parses that end as ${name}`, each, async () => {
      // Aborted by its own signal, which depends on the long-lived one, as in callers' code.
      const own = abort ? new AbortController() : undefined;
      const parse = intent.parse(own ? { ...request, signal: own.signal } : request);
      if (own) setImmediate(() => own.abort());
      const outcome = await outcomeOf(parse);
      check(outcome === name.split(' ')[0], `${name}: ${outcome}`);
    });
    check(listeners() === 0, `${name}: ${listeners()} listeners stay on the signal`);
    await intent.dispose();
  }
  figure('listeners on the long-lived signal afterwards', listeners());

  const service = await modelService();
  const api = createApiExecutor({
    provider: 'openai',
    protocol: 'chat-completions',
    baseURL: service.url,
    model: 'm',
    apiKey: 'k',
  });
  const overHttp = new Intent({ schema: SCHEMA, executor: api, limits });
  await flat(
    'parses over HTTP',
    amount(20_000, 800),
    async () => {
      check((await outcomeOf(overHttp.parse({ input: INPUT, signal: shared }))) === 'ok', 'HTTP');
    },
    { connections: 50 },
  );
  await flat(
    'parses over HTTP that are aborted',
    amount(10_000, 400),
    async (i) => {
      const own = new AbortController();
      const parse = overHttp.parse({ input: INPUT, signal: own.signal });
      setTimeout(() => own.abort(), i % 4);
      const outcome = await outcomeOf(parse);
      check(['ok', 'MODEL_ABORTED'].includes(outcome), outcome);
    },
    { connections: 50 },
  );
  check(listeners() === 0, 'listeners stay on the signal');
  await overHttp.dispose();
  await service.close();

  const intent = new Intent({ schema: SCHEMA });
  const bridge = createIntentBridge({ instances: { a: intent } });
  const session = bridge.connect();
  let calls = 0;
  const job = async (i) => {
    let reply = session.prepare({ instance: 'a', input: INPUT });
    calls++;
    const candidates = i % 3 === 0 ? ['{}', CORE, DATA] : [CORE, DATA];
    for (const candidateText of i % 5 === 0 ? [] : candidates) {
      const { jobId, stepToken } = reply;
      reply = await session.accept({ jobId, stepToken, candidateText });
      calls++;
    }
    if (reply.kind === 'task') {
      reply = session.cancel({ jobId: reply.jobId });
      calls++;
      check(reply.error.code === 'MODEL_ABORTED', () => JSON.stringify(reply));
    } else check(reply.kind === 'result', () => JSON.stringify(reply));
  };
  await flat('jobs of one Bridge session', Math.ceil(amount(1_000_000, 20_000) / 3), job, {
    batch: 20,
  });
  figure('Bridge calls', calls);
  bridge.close();
  await flat('Bridges and sessions', amount(20_000, 400), async () => {
    const bridge = createIntentBridge({ instances: { a: intent }, jobTtlMs: 60_000 });
    const session = bridge.connect();
    session.prepare({ instance: 'a', input: INPUT });
    bridge.close();
  });
  await intent.dispose();

  await flat(
    'instances, used and disposed',
    amount(2_000, 200),
    async (i) => {
      const executor = { id: 'leaks', generate: async (request) => good(request) };
      const intent = new Intent({ schema: { ...SCHEMA, title: `schema ${i}` }, executor });
      check((await outcomeOf(intent.parse({ input: INPUT }))) === 'ok', 'instance');
      await intent.dispose();
    },
    { batch: 4 },
  );

  const served = new Intent();
  await flat(
    'MCP sessions over a transport',
    amount(2_000, 100),
    async () => {
      const transport = { start: async () => {}, send: async () => {}, close: async () => {} };
      const service = await serveIntentMcp({ instances: { a: served }, transport });
      transport.onmessage({ jsonrpc: '2.0', id: 1, method: 'ping' });
      await service.close();
    },
    { batch: 4 },
  );
  await served.dispose();
});
