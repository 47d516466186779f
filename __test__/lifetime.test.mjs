// The end of a parse and its effects: timeouts, disposal, slots, processes, threads (docs/lifecycle.md).

import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { Intent, IntentError } from '@devcodex/intent-runtime';
import { describe, expect, test } from 'vitest';
import {
  complete,
  core,
  deferred,
  executing,
  failure,
  INPUT,
  order,
  orderSchema,
  parseWith,
  scripted,
  turn,
} from './support/model.mjs';
import { runNode } from './support/process.mjs';

const never = () => new Promise(() => {});
/** Returns whether a promise is still pending after some turns of the event loop. */
const isPending = async (promise) => {
  const mark = {};
  for (let i = 0; i < 3; i++) await turn();
  return (await Promise.race([promise, Promise.resolve(mark)])) === mark;
};

describe('concurrency', () => {
  const endings = {
    success: { answer: () => complete(core()) },
    'an error': { answer: () => Promise.reject(new Error('x')), code: 'MODEL_REQUEST_FAILED' },
    'a synchronous error': {
      answer: () => {
        throw new Error('x');
      },
      code: 'MODEL_REQUEST_FAILED',
    },
    'a bad candidate': { answer: () => complete('{'), code: 'MODEL_OUTPUT_INVALID' },
    'a bad reply': { answer: () => 7, code: 'MODEL_OUTPUT_INVALID' },
    'a refusal': { answer: () => ({ outcome: 'refusal' }), code: 'MODEL_REFUSED' },
    'a limit': { answer: () => complete('x'.repeat(300_000)), code: 'LIMIT_EXCEEDED' },
    'a deadline': { answer: never, code: 'MODEL_TIMEOUT' },
    'an abort': { answer: never, code: 'MODEL_ABORTED', abort: true },
  };
  for (const [name, { answer, code, abort }] of Object.entries(endings)) {
    test(`the slot is free after ${name}`, async () => {
      const intent = new Intent({
        executor: executing(answer),
        timeoutMs: name === 'a deadline' ? 500 : 60_000,
        limits: { maxConcurrentParses: 2 },
      });
      for (let round = 0; round < 3; round++) {
        const controller = new AbortController();
        const request = { input: INPUT, signal: controller.signal };
        const parses = [intent.parse(request), intent.parse(request)];
        // A slot is taken at once: the third finds none, unless the two have ended within their calls.
        const found = name === 'a synchronous error' ? code : 'LIMIT_EXCEEDED';
        const third = failure(intent.parse(request), found);
        if (abort) controller.abort();
        const settled = await Promise.allSettled(parses);
        await third;
        for (const { reason } of settled) expect(reason?.code).toBe(code);
      }
      // A promise that settles has freed its slot already.
      for (let i = 0; i < 20; i++) {
        const controller = new AbortController();
        const parsing = intent.parse({ input: INPUT, signal: controller.signal });
        if (abort) controller.abort();
        const error = await parsing.catch((thrown) => thrown);
        expect(error.code).toBe(code);
        if (name === 'a deadline' && i === 2) break;
      }
      await intent.dispose();
    });
  }

  test('refused requests take none', async () => {
    const intent = new Intent({ executor: executing(never), limits: { maxConcurrentParses: 1 } });
    for (let i = 0; i < 5; i++) await failure(intent.parse({ input: '' }), 'INPUT_INVALID');
    const parsing = intent.parse({ input: INPUT });
    await failure(intent.parse({ input: INPUT }), 'LIMIT_EXCEEDED', 'input');
    intent.dispose();
    await failure(parsing, 'INSTANCE_DISPOSED', 'core');
  });

  test('each instance has its own', async () => {
    const limits = { maxConcurrentParses: 1 };
    const intents = [1, 2, 3].map(() => new Intent({ executor: executing(never), limits }));
    const parses = intents.map((intent) => intent.parse({ input: INPUT }));
    for (const intent of intents) intent.dispose();
    for (const parsing of parses) await failure(parsing, 'INSTANCE_DISPOSED', 'core');
  });

  test('many at once, each with its own answer', async () => {
    const executor = executing(async ({ stage, input }) => {
      await sleep(Math.random() * 5);
      const { currentInput } = input;
      if (stage === 'core') return complete(core({ normalizedInput: `N ${currentInput}` }));
      const sources = [{ sourceId: 'input', quote: currentInput }];
      return complete(
        JSON.stringify({
          data: { orderId: currentInput },
          evidence: [{ path: '/data/orderId', mode: 'exact', sources }],
          descriptionChecks: [],
          fieldResults: [{ path: '/data/orderId', status: 'extracted', explanation: 'e' }],
          issues: [],
        }),
      );
    });
    const intent = new Intent({
      executor,
      schema: orderSchema,
      limits: { maxConcurrentParses: 500 },
    });
    const inputs = Array.from({ length: 500 }, (_, i) => `order ${i}`);
    const results = await Promise.all(inputs.map((input) => intent.parse({ input })));
    expect(results.map(({ data }) => data.orderId)).toEqual(inputs);
    expect(results.map(({ normalizedInput }) => normalizedInput)).toEqual(
      inputs.map((input) => `N ${input}`),
    );
    await intent.dispose();
  });
});

describe('the deadline', () => {
  test('covers the whole call, and names the stage it reached', async () => {
    for (const [answers, stage] of [
      [[never], 'core'],
      [['{', never], 'core'],
      [[core(), never], 'data'],
      [[core(), '{', never], 'data'],
    ]) {
      const executor = scripted(...answers);
      const error = await failure(
        parseWith(executor, { schema: orderSchema, timeoutMs: 40 }),
        'MODEL_TIMEOUT',
        stage,
        /timeoutMs \(40\)/,
      );
      expect('partialResult' in error).toBe(stage === 'data');
      expect(executor.requests.length).toBe(answers.length);
    }
    // It does not begin anew with a stage.
    const slow = async (text) => {
      await sleep(60);
      return complete(text);
    };
    const executor = scripted(
      () => slow(core()),
      () => slow(order),
    );
    await failure(
      parseWith(executor, { schema: orderSchema, timeoutMs: 100 }),
      'MODEL_TIMEOUT',
      'data',
    );
  });

  test('holds at once, even if the executor ignores the signal or blocks the loop', async () => {
    const error = await failure(
      parseWith(executing(never), { timeoutMs: 1 }),
      'MODEL_TIMEOUT',
      'core',
    );
    expect(error.message).toContain('timeoutMs (1)');
    const blocking = executing(() => {
      const until = performance.now() + 50;
      while (performance.now() < until);
      return never();
    });
    await failure(parseWith(blocking, { timeoutMs: 1 }), 'MODEL_TIMEOUT', 'core');
  });

  test('0 is none, the largest is no overflow, others are no deadline', async () => {
    for (const timeoutMs of [0, 2147483647, undefined]) {
      const executor = scripted(async () => {
        await sleep(5);
        return complete(core());
      });
      expect((await parseWith(executor, { timeoutMs })).intents).toHaveLength(1);
    }
    for (const timeoutMs of [-1, 0.5, 2147483648, Infinity, Number.NaN, '100', null, 1n, [1]]) {
      expect(() => new Intent({ timeoutMs })).toThrow(
        expect.objectContaining({ code: 'CONFIG_INVALID', stage: 'config' }),
      );
    }
    expect(() => new Intent({ timeoutMs: -0 })).not.toThrow();
  });

  test('many of them', async () => {
    const intent = new Intent({
      executor: executing(never),
      timeoutMs: 20,
      limits: { maxConcurrentParses: 1000 },
    });
    const parses = Array.from({ length: 1000 }, () => intent.parse({ input: INPUT }));
    for (const { reason } of await Promise.allSettled(parses))
      expect(reason.code).toBe('MODEL_TIMEOUT');
    await intent.dispose();
  });
});

describe('dispose', () => {
  test('is immediate, and may be called again', async () => {
    const intent = new Intent({ executor: executing(never), schema: orderSchema });
    const parses = [1, 2].map(() => intent.parse({ input: INPUT }));
    const first = intent.dispose();
    const late = intent.parse({ input: INPUT });
    const second = intent.dispose();
    for (const parsing of parses) await failure(parsing, 'INSTANCE_DISPOSED', 'core');
    await failure(late, 'INSTANCE_DISPOSED', 'input');
    expect(await first).toBeUndefined();
    expect(await second).toBeUndefined();
    expect(await intent.dispose()).toBeUndefined();
  });

  test('without await, in the same turn', async () => {
    const intent = new Intent({ executor: scripted(core()) });
    intent.dispose();
    await failure(intent.parse({ input: INPUT }), 'INSTANCE_DISPOSED', 'input');
    for (const request of [undefined, null, {}, { input: ' ' }, { input: 'x', extra: 1 }])
      await failure(intent.parse(request), 'INSTANCE_DISPOSED', 'input');
  });

  test('keeps the core result of parses in the data stage', async () => {
    const intent = new Intent({ executor: scripted(core(), never), schema: orderSchema });
    const parsing = intent.parse({ input: INPUT });
    await turn();
    intent.dispose();
    const error = await failure(parsing, 'INSTANCE_DISPOSED', 'data');
    expect(error.partialResult.normalizedInput).toBe('Query order 000123.');
  });

  test('its promise waits for work that is running, not for executors', async () => {
    const idle = new Intent();
    expect(await isPending(idle.dispose())).toBe(false);
    const waits = deferred();
    const intent = new Intent({ executor: executing(() => waits.promise) });
    const parsing = failure(intent.parse({ input: INPUT }), 'INSTANCE_DISPOSED', 'core');
    expect(await isPending(intent.dispose())).toBe(false);
    await parsing;
    waits.resolve(complete(core()));
  });

  test('touches nothing but its own instance', async () => {
    const executor = executing(async () => {
      await turn();
      return complete(core());
    });
    const [a, b] = [new Intent({ executor }), new Intent({ executor })];
    const parses = [a.parse({ input: INPUT }), b.parse({ input: INPUT })];
    a.dispose();
    await failure(parses[0], 'INSTANCE_DISPOSED', 'core');
    expect((await parses[1]).intents).toHaveLength(1);
    await b.dispose();
  });

  test('has the symbols where the runtime has them', async () => {
    for (const [symbol, asynchronous] of [
      [Symbol.dispose, false],
      [Symbol.asyncDispose, true],
    ]) {
      if (symbol === undefined) continue;
      const intent = new Intent({ executor: scripted(core()) });
      const given = intent[symbol]();
      expect(given instanceof Promise).toBe(asynchronous);
      await given;
      await failure(intent.parse({ input: INPUT }), 'INSTANCE_DISPOSED', 'input');
    }
    expect(Object.keys(new Intent())).toEqual([]);
    expect(JSON.stringify(new Intent({ executor: scripted() }))).toBe('{}');
  });

  test('leaves nothing half-constructed after a failed constructor', () => {
    let read = 0;
    const executor = {
      get id() {
        read++;
        return 'x';
      },
      generate() {},
    };
    for (let i = 0; i < 3; i++)
      expect(() => new Intent({ executor, language: 'xx' })).toThrow(IntentError);
    expect(read).toBeGreaterThan(0);
    // Without `new` it is no constructor.
    expect(() => Intent({})).toThrow(TypeError);
  });
});

describe('the configuration is a snapshot', () => {
  test('later changes to passed objects have no effect', async () => {
    const schema = structuredClone(orderSchema);
    const limits = { maxInputBytes: 100 };
    const config = { schema, limits, language: 'en', executor: scripted(core(), order) };
    const { executor } = config;
    const intent = new Intent(config);
    schema.properties.orderId.type = 'integer';
    schema.properties.other = {};
    schema.required.push('other');
    limits.maxInputBytes = 1;
    config.language = 'zh-CN';
    config.executor = undefined;
    const result = await intent.parse({ input: INPUT });
    expect(result.data).toEqual({ orderId: '000123' });
    expect(executor.requests[0].input.structuredLanguage).toBe('en');
    await intent.dispose();
  });

  test('so is a request', async () => {
    const waits = deferred();
    const executor = scripted(() => waits.promise, order);
    const intent = new Intent({ executor, schema: orderSchema });
    const context = [{ role: 'user', content: 'before' }];
    const request = { input: INPUT, context, fields: ['orderId'] };
    const parsing = intent.parse(request);
    context[0].content = 'after';
    context.push({ role: 'user', content: 'more' });
    request.input = 'other';
    request.fields.length = 0;
    waits.resolve(complete(core()));
    const result = await parsing;
    expect([result.input, result.data]).toEqual([INPUT, { orderId: '000123' }]);
    expect(executor.requests[1].input.context).toEqual([
      { sourceId: 'context:0', role: 'user', content: 'before' },
    ]);
    await intent.dispose();
  });
});

describe('a payload is a function of configuration and request alone', () => {
  test('for any earlier, concurrent and intermediate requests', async () => {
    const schema = {
      type: 'object',
      properties: { orderId: { type: 'string' }, n: { type: 'integer' } },
    };
    const payloads = new Map();
    let calls = 0;
    const executor = executing(async ({ stage, payload, input }) => {
      const key = `${stage} ${input.currentInput} ${input.selectedFields} ${'repair' in input}`;
      payloads.set(key, (payloads.get(key) ?? new Set()).add(payload));
      if (calls++ % 3 === 0) await turn();
      if (stage === 'core') return complete('repair' in input || calls % 2 ? core() : '{');
      return complete('repair' in input || calls % 2 ? '{}' : '[');
    });
    const intent = new Intent({ executor, schema, limits: { maxConcurrentParses: 99 } });
    const again = new Intent({ executor, schema: structuredClone(schema) });
    const requests = [
      { input: 'a' },
      { input: 'a', fields: ['n'] },
      { input: 'b', fields: ['n', 'orderId'] },
      { input: 'b', context: 'c', fields: [] },
    ];
    for (let i = 0; i < 6; i++) {
      const parses = [intent, again].flatMap((one) =>
        requests.map((request) => one.parse(request)),
      );
      await Promise.allSettled(parses);
    }
    const core1 = [...payloads].filter(([key]) => key.startsWith('core') && key.endsWith('false'));
    expect(core1.length).toBe(2);
    for (const [key, variants] of payloads) {
      // The inputs `b` differ in their context; `a` has the same core question for all fields.
      const expected = key.startsWith('core b') ? 2 : 1;
      if (!key.endsWith('true')) expect(variants.size, key).toBe(expected);
    }
    await Promise.all([intent.dispose(), again.dispose()]);
  });
});

describe('processes and threads', () => {
  const prelude = `
    import { Intent } from '@devcodex/intent-runtime';
    const core = ${JSON.stringify(core())};
    const executor = { id: 'x', generate: async () => ({ outcome: 'complete', text: core }) };
    const never = { id: 'x', generate: () => new Promise(() => {}) };
  `;
  const run = (text, options) => runNode(prelude + text, options);

  test('an import, and an instance that is never disposed, keep no process', async () => {
    const runs = await Promise.all([
      run(''),
      run(`new Intent({ executor, timeoutMs: 100000 }); console.log('made');`),
      run(`const r = await new Intent({ executor }).parse({ input: 'x' });
           console.log(r.intents.length);`),
      run(`await new Intent({ executor: never, timeoutMs: 50 }).parse({ input: 'x' })
             .catch((error) => console.log(error.code));`),
      run(`const intent = new Intent({ executor: never, timeoutMs: 100000 });
           intent.parse({ input: 'x' }).catch((error) => console.log(error.code));
           intent.dispose();`),
      run(`const c = new AbortController();
           new Intent({ executor: never }).parse({ input: 'x', signal: c.signal })
             .catch((error) => console.log(error.code));
           c.abort();`),
    ]);
    expect(runs.map(({ stderr }) => stderr)).toEqual(runs.map(() => ''));
    expect(runs.map(({ code }) => code)).toEqual(runs.map(() => 0));
    expect(runs.map(({ stdout }) => stdout.trim())).toEqual([
      '',
      'made',
      '1',
      'MODEL_TIMEOUT',
      'INSTANCE_DISPOSED',
      'MODEL_ABORTED',
    ]);
  });

  test('a parse that runs keeps it, and nothing else is needed to', async () => {
    const deadline = await run(`
      const began = performance.now();
      new Intent({ executor: never, timeoutMs: 400 }).parse({ input: 'x' })
        .catch((error) => console.log(error.code, performance.now() - began >= 390));`);
    expect([deadline.code, deadline.stdout.trim()]).toEqual([0, 'MODEL_TIMEOUT true']);
    const open = await run(`new Intent({ executor: never }).parse({ input: 'x' });`, {
      timeoutMs: 1500,
    });
    expect([open.code, open.signal]).toEqual([null, 'SIGKILL']);
  });

  test('worker threads end in the middle of parses, and the process lives on', async () => {
    const text = `
      const { parentPort } = require('node:worker_threads');
      const { Intent } = require(${JSON.stringify(new URL('../js/index.js', import.meta.url).pathname)});
      const never = { id: 'x', generate: () => new Promise(() => {}) };
      const intent = new Intent({ executor: never, timeoutMs: 5 + Math.floor(Math.random() * 50), limits: { maxConcurrentParses: 50 } });
      for (let i = 0; i < 20; i++) intent.parse({ input: 'x' }).catch(() => {});
      parentPort.postMessage('asked');
      setInterval(() => {}, 1000);
    `;
    for (let round = 0; round < 4; round++) {
      await Promise.all(
        Array.from({ length: 5 }, async () => {
          const worker = new Worker(text, { eval: true });
          await new Promise((resolve, reject) => {
            worker.on('message', resolve);
            worker.on('error', reject);
          });
          await sleep(Math.random() * 40);
          expect(await worker.terminate()).toBe(1);
        }),
      );
    }
    // And here everything works as before.
    expect((await parseWith(scripted(core()))).intents).toHaveLength(1);
  }, 30_000);

  test('objects of another realm are plain objects too', async () => {
    const { runInNewContext } = await import('node:vm');
    const executor = scripted(core(), order);
    const config = runInNewContext(
      `({ schema: JSON.parse(schema), limits: { maxInputBytes: 99 }, executor })`,
      { schema: JSON.stringify(orderSchema), executor },
    );
    const intent = new Intent(config);
    const request = runInNewContext(
      `({ input, fields: ['orderId'], context: [{ role: 'user', content: 'x' }] })`,
      { input: INPUT },
    );
    expect((await intent.parse(request)).data).toEqual({ orderId: '000123' });
    await intent.dispose();
  });

  test('thousands of ended parses leave nothing behind', async () => {
    const { code, stdout, stderr } = await runNode(
      [
        '--expose-gc',
        '--input-type=module',
        '-e',
        `${prelude}
        const intent = new Intent({ executor, timeoutMs: 60000 });
        const limits = { maxConcurrentParses: 100 };
        const stuck = new Intent({ executor: never, timeoutMs: 1, limits });
        const { signal } = new AbortController();
        const round = async () => {
          for (let i = 0; i < 500; i++) await intent.parse({ input: 'x'.repeat(20_000), signal });
          for (let i = 0; i < 5; i++)
            await Promise.allSettled(
              Array.from({ length: 100 }, () => stuck.parse({ input: 'y'.repeat(40_000) })));
          gc();
          await new Promise((resolve) => setTimeout(resolve, 20));
          gc();
        };
        // Node.js 24 and later reserve tens of megabytes for short-lived objects in the first two rounds.
        for (let i = 0; i < 3; i++) await round();
        const before = process.memoryUsage();
        for (let i = 0; i < 2; i++) await round();
        const after = process.memoryUsage();
        console.log(((after.rss - before.rss) >> 20) + ' ' + ((after.heapUsed - before.heapUsed) >> 20));`,
      ],
      { timeoutMs: 60_000 },
    );
    expect([code, stderr]).toEqual([0, '']);
    const [rss, heap] = stdout.trim().split(' ').map(Number);
    // The questions of the last two rounds alone are 60 MB of text.
    expect(heap).toBeLessThan(4);
    expect(rss).toBeLessThan(24);
  }, 90_000);
});
