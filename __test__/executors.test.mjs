// `retrying` and `fallback`: what they ask again, what they leave alone, and what stays behind.

import { Intent, IntentError } from '@devcodex/intent-runtime';
import { fallback, retrying } from '@devcodex/intent-runtime/executors';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  complete,
  core,
  deferred,
  executing,
  failure,
  INPUT,
  parseWith,
  refusal,
} from './support/model.mjs';
import { runNode } from './support/process.mjs';

const HOUR = 3_600_000;
const OPTIONS = { attempts: 3, maxDelayMs: 10_000 };

/** An error as a service's failure makes it. */
const failed = (code, { retryable = true, http } = {}) =>
  new IntentError(code, { retryable, http });
const limited = (retryAfterMs) =>
  failed('MODEL_RATE_LIMITED', { http: { status: 429, retryAfterMs } });

/** Throws these in turn, then answers; `asked` has the requests. */
const failing = (...errors) => {
  const asked = [];
  return {
    id: 'failing',
    asked,
    async generate(request) {
      asked.push(request);
      if (asked.length <= errors.length) throw errors[asked.length - 1];
      return complete(core());
    },
  };
};

const request = (signal) => ({ stage: 'core', instructions: 'i', payload: '{}', signal });

/** Records the outcome of a promise, without waiting for it. */
const watched = (promise) => {
  const state = { end: 'open' };
  promise.then(
    (value) => Object.assign(state, { end: 'ok', value }),
    (error) => Object.assign(state, { end: 'failed', error }),
  );
  return state;
};

describe('retrying', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => {
    expect(vi.getTimerCount(), 'no timer stays behind').toBe(0);
    vi.useRealTimers();
  });
  const pass = (ms) => vi.advanceTimersByTimeAsync(ms);

  test('asks again where the error is retryable, up to the attempts', async () => {
    for (let failures = 0; failures <= 4; failures++) {
      const inner = failing(...Array.from({ length: failures }, () => failed('MODEL_TIMEOUT')));
      const state = watched(retrying(inner, OPTIONS).generate(request()));
      await pass(HOUR);
      expect(inner.asked).toHaveLength(Math.min(failures + 1, 3));
      expect(state.end).toBe(failures < 3 ? 'ok' : 'failed');
      if (failures >= 3) expect(state.error.code).toBe('MODEL_TIMEOUT');
    }
  });

  test('throws an error that is not retryable at once and unchanged', async () => {
    const throwing = new Proxy(
      {},
      {
        get() {
          throw new Error('a getter');
        },
      },
    );
    const thrown = [
      failed('MODEL_AUTH_FAILED', { retryable: false }),
      new TypeError('x'),
      'a string',
      undefined,
      null,
      { retryable: 'yes' },
      Object.assign(new Error('x'), { retryable: 1 }),
      throwing,
    ];
    for (const value of thrown) {
      const inner = failing(value);
      await expect(
        retrying(inner, OPTIONS)
          .generate(request())
          .catch((error) => {
            if (error !== value) throw new Error('another error');
            return 'the same';
          }),
      ).resolves.toBe('the same');
      expect(inner.asked).toHaveLength(1);
    }
  });

  test('an executor that throws before it returns a promise', async () => {
    let asked = 0;
    const inner = executing(() => {
      asked++;
      throw failed('MODEL_REQUEST_FAILED');
    });
    const state = watched(retrying(inner, OPTIONS).generate(request()));
    await pass(HOUR);
    expect([asked, state.error.code]).toEqual([3, 'MODEL_REQUEST_FAILED']);
  });

  test('pauses grow by two, with jitter, and are never longer than maxDelayMs', async () => {
    const delays = [];
    for (let round = 0; round < 50; round++) {
      const inner = failing(...Array.from({ length: 9 }, () => failed('MODEL_TIMEOUT')));
      const on = ({ attempt, delayMs }) => {
        delays[attempt] ??= [];
        delays[attempt].push(delayMs);
      };
      retrying(inner, { attempts: 10, maxDelayMs: 20_000, on })
        .generate(request())
        .catch(() => {});
      await pass(HOUR);
    }
    delays.forEach((seen, attempt) => {
      const most = Math.min(20_000, 500 * 2 ** (attempt - 1));
      expect(Math.max(...seen)).toBeLessThanOrEqual(most);
      expect(Math.min(...seen)).toBeGreaterThanOrEqual(most / 2);
      expect(new Set(seen).size).toBeGreaterThan(40);
    });
    expect(delays).toHaveLength(10);
  });

  test('waits as long as the service asks, never shorter', async () => {
    const inner = failing(limited(7000));
    const state = watched(retrying(inner, OPTIONS).generate(request()));
    await pass(6999);
    expect(inner.asked).toHaveLength(1);
    await pass(3001);
    expect(state.end).toBe('ok');
  });

  test('a Retry-After of an hour is not waited for, and not ignored', async () => {
    const error = limited(HOUR);
    const inner = failing(error);
    const heard = [];
    const executor = retrying(inner, { ...OPTIONS, on: (event) => heard.push(event) });
    await expect(executor.generate(request())).rejects.toBe(error);
    expect(inner.asked).toHaveLength(1);
    expect(heard).toEqual([]);
    // Unless the caller has that much time.
    const patient = failing(limited(HOUR));
    const state = watched(
      retrying(patient, { attempts: 2, maxDelayMs: 2 * HOUR }).generate(request()),
    );
    await pass(HOUR - 1);
    expect(patient.asked).toHaveLength(1);
    await pass(HOUR);
    expect(state.end).toBe('ok');
  });

  test('an odd retryAfterMs counts as none', async () => {
    for (const odd of [Number.NaN, -1, '5', null, Number.POSITIVE_INFINITY, {}]) {
      const inner = failing(limited(odd));
      const state = watched(retrying(inner, OPTIONS).generate(request()));
      await pass(500);
      expect(state.end, String(odd)).toBe('ok');
    }
  });

  test('an abort ends a pause at once, with the reason of the signal', async () => {
    const reason = new IntentError('MODEL_TIMEOUT', { stage: 'core' });
    for (const [given, code] of [
      [reason, 'MODEL_TIMEOUT'],
      ['enough', 'MODEL_ABORTED'],
    ]) {
      const controller = new AbortController();
      const listeners = vi.spyOn(controller.signal, 'removeEventListener');
      const inner = failing(limited(9000));
      const state = watched(retrying(inner, OPTIONS).generate(request(controller.signal)));
      await pass(1000);
      expect(state.end).toBe('open');
      controller.abort(given);
      await pass(0);
      expect([state.end, state.error.code]).toEqual(['failed', code]);
      expect(inner.asked).toHaveLength(1);
      expect(listeners).toHaveBeenCalledTimes(1);
    }
  });

  test('an abort during a call ends it without another', async () => {
    const controller = new AbortController();
    const gate = deferred();
    let asked = 0;
    const inner = executing(() => {
      asked++;
      return gate.promise;
    });
    const state = watched(retrying(inner, OPTIONS).generate(request(controller.signal)));
    controller.abort();
    gate.reject(failed('MODEL_REQUEST_FAILED'));
    await pass(HOUR);
    expect([asked, state.error.code]).toEqual([1, 'MODEL_ABORTED']);
    // And nothing is asked where it was aborted before.
    await failure(retrying(inner, OPTIONS).generate(request(controller.signal)), 'MODEL_ABORTED');
    expect(asked).toBe(1);
  });

  test('a hundred pauses leave no listener on a signal', async () => {
    const { signal } = new AbortController();
    const counts = { add: 0, remove: 0 };
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args) => {
      counts.add++;
      return add(...args);
    };
    signal.removeEventListener = (...args) => {
      counts.remove++;
      return remove(...args);
    };
    const inner = failing(...Array.from({ length: 99 }, () => failed('MODEL_TIMEOUT')));
    const executor = retrying(inner, { attempts: 100, maxDelayMs: 10 });
    const state = watched(executor.generate(request(signal)));
    await pass(HOUR);
    expect(state.end).toBe('ok');
    expect(counts.add).toBe(99);
    expect(counts.remove).toBe(99);
  });

  test('on hears each pause, and changes nothing', async () => {
    const heard = [];
    const nasty = [
      () => {
        throw new Error('a listener');
      },
      async () => {
        throw new Error('a listener');
      },
      () => ({
        // biome-ignore lint/suspicious/noThenProperty: a listener may return anything.
        get then() {
          throw new Error('a thenable');
        },
      }),
    ];
    for (const act of nasty) {
      const error = failed('MODEL_TIMEOUT');
      const on = (event) => {
        heard.push(event);
        return act();
      };
      const inner = failing(error, error);
      const state = watched(retrying(inner, { ...OPTIONS, on }).generate(request()));
      await pass(HOUR);
      expect(state.end).toBe('ok');
      const events = heard.splice(0);
      expect(events).toEqual(
        [1, 2].map((attempt) => ({
          executor: 'failing',
          attempt,
          attempts: 3,
          delayMs: expect.any(Number),
          error,
        })),
      );
    }
  });

  test('maxDelayMs 0 asks again at once', async () => {
    const inner = failing(failed('MODEL_TIMEOUT'), failed('MODEL_TIMEOUT'));
    const state = watched(retrying(inner, { attempts: 3, maxDelayMs: 0 }).generate(request()));
    await pass(2);
    expect(state.end).toBe('ok');
  });
});

describe('retrying within a parse', () => {
  test.each([
    ['a bare failure', {}, 1],
    ['a status of 503', { http: { status: 503 } }, 3],
    ['a status of 400', { http: { status: 400 } }, 1],
    ['retryable: true', { retryable: true }, 3],
  ])('an own executor that throws %s is asked so often', async (_, options, attempts) => {
    const error = new IntentError('MODEL_REQUEST_FAILED', options);
    const inner = failing(error, error, error);
    const intent = new Intent({ executor: retrying(inner, { attempts: 3, maxDelayMs: 1 }) });
    await failure(intent.parse({ input: INPUT }), 'MODEL_REQUEST_FAILED');
    expect(inner.asked.length).toBe(attempts);
    await intent.dispose();
  });

  test('a recognition of two attempts', async () => {
    const inner = failing(failed('MODEL_TIMEOUT'));
    const result = await parseWith(retrying(inner, { attempts: 2, maxDelayMs: 1 }));
    expect(result.intents).toHaveLength(1);
    expect(inner.asked).toHaveLength(2);
    // Both attempts are about the same question.
    expect(inner.asked[1].payload).toBe(inner.asked[0].payload);
  });

  test('the deadline ends a pause of an hour', async () => {
    const inner = failing(limited(HOUR));
    const executor = retrying(inner, { attempts: 2, maxDelayMs: 2 * HOUR });
    await failure(parseWith(executor, { timeoutMs: 20 }), 'MODEL_TIMEOUT', 'core');
  });

  test('the caller and a disposal end a pause', async () => {
    for (const [end, code] of [
      [(_, controller) => controller.abort(), 'MODEL_ABORTED'],
      [(intent) => intent.dispose(), 'INSTANCE_DISPOSED'],
    ]) {
      const waiting = deferred();
      const executor = retrying(failing(limited(HOUR)), {
        attempts: 2,
        maxDelayMs: 2 * HOUR,
        on: () => waiting.resolve(),
      });
      const controller = new AbortController();
      const intent = new Intent({ executor });
      const parse = intent.parse({ input: INPUT, signal: controller.signal });
      await waiting.promise;
      end(intent, controller);
      await failure(parse, code, 'core');
      await intent.dispose();
    }
  });

  test('an ended parse does not keep the process alive, a running one does', async () => {
    const program = (ending) => `
      import { Intent, IntentError } from '@devcodex/intent-runtime';
      import { retrying } from '@devcodex/intent-runtime/executors';
      let asked = 0;
      const inner = { id: 'x', async generate() {
        asked++;
        throw new IntentError('MODEL_TIMEOUT', { retryable: true, http: { status: 503, retryAfterMs: ${ending === 'timeout' ? HOUR : 50} } });
      } };
      const intent = new Intent({ executor: retrying(inner, { attempts: 2, maxDelayMs: ${2 * HOUR} }), timeoutMs: ${ending === 'timeout' ? 30 : 0} });
      intent.parse({ input: 'x' }).catch((error) => console.log(error.code, asked));
    `;
    for (const [ending, said] of [
      ['timeout', 'MODEL_TIMEOUT 1'],
      ['attempts', 'MODEL_TIMEOUT 2'],
    ]) {
      const { code, stdout, stderr } = await runNode(program(ending));
      expect([code, stdout.trim(), stderr]).toEqual([0, said, '']);
    }
  });
});

describe('fallback', () => {
  test('asks the next one after any error', async () => {
    for (const thrown of [
      failed('MODEL_AUTH_FAILED', { retryable: false }),
      failed('MODEL_RATE_LIMITED'),
      new Error('x'),
      'a string',
      undefined,
    ]) {
      const [first, second] = [failing(thrown), failing()];
      const reply = await fallback([first, second]).generate(request());
      expect(reply.outcome).toBe('complete');
      expect([first.asked.length, second.asked.length]).toEqual([1, 1]);
      expect(second.asked[0]).toBe(first.asked[0]);
    }
  });

  test('every reply is final', async () => {
    for (const outcome of ['refusal', 'incomplete']) {
      const second = failing();
      const first = executing(async () => ({ outcome }));
      expect(await fallback([first, second]).generate(request())).toEqual({ outcome });
      expect(second.asked).toEqual([]);
    }
  });

  test("the caller's own errors end it", async () => {
    for (const code of ['MODEL_ABORTED', 'INSTANCE_DISPOSED', 'INPUT_INVALID']) {
      const second = failing();
      await failure(fallback([failing(new IntentError(code)), second]).generate(request()), code);
      expect(second.asked).toEqual([]);
    }
    const controller = new AbortController();
    const second = failing();
    const first = executing(async () => {
      controller.abort();
      throw failed('MODEL_REQUEST_FAILED');
    });
    await failure(fallback([first, second]).generate(request(controller.signal)), 'MODEL_ABORTED');
    expect(second.asked).toEqual([]);
  });

  test('where all fail, the last error is thrown; on hears the others and changes nothing', async () => {
    const errors = ['MODEL_TIMEOUT', 'MODEL_RATE_LIMITED', 'MODEL_AUTH_FAILED'].map((code) =>
      failed(code),
    );
    const heard = [];
    const executors = errors.map((error, i) => ({ ...failing(error), id: `e${i}` }));
    const on = (event) => {
      heard.push(event);
      throw new Error('a listener');
    };
    await expect(fallback(executors, { on }).generate(request())).rejects.toBe(errors[2]);
    expect(heard).toEqual([
      { from: 'e0', to: 'e1', error: errors[0] },
      { from: 'e1', to: 'e2', error: errors[1] },
    ]);
  });

  test('within a parse, of executors that ask again', async () => {
    const first = failing(...Array.from({ length: 9 }, () => failed('MODEL_RATE_LIMITED')));
    const heard = [];
    const executor = fallback([retrying(first, { attempts: 3, maxDelayMs: 1 }), failing()], {
      on: ({ from, to }) => heard.push([from, to]),
    });
    expect((await parseWith(executor)).intents).toHaveLength(1);
    expect(first.asked).toHaveLength(3);
    expect(heard).toEqual([['retrying(failing)', 'failing']]);
  });
});

describe('the returned executors', () => {
  const capable = (over) => ({
    ...failing(),
    capabilities: {
      nativeJsonSchema: true,
      nativeJsonObject: true,
      isolatedTurn: true,
      supportsAbort: true,
      ...over,
    },
  });

  test('ids and capabilities come from the wrapped executors', () => {
    expect(retrying(failing(), OPTIONS)).toMatchObject({ id: 'retrying(failing)' });
    expect(retrying(failing(), OPTIONS)).not.toHaveProperty('capabilities');
    const both = fallback([capable({ nativeJsonSchema: false }), capable({}), failing()]);
    expect(both.id).toBe('fallback(failing, failing, failing)');
    expect(both.capabilities).toEqual(capable({ nativeJsonSchema: false }).capabilities);
    expect(Object.isFrozen(both)).toBe(true);
  });

  test('generate is looked up at each call', async () => {
    const inner = failing();
    const executor = retrying(inner, OPTIONS);
    inner.generate = async () => complete('new');
    expect(await executor.generate(request())).toEqual(complete('new'));
  });

  test('options that are wrong', () => {
    const one = failing();
    for (const [call, message] of [
      [() => retrying(one), /options must be a plain object, got undefined/],
      [
        () => retrying(one, {}),
        /options\.attempts must be an integer from 1 to 100, got undefined/,
      ],
      [() => retrying(one, { ...OPTIONS, attempts: 0 }), /attempts .*got 0/],
      [() => retrying(one, { ...OPTIONS, attempts: 1.5 }), /attempts .*got 1\.5/],
      [() => retrying(one, { ...OPTIONS, attempts: 101 }), /attempts .*got 101/],
      [() => retrying(one, { ...OPTIONS, maxDelayMs: -1 }), /maxDelayMs .*got -1/],
      [
        () => retrying(one, { ...OPTIONS, maxDelayMs: 2 ** 31 }),
        /maxDelayMs .*from 0 to 2147483647/,
      ],
      [() => retrying(one, { ...OPTIONS, maxDelayMs: '5' }), /maxDelayMs .*got a string/],
      [() => retrying(one, { ...OPTIONS, on: 1 }), /options\.on must be a function, got a number/],
      [() => retrying(one, { ...OPTIONS, retries: 1 }), /unknown key "retries"/],
      [() => retrying({ id: 'x' }, OPTIONS), /executor\.generate must be a function/],
      [() => retrying(undefined, OPTIONS), /executor must be an object/],
      [() => fallback(one), /executors must be an array/],
      [() => fallback([one]), /at least two executors, got 1/],
      // biome-ignore lint/suspicious/noSparseArray: that is what is refused.
      [() => fallback([one, , one]), /hole at index 1/],
      [() => fallback([one, {}]), /executors\[1\]: executor\.id must be a string/],
      [() => fallback([one, one], { delay: 1 }), /unknown key "delay"/],
      [() => fallback([one, one], { on: {} }), /options\.on must be a function/],
    ])
      refusal(call, 'CONFIG_INVALID', 'config', message);
    refusal(
      () => fallback([one, capable({ supportsAbort: false })]),
      'HOST_CAPABILITY_UNSUPPORTED',
      'config',
      /executors\[1\]/,
    );
  });
});
