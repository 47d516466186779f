// Parses that wait for a slot: their order, their end, and that they leave nothing behind. See docs/lifecycle.md.

import { AsyncLocalStorage } from 'node:async_hooks';
import { getEventListeners } from 'node:events';
import { Intent } from '@devcodex/intent-runtime';
import { createApiExecutor } from '@devcodex/intent-runtime/adapters/api';
import { afterEach, describe, expect, test } from 'vitest';
import {
  complete,
  core,
  deferred,
  executing,
  failure,
  INPUT,
  order,
  orderSchema,
  refusal,
  turn,
} from './support/model.mjs';
import { runNode } from './support/process.mjs';
import { materialsOf, responses, startService } from './support/service.mjs';

const never = () => new Promise(() => {});
const inputs = (count) => Array.from({ length: count }, (_, i) => `Query order ${i}.`);

/** An executor whose answers the test gives, one question after the other. */
const byHand = () => {
  const asked = [];
  const executor = executing(({ input }) => {
    const waits = deferred();
    asked.push({ input: input.currentInput, ...waits });
    return waits.promise;
  });
  return { executor, asked, names: () => asked.map(({ input }) => input) };
};
const queued = (executor, config, limits) =>
  new Intent({
    executor,
    ...config,
    limits: { maxConcurrentParses: 1, maxQueuedParses: 100, ...limits },
  });

describe('the order', () => {
  test('is that of the calls, and no call overtakes', async () => {
    const { executor, asked, names } = byHand();
    const intent = queued(executor, {}, { maxConcurrentParses: 2 });
    const all = inputs(40);
    const parses = all.map((input) => intent.parse({ input }));
    for (let done = 0; done < 40; done++) {
      // A call that is made while others wait is queued after them.
      if (done === 20) {
        all.push('late');
        parses.push(intent.parse({ input: 'late' }));
      }
      expect(names()).toEqual(all.slice(0, Math.min(done + 2, all.length)));
      asked[done].resolve(complete(core()));
      await turn();
    }
    asked[40].resolve(complete(core()));
    expect(await Promise.all(parses)).toHaveLength(41);
    expect(names()).toEqual(all);
    await intent.dispose();
  });

  test('a slot is held for both stages', async () => {
    const stages = [];
    const executor = executing(async ({ stage, input }) => {
      stages.push(`${input.currentInput} ${stage}`);
      await turn();
      return complete(stage === 'core' ? core() : order);
    });
    const intent = queued(executor, { schema: orderSchema });
    const parses = ['000123 a', '000123 b', '000123 c'].map((input) => intent.parse({ input }));
    await Promise.all(parses);
    expect(stages).toEqual(
      ['a', 'b', 'c'].flatMap((name) => [`000123 ${name} core`, `000123 ${name} data`]),
    );
    await intent.dispose();
  });

  test.each([
    ['a reply', () => complete(core())],
    ['an error', () => Promise.reject(new Error('x'))],
    [
      'a synchronous error',
      () => {
        throw new Error('x');
      },
    ],
    ['a bad candidate', () => complete('{')],
    ['a bad reply', () => 7],
    ['a refusal', () => ({ outcome: 'refusal' })],
    ['a candidate past its size', () => complete('x'.repeat(300_000))],
    [
      'a large candidate, checked on a worker',
      () => complete(core({ normalizedInput: 'x'.repeat(100_000) })),
    ],
  ])('goes on after %s', async (_, answer) => {
    const asked = [];
    const executor = executing(({ input }) => {
      asked.push(input.currentInput);
      return answer();
    });
    const intent = queued(executor, { repairAttempts: 0 });
    const all = inputs(20);
    await Promise.allSettled(all.map((input) => intent.parse({ input })));
    expect(asked).toEqual(all);
    await intent.dispose();
  });
});

describe('a queue that is full', () => {
  test('refuses at once and says which limit it is', async () => {
    const { executor, asked, names } = byHand();
    const intent = queued(executor, {}, { maxQueuedParses: 2 });
    const parses = inputs(3).map((input) => intent.parse({ input }));
    const full = await failure(intent.parse({ input: INPUT }), 'LIMIT_EXCEEDED', 'input');
    expect(full.limit).toEqual({ name: 'maxQueuedParses', max: 2 });
    expect(full.message).toContain('limits.maxQueuedParses (2)');
    expect(full.message).toContain('limits.maxConcurrentParses (1)');
    expect(full.report.calls).toEqual([]);
    asked[0].resolve(complete(core()));
    await parses[0];
    // Its place in the queue is free again.
    parses.push(intent.parse({ input: 'next' }));
    await failure(intent.parse({ input: INPUT }), 'LIMIT_EXCEEDED', 'input');
    for (const done of [1, 2, 3]) {
      asked[done].resolve(complete(core()));
      await turn();
    }
    await Promise.all(parses);
    expect(names()).toEqual([...inputs(3), 'next']);
    await intent.dispose();
  });

  test('without a queue the limit of running parses names it', async () => {
    for (const limits of [{ maxQueuedParses: 0 }, { maxQueuedParses: undefined }]) {
      const intent = queued(executing(never), {}, limits);
      const running = intent.parse({ input: INPUT });
      const full = await failure(intent.parse({ input: INPUT }), 'LIMIT_EXCEEDED', 'input');
      expect(full.limit).toEqual({ name: 'maxConcurrentParses', max: 1 });
      expect(full.message).toContain('limits.maxQueuedParses (0)');
      intent.dispose();
      await failure(running, 'INSTANCE_DISPOSED', 'core');
    }
  });

  test('a bad request fails at once, and takes no place', async () => {
    const intent = queued(
      executing(never),
      { schema: orderSchema },
      { maxQueuedParses: 1, maxRequestBytes: 20_000 },
    );
    const running = intent.parse({ input: INPUT });
    for (let i = 0; i < 3; i++) {
      await failure(intent.parse({ input: ' ' }), 'INPUT_INVALID', 'input');
      await failure(intent.parse({ input: INPUT, fields: ['x'] }), 'UNKNOWN_FIELD', 'input');
      const long = await failure(intent.parse({ input: 'x'.repeat(30_000) }), 'LIMIT_EXCEEDED');
      expect(long.limit.name).toBe('maxRequestBytes');
    }
    const waiting = intent.parse({ input: INPUT });
    intent.dispose();
    const ends = [running, waiting].map((parse) => failure(parse, 'INSTANCE_DISPOSED', 'core'));
    await Promise.all(ends);
  });

  test('the values that the limit takes', () => {
    for (const maxQueuedParses of [0, 1, Number.MAX_SAFE_INTEGER, undefined])
      new Intent({ limits: { maxQueuedParses } });
    for (const maxQueuedParses of [-1, 1.5, Number.MAX_SAFE_INTEGER + 1, Number.NaN, '1', null])
      refusal(
        () => new Intent({ limits: { maxQueuedParses } }),
        'CONFIG_INVALID',
        'config',
        /limits\.maxQueuedParses must be 0 or a positive safe integer/,
      );
  });
});

describe('the end of a parse that waits', () => {
  test('its signal: no model is asked, and the others keep their order', async () => {
    const { executor, asked, names } = byHand();
    const intent = queued(executor);
    const controllers = inputs(6).map(() => new AbortController());
    const parses = inputs(6).map((input, i) =>
      intent.parse({ input, signal: controllers[i].signal }),
    );
    for (const parse of parses) parse.catch(() => {});
    controllers[2].abort(new Error('mine'));
    controllers[4].abort();
    const error = await failure(parses[2], 'MODEL_ABORTED', 'core');
    expect(error.cause.message).toBe('mine');
    expect(error.report.calls).toEqual([]);
    await failure(parses[4], 'MODEL_ABORTED', 'core');
    for (const done of [0, 1, 2, 3]) {
      asked[done].resolve(complete(core()));
      await turn();
    }
    await Promise.allSettled(parses);
    expect(names()).toEqual([0, 1, 3, 5].map((i) => `Query order ${i}.`));
    for (const { signal } of controllers) expect(getEventListeners(signal, 'abort')).toEqual([]);
    await intent.dispose();
  });

  test('the signal of the one that runs hands its slot on', async () => {
    const { executor, asked, names } = byHand();
    const intent = queued(executor);
    const controller = new AbortController();
    const running = intent.parse({ input: 'first', signal: controller.signal });
    const waiting = intent.parse({ input: 'second' });
    controller.abort();
    await failure(running, 'MODEL_ABORTED', 'core');
    expect(names()).toEqual(['first', 'second']);
    asked[1].resolve(complete(core()));
    await waiting;
    await intent.dispose();
  });

  test('timeoutMs counts from the call, waiting included', async () => {
    let asked = 0;
    const executor = executing(() => {
      asked++;
      return never();
    });
    const intent = queued(executor, { timeoutMs: 30 });
    const [first, ...rest] = inputs(5).map((input) => intent.parse({ input }));
    const all = [failure(first, 'MODEL_TIMEOUT', 'core', /did not end within timeoutMs \(30\)/)];
    // All began at once, so all end at once: a slot that becomes free comes too late for some.
    for (const parse of rest) all.push(failure(parse, 'MODEL_TIMEOUT', 'core', /timeoutMs \(30\)/));
    const errors = await Promise.all(all);
    const waited = errors.filter(({ report }) => report.calls.length === 0);
    expect(waited.length).toBe(5 - asked);
    for (const { message, retryable, report } of waited) {
      expect(message).toContain('waited for a slot');
      expect(message).toContain('limits.maxConcurrentParses (1)');
      expect(retryable).toBe(false);
      expect(report.durationMs).toBeGreaterThan(0);
    }
    await intent.dispose();
  });

  test('the report has the waiting in durationMs alone', async () => {
    const { executor, asked } = byHand();
    const intent = queued(executor);
    const first = intent.parse({ input: 'first' });
    const second = intent.parseWithReport({ input: 'second' });
    await new Promise((resolve) => setTimeout(resolve, 40));
    asked[0].resolve(complete(core()));
    await first;
    asked[1].resolve(complete(core()));
    const { report } = await second;
    expect(report.calls).toHaveLength(1);
    // It waited longer than its one call took, since the answer stood ready.
    expect(report.durationMs).toBeGreaterThan(report.calls[0].durationMs + 20);
    await intent.dispose();
  });

  test('dispose ends all, and its promise settles', async () => {
    const { executor, names } = byHand();
    const intent = queued(executor);
    const parses = inputs(50).map((input) => intent.parse({ input }));
    const ended = parses.map((parse) => failure(parse, 'INSTANCE_DISPOSED', 'core'));
    await intent.dispose();
    await Promise.all(ended);
    expect(names()).toEqual(inputs(1));
  });
});

test('the executor sees the AsyncLocalStorage of its own parse', async () => {
  const user = new AsyncLocalStorage();
  const seen = [];
  const executor = executing(async ({ stage, input }) => {
    seen.push([input.currentInput, stage, user.getStore()]);
    await turn();
    // Past the size that is checked at once: the next question comes from a worker's answer.
    const normalizedInput = input.currentInput.endsWith('large') ? 'x'.repeat(100_000) : 'x';
    return complete(stage === 'core' ? core({ normalizedInput }) : order);
  });
  const intent = queued(executor, { schema: orderSchema });
  const all = ['000123 a', '000123 b large', '000123 c', '000123 d large'];
  await Promise.all(
    all.map((input) => user.run(`user of ${input}`, () => intent.parse({ input }))),
  );
  expect(seen).toEqual(
    all.flatMap((input) => ['core', 'data'].map((stage) => [input, stage, `user of ${input}`])),
  );
  await intent.dispose();
});

describe('an executor of the package', () => {
  let service;
  afterEach(() => service?.close());
  const api = () =>
    createApiExecutor({ provider: 'openai', model: 'm', apiKey: 'k', baseURL: service.baseURL });

  test('is asked in the order of the calls', async () => {
    service = await startService({ always: responses(core()) });
    const intent = queued(api());
    const all = inputs(60);
    await Promise.all(all.map((input) => intent.parse({ input })));
    expect(service.seen.map(({ body }) => materialsOf(body).currentInput)).toEqual(all);
    await intent.dispose();
  });

  test('is not asked for parses that ended while they waited', async () => {
    service = await startService({ always: () => {} });
    const intent = queued(api(), {}, { maxQueuedParses: 3 });
    const controller = new AbortController();
    const running = intent.parse({ input: 'running' });
    const waiting = ['a', 'b', 'c'].map((input) =>
      intent.parse({ input, signal: controller.signal }),
    );
    const full = await failure(intent.parse({ input: INPUT }), 'LIMIT_EXCEEDED', 'input');
    expect(full.limit).toEqual({ name: 'maxQueuedParses', max: 3 });
    controller.abort();
    await Promise.all(waiting.map((parse) => failure(parse, 'MODEL_ABORTED', 'core')));
    const last = intent.parse({ input: INPUT });
    const ended = [running, last].map((parse) => failure(parse, 'INSTANCE_DISPOSED', 'core'));
    await intent.dispose();
    await Promise.all(ended);
    expect(service.seen.length).toBeLessThan(2);
  });
});

test('10,000 waiting parses leave nothing behind', async () => {
  const script = `
    import { getEventListeners } from 'node:events';
    import { Intent } from '@devcodex/intent-runtime';
    const COUNT = 10_000;
    const core = ${JSON.stringify(core())};
    const limits = { maxConcurrentParses: 2, maxQueuedParses: COUNT };
    const open = [];
    let hold = true;
    const executor = { id: 'x', generate: () =>
      hold ? new Promise((resolve) => open.push(resolve)) : Promise.resolve({ outcome: 'complete', text: core }) };
    const release = () => {
      hold = false;
      for (const resolve of open.splice(0)) resolve({ outcome: 'complete', text: core });
    };
    const ends = {
      done: (round) => release(),
      aborted: ({ controller }) => { controller.abort(); release(); },
      disposed: ({ intent }) => intent.dispose(),
    };
    const shared = new AbortController();
    const refs = [];
    const tally = {};
    const run = async (how) => {
      hold = true;
      open.length = 0;
      const intent = new Intent({ executor, limits, timeoutMs: 600_000 });
      const controller = new AbortController();
      const parses = Array.from({ length: COUNT }, (_, i) => {
        const { signal } = i % 2 ? controller : shared;
        const parse = intent.parse({ input: 'Query order ' + i + '.', signal }).then(
          () => 'done', (error) => error.code);
        if (i % 1000 === 7) refs.push(new WeakRef(parse));
        return parse;
      });
      ends[how]({ intent, controller });
      for (const outcome of await Promise.all(parses)) tally[how + ' ' + outcome] = (tally[how + ' ' + outcome] ?? 0) + 1;
      await intent.dispose();
    };
    const round = async () => { for (const how of Object.keys(ends)) await run(how); };
    const settle = async () => {
      for (let i = 0; i < 4; i++) { await new Promise((resolve) => setTimeout(resolve, 5)); gc(); }
      return { heap: process.memoryUsage().heapUsed, rss: process.memoryUsage().rss };
    };
    await round();
    const before = await settle();
    await round(); await round(); await round();
    const after = await settle();
    console.log(JSON.stringify({
      tally,
      heap: after.heap - before.heap,
      rss: after.rss - before.rss,
      alive: refs.filter((ref) => ref.deref() !== undefined).length,
      listeners: getEventListeners(shared.signal, 'abort').length,
      resources: process.getActiveResourcesInfo().filter((name) => name !== 'PipeWrap' && name !== 'TTYWrap'),
    }));`;
  const ran = await runNode(['--expose-gc', '--input-type=module', '-e', script], {
    timeoutMs: 100_000,
  });
  expect(ran.stderr).toBe('');
  // It ended by itself.
  expect([ran.code, ran.signal]).toEqual([0, null]);
  const { tally, heap, rss, ...left } = JSON.parse(ran.stdout);
  expect(left).toEqual({ alive: 0, listeners: 0, resources: [] });
  expect(tally).toEqual({
    'done done': 40_000,
    'aborted done': 20_000,
    'aborted MODEL_ABORTED': 20_000,
    'disposed INSTANCE_DISPOSED': 40_000,
  });
  // An entry of 100 bytes left by each of 90,000 parses would be 9 MB.
  expect(heap).toBeLessThan(2 << 20);
  expect(rss).toBeLessThan(64 << 20);
}, 120_000);
