// Every behaviour of a JavaScript executor ends in one typed error or a result, never in an unhandled rejection
// or an uncaught exception (docs/lifecycle.md, "Executors").

import { Intent, IntentDataError, IntentError } from '@devcodex/intent-runtime';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  complete,
  core,
  data,
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

const strays = [];
const note = (problem) => strays.push(problem);
beforeEach(() => {
  strays.length = 0;
  process.on('unhandledRejection', note);
  process.on('uncaughtException', note);
});
afterEach(async () => {
  await turn();
  await turn();
  process.off('unhandledRejection', note);
  process.off('uncaughtException', note);
  expect(strays).toEqual([]);
});

const throws = () => {
  throw new Error('trap');
};
const bomb = () =>
  new Proxy(() => {}, {
    get: throws,
    has: throws,
    getPrototypeOf: throws,
    ownKeys: throws,
    getOwnPropertyDescriptor: throws,
    apply: throws,
  });
const revoked = () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};

describe('values that it throws', () => {
  const thrown = {
    'an error': new Error('mine'),
    'a string': 'mine',
    undefined: undefined,
    null: null,
    NaN: Number.NaN,
    'a symbol': Symbol('mine'),
    'a function': () => {},
    'a proxy of traps': bomb(),
    'a revoked proxy': revoked(),
    'what only looks like an IntentError': {
      code: 'MODEL_TIMEOUT',
      stage: 'model',
      message: 'm',
      issues: [],
    },
    'an object on the prototype of IntentError': Object.create(IntentError.prototype),
    'a proxy of an IntentError': new Proxy(new IntentError('MODEL_TIMEOUT'), {}),
  };
  for (const [name, value] of Object.entries(thrown)) {
    for (const [how, generate] of Object.entries({
      'in the call': () => {
        throw value;
      },
      'as a rejection': () => Promise.reject(value),
      later: async () => {
        await turn();
        throw value;
      },
    })) {
      test(`${name}, ${how}`, async () => {
        const error = await failure(
          parseWith(executing(generate)),
          'MODEL_REQUEST_FAILED',
          'model',
        );
        expect('cause' in error).toBe(true);
        expect(Object.is(error.cause, value)).toBe(true);
        expect(JSON.parse(JSON.stringify(error))).not.toHaveProperty('cause');
        expect(error.partialResult).toBeUndefined();
      });
    }
  }

  test('after core has succeeded, with the core result', async () => {
    const executor = scripted(core(), () => {
      throw 'mine';
    });
    const error = await failure(
      parseWith(executor, { schema: orderSchema }),
      'MODEL_REQUEST_FAILED',
      'model',
    );
    expect(error.cause).toBe('mine');
    expect(error.partialResult.data).toEqual({});
    expect(error.partialResult.intents).toHaveLength(1);
    expect(error.toJSON().partialResult).toEqual(error.partialResult);
  });
});

describe('an IntentError that it throws passes through', () => {
  const issue = {
    code: 'DATA_AMBIGUOUS',
    category: 'business_information',
    path: '/data/orderId',
    message: 'Two of them.',
  };
  const errors = [
    new IntentError('MODEL_RATE_LIMITED'),
    new IntentError('MODEL_AUTH_FAILED', { message: 'The key is old.', stage: 'config' }),
    new IntentError('BRIDGE_JOB_EXPIRED', 'bridge', 'Strange, but mine.', [issue]),
    new IntentDataError('DATA_EXTRACTION_FAILED', { issues: [issue, issue], cause: 'why' }),
    new IntentError('RESOURCE_LIMIT', { stage: 'model', message: '' }),
    new IntentError('MODEL_REQUEST_FAILED', { message: 'lone \ud800 half' }),
  ];
  for (const error of errors) {
    test(error.code, async () => {
      const before = error.toJSON();
      const passed = await failure(
        parseWith(
          executing(() => {
            throw error;
          }),
        ),
        error.code,
        error.stage,
      );
      expect(passed).not.toBe(error);
      expect(passed.cause).toBe(error);
      expect(passed.message).toBe(error.message.toWellFormed());
      expect(passed.issues).toEqual(error.issues);
      expect(error.toJSON()).toEqual(before);
      expect('partialResult' in passed).toBe(false);
    });
  }

  test('with the core result of its own recognition, not with the partialResult that it had', async () => {
    const error = new IntentError('MODEL_RATE_LIMITED');
    error.partialResult = { input: 'forged' };
    const schema = orderSchema;
    const first = await failure(
      parseWith(
        scripted(() => Promise.reject(error)),
        { schema },
      ),
      'MODEL_RATE_LIMITED',
    );
    expect('partialResult' in first).toBe(false);
    const second = await failure(
      parseWith(
        scripted(core(), () => Promise.reject(error)),
        { schema },
      ),
      'MODEL_RATE_LIMITED',
    );
    expect(second.partialResult.input).toBe(INPUT);
    expect(error.partialResult).toEqual({ input: 'forged' });
  });

  test('and one that is thrown to two parses is unchanged', async () => {
    const error = new IntentError('MODEL_RATE_LIMITED');
    const intent = new Intent({ executor: executing(() => Promise.reject(error)) });
    const [a, b] = await Promise.all(
      [1, 2].map(() => failure(intent.parse({ input: INPUT }), 'MODEL_RATE_LIMITED')),
    );
    expect(a).not.toBe(b);
    expect([a.cause, b.cause]).toEqual([error, error]);
    await intent.dispose();
  });
});

describe('replies', () => {
  const good = {
    'no promise': () => complete(core()),
    'a promise': async () => complete(core()),
    'a promise of another class': () =>
      new (class Mine extends Promise {})((resolve) => resolve(complete(core()))),
    'a synchronous thenable': () => ({
      // biome-ignore lint/suspicious/noThenProperty: it is the subject of the test
      then: (resolve) => resolve(complete(core())),
    }),
    'a thenable that resolves twice, then rejects, then throws': () => ({
      // biome-ignore lint/suspicious/noThenProperty: it is the subject of the test
      then(resolve, reject) {
        resolve(complete(core()));
        resolve(complete('nonsense'));
        reject(new Error('late'));
        throw new Error('later');
      },
    }),
    'a promise with a `then` of its own that calls everything': () => {
      const promise = Promise.resolve();
      // biome-ignore lint/suspicious/noThenProperty: it is the subject of the test
      promise.then = (resolve, reject) => {
        resolve(complete(core()));
        resolve(complete('nonsense'));
        reject(new Error('late'));
        throw new Error('later');
      };
      return promise;
    },
    'a promise with a `then` that gives a rejected promise': () => {
      const promise = Promise.resolve();
      // biome-ignore lint/suspicious/noThenProperty: it is the subject of the test
      promise.then = (resolve) => {
        resolve(complete(core()));
        const rejected = Promise.prototype.then.call(Promise.resolve(), throws);
        Promise.prototype.then.call(rejected, undefined, () => {});
        return rejected;
      };
      return promise;
    },
    'a thenable of a thenable': () => ({
      // biome-ignore lint/suspicious/noThenProperty: it is the subject of the test
      then: (outer) =>
        outer({
          // biome-ignore lint/suspicious/noThenProperty: it is the subject of the test
          then: (inner) => setTimeout(() => inner(complete(core())), 1),
        }),
    }),
    'an instance of a class': async () =>
      new (class {
        get outcome() {
          return 'complete';
        }
        get text() {
          return core();
        }
      })(),
    'further keys and odd usage': async () => ({
      ...complete(core()),
      usage: bomb(),
      model: 'm',
      [Symbol('s')]: 1,
      get other() {
        return throws();
      },
    }),
    'usage that throws when it is read': async () => ({
      ...complete(core()),
      get usage() {
        return throws();
      },
    }),
    'a frozen object without prototype': async () =>
      Object.freeze(Object.assign(Object.create(null), complete(core()))),
  };
  for (const [name, generate] of Object.entries(good)) {
    test(`${name}: a result`, async () => {
      const result = await parseWith(executing(generate));
      expect(result.intents[0].target).toBe('order 000123');
    });
  }

  const failing = {
    'a getter of outcome that throws': () => ({
      get outcome() {
        return throws();
      },
    }),
    'a getter of text that throws': async () => ({
      outcome: 'complete',
      get text() {
        return throws();
      },
    }),
    'a getter of detail that throws': async () => ({
      outcome: 'refusal',
      get detail() {
        return throws();
      },
    }),
    'a getter of then that throws': () => ({
      // biome-ignore lint/suspicious/noThenProperty: it is the subject of the test
      get then() {
        return throws();
      },
    }),
    'a thenable that throws before it settles': () => ({
      // biome-ignore lint/suspicious/noThenProperty: it is the subject of the test
      then: throws,
    }),
    'a proxy of traps': () => bomb(),
    'a promise whose constructor throws': () =>
      Object.defineProperty(Promise.resolve(), 'constructor', { get: throws }),
  };
  for (const [name, generate] of Object.entries(failing)) {
    test(`${name}: MODEL_REQUEST_FAILED`, async () => {
      const error = await failure(parseWith(executing(generate)), 'MODEL_REQUEST_FAILED', 'model');
      expect(error.cause.message).toBe('trap');
    });
  }

  const shapes = [
    undefined,
    null,
    true,
    0,
    '',
    core(),
    Symbol('s'),
    [],
    [complete(core())],
    () => {},
    {},
    { text: core() },
    { outcome: undefined, text: core() },
    { outcome: 'Complete', text: core() },
    { outcome: 'completed', text: core() },
    { outcome: 'error', detail: 'x' },
    { outcome: ['complete'], text: core() },
    { outcome: new String('complete'), text: core() },
    { outcome: 'complete' },
    { outcome: 'complete', text: undefined },
    { outcome: 'complete', text: null },
    { outcome: 'complete', text: 1 },
    { outcome: 'complete', text: JSON.parse(core()) },
    { outcome: 'complete', text: new String(core()) },
    { outcome: 'complete', text: Buffer.from(core()) },
    { outcome: 'complete', detail: core() },
    { outcome: 'refusal', detail: 1 },
    { outcome: 'refusal', detail: null },
    { outcome: 'incomplete', detail: {} },
    { choices: [] },
    new Response('{}'),
  ];
  test('a reply of any other shape is MODEL_OUTPUT_INVALID, and is not repaired', async () => {
    for (const shape of shapes) {
      const executor = scripted(() => shape, core());
      const error = await failure(parseWith(executor), 'MODEL_OUTPUT_INVALID', 'core', /outcome/);
      expect(executor.requests.length).toBe(1);
      expect('cause' in error).toBe(false);
      const second = scripted(core(), () => shape, order);
      const later = await failure(
        parseWith(second, { schema: orderSchema }),
        'MODEL_OUTPUT_INVALID',
        'data',
      );
      expect(second.requests.length).toBe(2);
      expect(later.partialResult.data).toEqual({});
    }
  });

  test('refusal and incomplete, with and without detail, in both stages', async () => {
    for (const [outcome, code] of [
      ['refusal', 'MODEL_REFUSED'],
      ['incomplete', 'MODEL_OUTPUT_INCOMPLETE'],
    ]) {
      for (const stage of ['core', 'data']) {
        const before = stage === 'core' ? [] : [core()];
        const ended = (reply) =>
          failure(parseWith(scripted(...before, reply), { schema: orderSchema }), code, stage);
        const plain = await ended({ outcome });
        expect('partialResult' in plain).toBe(stage === 'data');
        expect((await ended({ outcome, detail: undefined })).message).toBe(plain.message);
        expect((await ended({ outcome, detail: ' ' })).message).toBe(plain.message);
        expect((await ended({ outcome, detail: 'Not this one.' })).message).toContain(
          'Not this one.',
        );
        expect((await ended({ outcome, detail: 'a\ud800b' })).message.isWellFormed()).toBe(true);
        const long = await ended({ outcome, detail: '中'.repeat(1e6) });
        expect(Buffer.byteLength(long.message)).toBeLessThan(4096);
        // Text beside it is no candidate.
        await ended({ outcome, text: core() });
      }
    }
  });
});

describe('how it is called', () => {
  test('as a method of the very object, which may be of any class', async () => {
    class Counted {
      #calls = 0;
      id = 'counted';
      get calls() {
        return this.#calls;
      }
      async generate() {
        this.#calls++;
        return complete(core());
      }
    }
    const executor = new Counted();
    const intent = new Intent({ executor });
    await intent.parse({ input: INPUT });
    await intent.parse({ input: INPUT });
    expect(executor.calls).toBe(2);
    await intent.dispose();

    const callable = Object.assign(() => {}, { id: 'f', generate: async () => complete(core()) });
    Object.defineProperty(callable, 'name', { value: 'f' });
    await parseWith(callable);
  });

  test('with one request, and `generate` is looked up at each call', async () => {
    const calls = [];
    const executor = {
      id: 'changing',
      generate(...args) {
        calls.push(['first', args.length, this === executor]);
        executor.generate = function (...rest) {
          calls.push(['second', rest.length, this === executor]);
          return complete(order);
        };
        return complete(core());
      },
    };
    const intent = new Intent({ executor, schema: orderSchema });
    expect((await intent.parse({ input: INPUT })).data).toEqual({ orderId: '000123' });
    expect(calls).toEqual([
      ['first', 1, true],
      ['second', 1, true],
    ]);
    executor.generate = undefined;
    const error = await failure(intent.parse({ input: INPUT }), 'MODEL_REQUEST_FAILED', 'model');
    expect(error.cause).toBeInstanceOf(TypeError);
    Object.defineProperty(executor, 'generate', { get: throws });
    expect((await failure(intent.parse({ input: INPUT }), 'MODEL_REQUEST_FAILED')).cause).toEqual(
      new Error('trap'),
    );
    await intent.dispose();
  });

  test('a changed id or capabilities change nothing', async () => {
    const executor = scripted(core());
    const intent = new Intent({ executor });
    executor.id = 7;
    executor.capabilities = { supportsAbort: false };
    expect((await intent.parse({ input: INPUT })).intents).toHaveLength(1);
    await intent.dispose();
  });

  test('it may parse, abort and dispose within the call', async () => {
    const nested = new Intent({ executor: scripted(core({ normalizedInput: 'inner' })) });
    const controller = new AbortController();
    let intent;
    const answers = [
      async () => {
        const inner = await nested.parse({ input: 'inner' });
        return complete(core({ normalizedInput: `outer of ${inner.normalizedInput}` }));
      },
      () => {
        // The instance itself, while it is asking.
        const again = intent.parse({ input: 'again' });
        return again.then(() => complete(core({ normalizedInput: 'around' })));
      },
      () => complete(core({ normalizedInput: 'again' })),
      () => {
        controller.abort();
        return complete(core());
      },
      () => {
        intent.dispose();
        return complete(core());
      },
    ];
    let calls = 0;
    intent = new Intent({ executor: executing((request) => answers[calls++](request)) });
    expect((await intent.parse({ input: INPUT })).normalizedInput).toBe('outer of inner');
    expect((await intent.parse({ input: INPUT })).normalizedInput).toBe('around');
    await failure(
      intent.parse({ input: INPUT, signal: controller.signal }),
      'MODEL_ABORTED',
      'core',
    );
    await failure(intent.parse({ input: INPUT }), 'INSTANCE_DISPOSED', 'core');
    await failure(intent.parse({ input: INPUT }), 'INSTANCE_DISPOSED', 'input');
    expect(calls).toBe(5);
    await nested.dispose();
    await intent.dispose();
  });
});

describe('the request that it is given', () => {
  const schema = { ...orderSchema, description: 'An order.' };
  const described = (name) => data({ orderId: '000123' }, { described: ['/data', ...name] });

  test('has the members of the type and no others', async () => {
    const executor = scripted(core(), described([]));
    await parseWith(executor, { schema });
    for (const request of executor.requests) {
      expect(Object.keys(request).sort()).toEqual(
        ['format', 'input', 'instructions', 'outputSchema', 'payload', 'signal', 'stage'].sort(),
      );
      expect(request.input).toEqual(JSON.parse(request.payload));
      expect(request.input).toBe(request.input);
      expect(request.signal).toBe(request.signal);
      expect(request.signal).toBeInstanceOf(AbortSignal);
    }
    const [first, second] = executor.requests;
    expect([first.stage, second.stage]).toEqual(['core', 'data']);
    expect(first.format).toEqual({
      kind: 'json_schema',
      name: 'intent_core',
      schema: first.outputSchema,
    });
    expect(second.format).toEqual({ kind: 'json_object' });
    expect(Object.keys(second.outputSchema.properties)).toEqual([
      'data',
      'evidence',
      'descriptionChecks',
      'fieldResults',
      'issues',
    ]);
    expect(second.outputSchema.properties.data).toEqual(second.input.selectedSchema);
    expect(first.instructions).not.toBe(second.instructions);
  });

  test('survives spreading, JSON and structuredClone of its parts', async () => {
    let copied;
    const executor = executing((request) => {
      copied = { ...request };
      JSON.stringify(request);
      structuredClone(request.input);
      return complete(core());
    });
    await parseWith(executor);
    expect(copied.input.currentInput).toBe(INPUT);
    expect(copied.payload).toBe(JSON.stringify(copied.input));
  });

  test('is its own: changes to it affect no other request', async () => {
    const wreck = (request) => {
      for (const part of [request.input, request.format, request.outputSchema]) {
        for (const key of Object.keys(part)) delete part[key];
        part.wrecked = true;
      }
      for (const key of Object.keys(request)) {
        try {
          request[key] = 'wrecked';
        } catch {
          // As it should be.
        }
      }
      try {
        delete request.payload;
      } catch {
        // Likewise.
      }
    };
    const seen = [];
    let calls = 0;
    const executor = executing((request) => {
      const { stage, instructions, payload, input, format, outputSchema } = request;
      seen.push(structuredClone({ stage, instructions, payload, input, format, outputSchema }));
      wreck(request);
      return complete(calls++ % 2 === 0 ? core() : described([]));
    });
    const intent = new Intent({ executor, schema });
    for (let i = 0; i < 3; i++) {
      const result = await intent.parse({ input: INPUT });
      expect(result.data).toEqual({ orderId: '000123' });
      result.intents.length = 0;
      result.data.orderId = 'changed';
    }
    expect(seen.slice(2, 4)).toEqual(seen.slice(0, 2));
    expect(seen.slice(4, 6)).toEqual(seen.slice(0, 2));
    await intent.dispose();
  });

  test('its input is parsed when it is read, and then once', async () => {
    const parse = JSON.parse;
    let parsed = [];
    JSON.parse = (text, ...rest) => {
      parsed.push(text);
      return parse(text, ...rest);
    };
    try {
      const lazy = executing(() => complete(core()));
      const marked = { input: 'Query 000123, MARKED.' };
      await parseWith(lazy, { request: marked });
      expect(parsed.filter((text) => text.startsWith('{"structuredLanguage"'))).toEqual([]);
      parsed = [];
      const eager = executing((request) => {
        expect(request.input).toBe(request.input);
        return complete(core());
      });
      await parseWith(eager, { request: marked });
      expect(parsed.filter((text) => text.startsWith('{"structuredLanguage"'))).toHaveLength(1);
    } finally {
      JSON.parse = parse;
    }
  });

  test('the same instructions for every request of a stage', async () => {
    const executor = scripted(core(), '{', described([]));
    await parseWith(executor, { schema });
    const other = scripted('{', core(), data({ n: 1 }));
    await parseWith(other, {
      language: 'zh-CN',
      schema: { type: 'object', properties: { n: { type: 'integer' } } },
    });
    const texts = (stage) =>
      new Set(
        [...executor.requests, ...other.requests]
          .filter((request) => request.stage === stage)
          .map(({ instructions }) => instructions),
      );
    expect(texts('core').size).toBe(1);
    expect(texts('data').size).toBe(1);
  });
});

describe('the signal that it is given', () => {
  /** Runs a parse; gives the signal as the executor got it, and what it says at the end. */
  const watched = async (answer, end) => {
    let signal;
    const fired = [];
    const executor = executing((request) => {
      signal = request.signal;
      signal.addEventListener('abort', () => fired.push(signal.reason));
      expect(signal.aborted).toBe(false);
      return answer(request);
    });
    const intent = new Intent({ executor, timeoutMs: 60 });
    const controller = new AbortController();
    const parsing = intent.parse({ input: INPUT, signal: controller.signal });
    const outcome = parsing.then(
      (result) => ({ result }),
      (error) => ({ error }),
    );
    await end?.({ intent, controller });
    const { result, error } = await outcome;
    await intent.dispose();
    expect(signal.aborted).toBe(true);
    expect(fired).toHaveLength(1);
    return { result, error, reason: signal.reason };
  };
  const never = () => new Promise(() => {});

  test('is aborted once on success', async () => {
    const { result, reason } = await watched(() => complete(core()));
    expect(result.intents).toHaveLength(1);
    expect(reason.name).toBe('AbortError');
  });

  test('and on each error, with that error as the reason', async () => {
    for (const [code, stage, answer, end] of [
      ['MODEL_REQUEST_FAILED', 'model', throws],
      ['MODEL_OUTPUT_INVALID', 'core', () => ({})],
      ['MODEL_REFUSED', 'core', () => ({ outcome: 'refusal' })],
      ['MODEL_OUTPUT_INCOMPLETE', 'core', () => ({ outcome: 'incomplete' })],
      ['LIMIT_EXCEEDED', 'core', () => complete('x'.repeat(300_000))],
      ['MODEL_TIMEOUT', 'core', never],
      ['MODEL_ABORTED', 'core', never, ({ controller }) => controller.abort()],
      ['INSTANCE_DISPOSED', 'core', never, ({ intent }) => void intent.dispose()],
    ]) {
      const { error, reason } = await watched(answer, end);
      expect(`${error.code}/${error.stage}`).toBe(`${code}/${stage}`);
      expect(reason).toBe(error);
    }
  });

  test('is aborted already where it is first read after the end', async () => {
    let kept;
    const executor = executing((request) => {
      kept = request;
      return complete(core());
    });
    await parseWith(executor);
    expect(kept.signal.aborted).toBe(true);
    kept = undefined;
    // Long enough for the executor to be asked on a busy machine.
    await failure(
      parseWith(
        executing((request) => {
          kept = request;
          return never();
        }),
        { timeoutMs: 500 },
      ),
      'MODEL_TIMEOUT',
      'core',
    );
    expect(kept.signal.reason.code).toBe('MODEL_TIMEOUT');
  });

  test('is one for both stages, and not aborted between them', async () => {
    const signals = [];
    const executor = scripted(
      (request) => {
        signals.push(request.signal);
        return complete(core());
      },
      (request) => {
        signals.push(request.signal);
        expect(request.signal.aborted).toBe(false);
        return complete(order);
      },
    );
    await parseWith(executor, { schema: orderSchema });
    expect(signals[0]).toBe(signals[1]);
    expect(signals[0].aborted).toBe(true);
  });
});

describe('after the end', () => {
  const ends = {
    // Long enough for a busy machine to reach the second stage before.
    deadline: { code: 'MODEL_TIMEOUT', config: { timeoutMs: 300 }, end: () => {} },
    abort: { code: 'MODEL_ABORTED', end: ({ controller }) => controller.abort() },
    disposal: { code: 'INSTANCE_DISPOSED', end: ({ intent }) => void intent.dispose() },
  };
  for (const [name, { code, config, end }] of Object.entries(ends)) {
    test(`a late answer, rejection or throw has no effect: ${name}`, async () => {
      for (const late of [
        (waits) => waits.resolve(complete(core())),
        (waits) => waits.resolve(undefined),
        (waits) => waits.resolve(bomb()),
        (waits) => waits.reject(new Error('late')),
        (waits) => waits.reject(undefined),
        (waits) => waits.reject(bomb()),
        (waits) => waits.reject(new IntentError('MODEL_RATE_LIMITED')),
      ]) {
        for (const stage of ['core', 'data']) {
          const waits = deferred();
          const before = stage === 'core' ? [] : [core()];
          const executor = scripted(...before, () => waits.promise);
          const intent = new Intent({ executor, schema: orderSchema, ...config });
          const controller = new AbortController();
          const parsing = intent.parse({ input: INPUT, signal: controller.signal });
          const rejected = failure(parsing, code, stage);
          while (executor.requests.length <= before.length) await turn();
          end({ intent, controller });
          const error = await rejected;
          expect('partialResult' in error).toBe(stage === 'data');
          expect('cause' in error).toBe(name === 'abort');
          late(waits);
          await turn();
          await intent.dispose();
        }
      }
    });
  }

  test('an executor that rejects because of the abort is not the cause of the end', async () => {
    const executor = executing(
      ({ signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    );
    await failure(parseWith(executor, { timeoutMs: 10 }), 'MODEL_TIMEOUT', 'core');
    const intent = new Intent({ executor });
    const controller = new AbortController();
    const parsing = intent.parse({ input: INPUT, signal: controller.signal });
    controller.abort(new Error('mine'));
    await failure(parsing, 'MODEL_ABORTED', 'core');
    await intent.dispose();
  });
});
