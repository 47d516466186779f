// The table of codes in docs/errors.md: every code at every stage that a row names is driven here, and
// has the facts that the row says to branch on. A row without a driver fails.

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { ERROR_CODES, Intent, IntentError } from '@devcodex/intent-runtime';
import { createApiExecutor } from '@devcodex/intent-runtime/adapters/api';
import { createIntentBridge } from '@devcodex/intent-runtime/bridge';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  complete,
  core,
  dataOf,
  executing,
  INPUT,
  order,
  orderSchema,
  scripted,
} from './support/model.mjs';
import { runNode } from './support/process.mjs';
import { startService, status } from './support/service.mjs';

const root = new URL('../', import.meta.url);
const rowsOf = (page) =>
  readFileSync(new URL(page, root), 'utf8')
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .filter((cells) => cells.length === 7 && /^`[A-Z_]+`$/.test(cells[1]))
    .map(([, code, stages, , , facts]) => ({
      code: code.slice(1, -1),
      stages: stages.split(/[,、]\s*/),
      facts: [...facts.matchAll(/`([^`]+)`/g)].map(([, fact]) => fact),
    }));
const rows = rowsOf('docs/errors.md');

/** The timeout of connecting: `connect_timeout` of the crate, for which JavaScript has no option. */
const CONNECTING_MS = 30_000;

let service;
let silent;
let connecting;
beforeAll(async () => {
  service = await startService();
  // Accepts connections, and says nothing where TLS should begin.
  silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  // It takes as long as a connection may: it waits while the other rows are driven.
  connecting = served({}, { baseURL: `https://127.0.0.1:${silent.address().port}/v1` });
  service.answers.length = 0;
});
afterAll(() => {
  silent.close();
  return service.close();
});

const never = () => new Promise(() => {});
const thrownBy = (work) =>
  Promise.resolve()
    .then(work)
    .then(
      () => expect.fail('it gave a result'),
      (error) => error,
    );
const made = (config) => thrownBy(() => new Intent(config));
const parsed = (executor, config, request) =>
  thrownBy(async () => {
    const intent = new Intent({ executor, schema: orderSchema, ...config });
    try {
      return await intent.parse({ input: INPUT, ...request });
    } finally {
      await intent.dispose();
    }
  });
const served = (answer, config) => {
  service.answers.push(answer);
  const { baseURL } = service;
  const options = { provider: 'openai', model: 'm', apiKey: 'k', baseURL, ...config };
  return parsed(createApiExecutor(options));
};

/** An executor whose `stage` gives this; core is answered well where that is the data stage. */
const at = (stage, answer) =>
  executing((request) => (request.stage === stage ? answer(request) : complete(core())));
const ended = (stage, end) =>
  thrownBy(async () => {
    const controller = new AbortController();
    const executor = at(stage, () => {
      queueMicrotask(() => end({ intent, controller }));
      return never();
    });
    const intent = new Intent({ executor, schema: orderSchema });
    return intent.parse({ input: INPUT, signal: controller.signal });
  });
const bridged = async (config, steps) => {
  const intent = new Intent();
  const bridge = createIntentBridge({ instances: { default: intent }, ...config });
  const session = bridge.connect();
  const prepare = () => session.prepare({ instance: 'default', input: INPUT });
  try {
    const { kind, error } = await steps(session, prepare);
    expect(kind).toBe('error');
    return error;
  } finally {
    await bridge.close();
    await intent.dispose();
  }
};
const submitted = (session, { jobId, stepToken }, over) =>
  session.accept({ jobId, stepToken, candidateText: core(), ...over });
const issues = [
  {
    code: 'DATA_AMBIGUOUS',
    category: 'business_information',
    path: '/data/orderId',
    message: 'Which?',
  },
];

/** For each code and stage the error that shows it, and whether that one has the row's facts. */
const drivers = {
  'CONFIG_INVALID config': () => made({ timeoutMs: -1 }),
  'SCHEMA_UNSUPPORTED config': () => made({ schema: { type: 'string' } }),
  'INPUT_INVALID input': () => parsed(scripted(), {}, { input: ' ' }),
  'UNKNOWN_FIELD input': () => parsed(scripted(), {}, { fields: ['x'] }),
  'LIMIT_EXCEEDED config': () => made({ schema: orderSchema, limits: { maxSchemaBytes: 9 } }),
  'LIMIT_EXCEEDED input': () => parsed(scripted(), { limits: { maxInputBytes: 1 } }),
  'LIMIT_EXCEEDED core': () => parsed(scripted(core()), { limits: { maxOutputBytes: 9 } }),
  'LIMIT_EXCEEDED data': () => parsed(scripted(core(), complete('x'.repeat(300_000)))),
  'LIMIT_EXCEEDED bridge': () =>
    bridged({ maxJobs: 1 }, async (_, prepare) => {
      await prepare();
      return prepare();
    }),
  'RESOURCE_LIMIT model': () => served({ text: 'x'.repeat(999) }, { maxResponseBytes: 10 }),
  'EXECUTOR_NOT_CONFIGURED input': () => parsed(undefined),
  'INSTANCE_DISPOSED input': () =>
    thrownBy(() => {
      const intent = new Intent({ executor: scripted() });
      intent.dispose();
      return intent.parse({ input: INPUT });
    }),
  'INSTANCE_DISPOSED core': () => ended('core', ({ intent }) => intent.dispose()),
  'INSTANCE_DISPOSED data': () => ended('data', ({ intent }) => intent.dispose()),
  'MODEL_AUTH_FAILED model': () => served(status(401)),
  'MODEL_RATE_LIMITED model': () => served(status(429, {}, { 'retry-after': '2' })),
  'MODEL_REQUEST_FAILED model': () => served(status(503)),
  'MODEL_TIMEOUT core': () => parsed(at('core', never), { timeoutMs: 20 }),
  'MODEL_TIMEOUT data': () => parsed(at('data', never), { timeoutMs: 100 }),
  'MODEL_TIMEOUT model': () => connecting,
  'MODEL_ABORTED core': () => ended('core', ({ controller }) => controller.abort()),
  'MODEL_ABORTED data': () => ended('data', ({ controller }) => controller.abort()),
  'MODEL_ABORTED model': () =>
    thrownBy(() => {
      const { baseURL } = service;
      const executor = createApiExecutor({ provider: 'openai', model: 'm', apiKey: 'k', baseURL });
      const format = { kind: 'json_object' };
      const signal = AbortSignal.abort();
      return executor.generate({ stage: 'core', instructions: 'i', payload: '{}', format, signal });
    }),
  'MODEL_REFUSED core': () => parsed(at('core', () => ({ outcome: 'refusal' }))),
  'MODEL_REFUSED data': () => parsed(at('data', () => ({ outcome: 'refusal' }))),
  'MODEL_OUTPUT_INCOMPLETE core': () => parsed(at('core', () => ({ outcome: 'incomplete' }))),
  'MODEL_OUTPUT_INCOMPLETE data': () => parsed(at('data', () => ({ outcome: 'incomplete' }))),
  'MODEL_OUTPUT_INVALID core': () => parsed(at('core', () => complete('{}'))),
  'MODEL_OUTPUT_INVALID data': () => parsed(at('data', () => complete('{}'))),
  'DATA_EXTRACTION_FAILED data': () =>
    parsed(scripted(core(), JSON.stringify({ ...dataOf({ orderId: '000123' }), issues }))),
  'HOST_CAPABILITY_UNSUPPORTED config': () =>
    made({
      executor: {
        ...scripted(),
        capabilities: {
          nativeJsonSchema: false,
          nativeJsonObject: false,
          isolatedTurn: true,
          supportsAbort: false,
        },
      },
    }),
  'BRIDGE_JOB_NOT_FOUND bridge': () =>
    bridged({}, (session) => submitted(session, { jobId: 'none', stepToken: 'none' })),
  'BRIDGE_JOB_EXPIRED bridge': () =>
    bridged({ jobTtlMs: 1 }, async (session, prepare) => {
      const task = await prepare();
      await new Promise((resolve) => setTimeout(resolve, 50));
      return submitted(session, task);
    }),
  'BRIDGE_STEP_CONFLICT bridge': () =>
    bridged({}, async (session, prepare) =>
      submitted(session, await prepare(), { stepToken: 'x' }),
    ),
};

/** Rows of a machine that gives no thread: they need a process of their own, and are driven below. */
const WITHOUT_THREADS = [
  ['a core candidate', 'core'],
  ['a data candidate', 'data'],
  ['timeoutMs', 'core'],
  ['a recognition over HTTP', 'model'],
  ['a question over HTTP', 'model'],
  ['certificates', 'model'],
  ['a name', 'model'],
  ['a candidate of a bridge', 'core'],
];

/** `limit.name` of an error, and the like. */
const factOf = (error, fact) => fact.split('.').reduce((value, key) => value?.[key], error);

test('both pages have the same rows, one for each code', () => {
  expect(rows.map(({ code }) => code)).toEqual([...ERROR_CODES]);
  expect(rowsOf('docs/zh/errors.md')).toEqual(rows);
});

test('a driver for each row, and no other', () => {
  const pairs = rows.flatMap(({ code, stages }) => stages.map((stage) => `${code} ${stage}`));
  const apart = WITHOUT_THREADS.map(([, stage]) => `RESOURCE_LIMIT ${stage}`);
  const driven = new Set([...Object.keys(drivers), ...apart]);
  expect([...driven].sort()).toEqual(pairs.sort());
});

describe.each(rows)('$code', ({ code, stages, facts }) => {
  const driven = stages.filter((stage) => drivers[`${code} ${stage}`]);
  test.each(driven)('stage %s', { timeout: 2 * CONNECTING_MS }, async (stage) => {
    const error = await drivers[`${code} ${stage}`]();
    expect({ code: error.code, stage: error.stage }, error.message).toEqual({ code, stage });
    if (stage === 'bridge') return; // a reply: its facts are code and stage
    expect(error).toBeInstanceOf(IntentError);
    expect(facts).toContain('code');
    for (const fact of facts) expect(factOf(error, fact), fact).toBeDefined();
    // Only what may be tried again as it is says so.
    const again = ['MODEL_RATE_LIMITED', 'MODEL_REQUEST_FAILED', 'MODEL_TIMEOUT'];
    expect(error.retryable).toBe(again.includes(code) && stage === 'model');
  });
});

describe('rows whose cases differ by their facts', () => {
  test('MODEL_AUTH_FAILED: 401 and 403', async () => {
    for (const code of [401, 403]) expect((await served(status(code))).http.status).toBe(code);
  });

  test('MODEL_RATE_LIMITED: a pause, or an account without credit', async () => {
    const waits = await served(status(429, {}, { 'retry-after': '2' }));
    expect([waits.retryable, waits.http.retryAfterMs]).toEqual([true, 2000]);
    const broke = await served(status(429, { error: { code: 'insufficient_quota' } }));
    expect([broke.code, broke.retryable]).toEqual(['MODEL_RATE_LIMITED', false]);
  });

  test('MODEL_REQUEST_FAILED: transient failures, permanent ones, and an executor that threw', async () => {
    for (const [answer, retryable] of [
      [status(400), false],
      [status(408), true],
      [status(409), true],
      [status(500), true],
    ])
      expect(await served(answer)).toMatchObject({ code: 'MODEL_REQUEST_FAILED', retryable });
    const closed = await new Promise((resolve) => {
      const server = createServer().listen(0, '127.0.0.1', () => {
        const { port } = server.address();
        server.close(() => resolve(port));
      });
    });
    const refused = await served({}, { baseURL: `http://127.0.0.1:${closed}/v1` });
    service.answers.length = 0;
    expect([refused.retryable, refused.http]).toEqual([true, undefined]);
    const cause = new Error('x');
    const own = await parsed(at('core', () => Promise.reject(cause)));
    expect([own.code, own.retryable, own.cause]).toEqual(['MODEL_REQUEST_FAILED', false, cause]);
  });

  test.for(WITHOUT_THREADS)('RESOURCE_LIMIT: no thread for %s', async ([work, stage], { skip }) => {
    const { stdout, stderr } = await runNode(['__test__/hosts/no-threads.mjs', work]);
    expect(stdout, stderr).not.toBe('');
    const { skipped, message, ...facts } = JSON.parse(stdout);
    if (skipped) skip(`threads cannot be taken away here: ${skipped}`);
    // No `limit`: the system does not say how many threads there may be.
    // A reply of a bridge does not have `retryable`.
    expect({ retryable: false, ...facts }).toEqual({
      code: 'RESOURCE_LIMIT',
      stage,
      retryable: false,
    });
    expect(message).toMatch(/^The system gives no thread /);
  });

  test('LIMIT_EXCEEDED: too many at once, or too much', async () => {
    for (const [limits, name] of [
      [{ maxConcurrentParses: 1 }, 'maxConcurrentParses'],
      [{ maxConcurrentParses: 1, maxQueuedParses: 1 }, 'maxQueuedParses'],
    ]) {
      const intent = new Intent({ executor: executing(never), limits });
      const parse = () => thrownBy(() => intent.parse({ input: INPUT }));
      const held = Array.from({ length: 1 + (limits.maxQueuedParses ?? 0) }, parse);
      expect((await parse()).limit).toMatchObject({ name, max: 1 });
      await intent.dispose();
      await Promise.all(held);
    }
    const long = await parsed(scripted(core(), order), { limits: { maxInputBytes: 1 } });
    expect(long.limit).toEqual({ name: 'maxInputBytes', max: 1, actual: INPUT.length });
  });
});
