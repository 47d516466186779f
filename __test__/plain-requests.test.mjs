// Whatever a caller passes as a request: its plain parts are read once, everything else is refused
// with one typed error that says where and why, each at its turn.

import { runInNewContext } from 'node:vm';
import { Intent } from '@devcodex/intent-runtime';
import { createIntentBridge } from '@devcodex/intent-runtime/bridge';
import { afterAll, describe, expect, test } from 'vitest';
import { core, failure, orderSchema, scripted } from './support/model.mjs';
import { bomb, notPlain, throws } from './support/not-plain.mjs';

const LONE = 'a\ud800b';
const intent = new Intent({ executor: scripted(), schema: orderSchema });
const bridge = createIntentBridge({ instances: { a: new Intent() } });
const session = bridge.connect();
const { jobId, stepToken } = session.prepare({ instance: 'a', input: 'Hello.' });
afterAll(async () => {
  bridge.close();
  await intent.dispose();
});

const refusedParse = async (request, message) =>
  expect((await failure(intent.parse(request), 'INPUT_INVALID', 'input')).message).toBe(message);
const errorOf = async (reply) => {
  const { kind, error, job } = await reply;
  expect([kind, error.code, error.stage]).toEqual(['error', 'INPUT_INVALID', 'input']);
  return { message: error.message, job };
};
const refusedPrepare = async (request) => (await errorOf(session.prepare(request))).message;
const refusedAccept = (request) =>
  errorOf(session.accept({ jobId, stepToken, candidateText: '{}', ...request }));
const refusedCancel = (request) => errorOf(session.cancel({ jobId, ...request }));

describe('a request as a whole', () => {
  test('is one plain object', async () => {
    for (const value of notPlain) {
      await failure(intent.parse(value), 'INPUT_INVALID', 'input', /^request/);
      expect(await refusedPrepare(value)).toMatch(/^request/);
      expect((await errorOf(session.accept(value))).message).toMatch(/^request/);
      expect((await errorOf(session.cancel(value))).message).toMatch(/^request/);
    }
    const expected = (count) => `expected exactly one argument, the request, got ${count}.`;
    for (const args of [[], [{}, undefined], [{}, {}, {}]]) {
      await failure(intent.parse(...args), 'INPUT_INVALID', 'input', /exactly one argument/);
      const message = expected(args.length);
      expect(await errorOf(session.prepare(...args))).toEqual({ message });
      expect(await errorOf(session.accept(...args))).toEqual({ message, job: 'open' });
      expect(await errorOf(session.cancel(...args))).toEqual({ message, job: 'open' });
    }
  });

  test('of any realm, frozen, or behind a proxy that hides nothing', async () => {
    const given = { input: 'x', fields: ['none'], context: [{ role: 'user', content: 'c' }] };
    for (const request of [
      runInNewContext(`(${JSON.stringify(given)})`),
      Object.freeze({ ...given, fields: Object.freeze(given.fields) }),
      Object.assign(Object.create(null), given),
      new Proxy(given, {}),
      { ...given, signal: undefined, onCore: undefined, evidence: undefined },
    ])
      await failure(intent.parse(request), 'UNKNOWN_FIELD', 'input', /"none"/);
  });

  test('has no unknown key, no accessor, no symbol', async () => {
    await refusedParse(
      { input: 'x', contxt: 'y' },
      'request: unknown key "contxt" (did you mean "context"?).',
    );
    await refusedParse(
      { input: 'x', extra: undefined },
      'request: unknown key "extra"; it takes input, fields, context, evidence, signal, onCore.',
    );
    await refusedParse(
      { input: 'x', instance: 'y' },
      'request: unknown key "instance"; it takes input, fields, context, evidence, signal, onCore.',
    );
    expect(await refusedPrepare({ input: 'x', signal: undefined })).toMatch(/unknown key "signal"/);
    expect((await refusedAccept({ more: 1 })).message).toMatch(/unknown key "more"/);
    expect((await errorOf(session.cancel({ jobID: jobId }))).message).toMatch(
      /did you mean "jobId"/,
    );
    await refusedParse({ set input(_) {} }, 'input must be a value, not an accessor.');
    await failure(intent.parse({ [Symbol('s')]: 1 }), 'INPUT_INVALID', 'input', /symbols as keys/);
  });

  test('inherits nothing', async () => {
    Object.prototype.input = 'xx';
    try {
      await refusedParse({}, 'input must be a string, got nothing.');
    } finally {
      delete Object.prototype.input;
    }
  });
});

describe('a part that JSON cannot carry is refused in its place', () => {
  test('in parse', async () => {
    for (const [part, message] of [
      [{ input: LONE }, 'input holds a lone surrogate, which no text can carry.'],
      [{ input: 1n }, 'input must be a string, got a bigint.'],
      [{ input: Number.NaN }, 'input must be a string, got NaN.'],
      [{ input: [1] }, 'input must be a string, got an array.'],
      [{ input: null }, 'input must be a string, got null.'],
      [{ input: new String('x') }, 'input must be a string, got an instance of String.'],
      [{ input: bomb() }, 'input cannot be read: something of it threw.'],
      [{ fields: ['a', 1n] }, 'fields[1] must be a string, got a bigint.'],
      [{ fields: ['a', undefined] }, 'fields[1] must be a string, got undefined.'],
      [{ fields: [1, 1n] }, 'fields[0] must be a string, got a number.'],
      [{ fields: [LONE] }, 'fields[0] holds a lone surrogate, which no text can carry.'],
      [{ fields: new Array(4294967295) }, 'fields has a hole at index 0.'],
      [
        { fields: Object.assign(['a'], { x: 1 }) },
        'fields is an array with keys besides its elements.',
      ],
      [
        { fields: Object.defineProperty(['a'], 0, { get: throws }) },
        'fields[0] must be a value, not an accessor.',
      ],
      [{ fields: new Set(['a']) }, 'fields must be an array of strings, got an instance of Set.'],
      [{ fields: bomb([]) }, 'fields cannot be read: something of it threw.'],
      [{ context: Symbol('x') }, 'context must be a string or an array of messages, got a symbol.'],
      [
        { context: [{ role: 'user', content: 'x', name: undefined }] },
        'context[0]: unknown key "name"; it takes role, content.',
      ],
      [
        { context: [{ role: 'user', content: LONE }] },
        'context[0].content holds a lone surrogate, which no text can carry.',
      ],
      [
        { context: [{ role: () => {}, content: 'x' }] },
        'context[0].role must be "user", "assistant" or "tool", got a function.',
      ],
      [
        { context: [new (class {})()] },
        'context[0] must be a plain object, got an instance of a class; copy its properties into one: { ...it }.',
      ],
      [
        { context: [Object.defineProperty({ content: '' }, 'role', { get: throws })] },
        'context[0].role must be a value, not an accessor.',
      ],
      [{ context: [undefined] }, 'context[0] must be a plain object, got undefined.'],
      [{ evidence: 1n }, 'evidence must be true or false, got a bigint.'],
      // A part that is no request's stands before one that JSON cannot carry.
      [{ fields: 'none', context: 1n }, 'fields must be an array of strings, got a string.'],
    ])
      await refusedParse({ input: 'x', ...part }, message);
  });

  test('nothing of it is called or written', async () => {
    let calls = 0;
    const toJSON = () => {
      calls++;
      return 'x';
    };
    const spy = Object.assign(() => {}, { toJSON });
    await failure(intent.parse({ input: { toJSON } }), 'INPUT_INVALID', 'input');
    await failure(intent.parse({ input: 'x', fields: [1n, spy] }), 'INPUT_INVALID', 'input');
    await failure(
      intent.parse({ input: 'x', fields: [1], onCore: spy }),
      'INPUT_INVALID',
      'input',
      /^fields\[0\]/,
    );
    expect(calls).toBe(0);
  });

  test('in prepare', async () => {
    expect(await refusedPrepare({ instance: LONE, input: 'x' })).toBe(
      'instance holds a lone surrogate, which no text can carry.',
    );
    expect(await refusedPrepare({ input: 1n })).toBe('instance must be a string, got nothing.');
    expect(await refusedPrepare({ instance: 'a', input: 1n })).toBe(
      'input must be a string, got a bigint.',
    );
  });

  test('in accept, where an unknown job stands before it', async () => {
    for (const [part, message] of [
      [{ stepToken: undefined }, 'stepToken must be a string, got nothing.'],
      [{ stepToken: 5, candidateText: 5 }, 'stepToken must be a string, got a number.'],
      [{ stepToken: LONE }, 'stepToken holds a lone surrogate, which no text can carry.'],
      [{ candidateText: undefined }, 'candidateText must be a string, got nothing.'],
      [{ candidateText: 1n }, 'candidateText must be a string, got a bigint.'],
      [{ candidateText: null }, 'candidateText must be a string, got null.'],
      [{ candidateText: bomb() }, 'candidateText cannot be read: something of it threw.'],
      [
        { candidateText: { a: 1 } },
        'candidateText must be a string, got an object; pass its JSON text: JSON.stringify(candidate).',
      ],
    ]) {
      expect(await refusedAccept(part)).toEqual({ message, job: 'open' });
      for (const other of [5, 1n, LONE, undefined, 'none'])
        expect(
          await session.accept({ jobId: other, stepToken, candidateText: '{}', ...part }),
        ).toMatchObject({ error: { code: 'BRIDGE_JOB_NOT_FOUND' }, job: 'ended' });
    }
  });

  test('in cancel, where an unknown job stands before it', async () => {
    const outcome = 'outcome must be "cancelled", "refusal" or "incomplete"';
    for (const [part, message] of [
      [{ outcome: null }, `${outcome}, got null.`],
      [{ outcome: 1n }, `${outcome}, got a bigint.`],
      [{ outcome: 'stopped', detail: 1n }, `${outcome}, got "stopped".`],
      [{ outcome: LONE }, 'outcome holds a lone surrogate, which no text can carry.'],
      [{ detail: 7 }, 'detail must be a string, got a number.'],
      [{ detail: Symbol('s') }, 'detail must be a string, got a symbol.'],
      [{ detail: LONE }, 'detail holds a lone surrogate, which no text can carry.'],
    ]) {
      expect(await refusedCancel(part)).toEqual({ message, job: 'open' });
      for (const other of [5, 1n, LONE, undefined, 'none'])
        expect(session.cancel({ jobId: other, ...part })).toMatchObject({
          error: { code: 'BRIDGE_JOB_NOT_FOUND' },
          job: 'ended',
        });
    }
  });

  test('a request that is refused as a whole names its job all the same', async () => {
    const { jobId: ended } = session.prepare({ instance: 'a', input: 'Hello.' });
    session.cancel({ jobId: ended });
    class Submission {
      constructor(id) {
        this.jobId = id;
      }
    }
    for (const [id, job] of [
      [jobId, 'open'],
      [ended, 'ended'],
    ])
      for (const request of [{ jobId: id, more: 1 }, new Submission(id)]) {
        expect((await errorOf(session.accept(request))).job).toBe(job);
        expect((await errorOf(session.cancel(request))).job).toBe(job);
      }
  });
});

test('signals of any realm, and look-alikes that work', async () => {
  const { signal } = new AbortController();
  const polyfill = { aborted: false, addEventListener() {}, removeEventListener() {} };
  for (const value of [signal, AbortSignal.timeout(1e6), polyfill]) {
    const one = new Intent({ executor: scripted(core()) });
    expect((await one.parse({ input: 'x', signal: value })).input).toBe('x');
    await one.dispose();
  }
  for (const value of [
    null,
    1,
    'x',
    {},
    { aborted: 'no', addEventListener() {}, removeEventListener() {} },
    { ...polyfill, addEventListener: throws },
    new AbortController(),
    new EventTarget(),
    { aborted: true },
  ])
    await failure(
      intent.parse({ input: 'x', signal: value }),
      'INPUT_INVALID',
      'input',
      /^signal must be an AbortSignal/,
    );
  await refusedParse(
    { input: 'x', signal: bomb() },
    'request cannot be read: something of it threw.',
  );
});
