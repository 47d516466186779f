import { createRequire } from 'node:module';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';

const require = createRequire(import.meta.url);
const { IntentDataError, IntentError, IntentParseError, fromNative, isIntentError, toNative } =
  require('../js/errors.js');
const { DATA_ISSUE_CODES, ERROR_CODES } = require('../js/constants.js');

const STAGES = ['config', 'input', 'core', 'data', 'model', 'bridge'];
const issue = {
  code: 'DATA_REQUIRED_MISSING',
  category: 'business_information',
  path: '/data/orderId',
  message: 'Which order?',
};
const bomb = new Proxy(() => {}, {
  get: () => {
    throw new Error('get');
  },
  has: () => {
    throw new Error('has');
  },
  getPrototypeOf: () => {
    throw new Error('proto');
  },
});
const { proxy: revoked, revoke } = Proxy.revocable({}, {});
revoke();

/** The properties of every error, for all arguments of the constructor. */
function expectSane(error) {
  expect(error).toBeInstanceOf(IntentError);
  expect(error).toBeInstanceOf(Error);
  expect(isIntentError(error)).toBe(true);
  expect(error.name).toBe('IntentError');
  expect(ERROR_CODES).toContain(error.code);
  expect(STAGES).toContain(error.stage);
  expect(typeof error.message).toBe('string');
  expect(error.message).not.toBe('');
  expect(Array.isArray(error.issues)).toBe(true);
  expect(Object.keys(JSON.parse(JSON.stringify(error)))).toEqual([
    'code',
    'stage',
    'message',
    'issues',
    ...(error instanceof IntentDataError ? ['data', 'missing'] : []),
  ]);
  expect(inspect(error)).toContain('IntentError');
}

describe('both calls', () => {
  test('with options', () => {
    const cause = new Error('why');
    const error = new IntentError('MODEL_REQUEST_FAILED', {
      stage: 'core',
      message: 'No.',
      issues: [issue],
      cause,
    });
    expectSane(error);
    expect(error).toMatchObject({ code: 'MODEL_REQUEST_FAILED', stage: 'core', message: 'No.' });
    expect(error.issues).toEqual([issue]);
    expect(error.issues[0]).not.toBe(issue);
    expect(error.cause).toBe(cause);
    expect(error.toJSON()).not.toHaveProperty('cause');
    expect(Object.keys(error)).toEqual(['code', 'stage', 'retryable']);
    expect(String(error)).toBe('IntentError [MODEL_REQUEST_FAILED]: No.');
  });

  test('the older one', () => {
    const error = new IntentError('MODEL_TIMEOUT', 'data', 'Late.', [issue]);
    expectSane(error);
    expect(error.toJSON()).toEqual({
      code: 'MODEL_TIMEOUT',
      stage: 'data',
      message: 'Late.',
      issues: [issue],
    });
    expect(error).not.toHaveProperty('cause');
    expect(new IntentError('MODEL_TIMEOUT', undefined, 'Late.')).toMatchObject({
      stage: 'model',
      message: 'Late.',
    });
  });

  test('the stage and a message follow from the code', () => {
    const stages = {
      CONFIG_INVALID: 'config',
      SCHEMA_UNSUPPORTED: 'config',
      HOST_CAPABILITY_UNSUPPORTED: 'config',
      INPUT_INVALID: 'input',
      UNKNOWN_FIELD: 'input',
      EXECUTOR_NOT_CONFIGURED: 'input',
      DATA_EXTRACTION_FAILED: 'data',
      BRIDGE_JOB_NOT_FOUND: 'bridge',
      BRIDGE_JOB_EXPIRED: 'bridge',
      BRIDGE_STEP_CONFLICT: 'bridge',
    };
    const messages = new Set();
    for (const code of ERROR_CODES) {
      const error = new IntentError(code);
      expectSane(error);
      expect([code, error.stage]).toEqual([code, stages[code] ?? 'model']);
      messages.add(error.message);
    }
    expect(messages.size).toBe(ERROR_CODES.length);
  });

  test('a cause of undefined is a cause', () => {
    expect(new IntentError('MODEL_TIMEOUT', { cause: undefined })).toHaveProperty('cause');
    expect(new IntentError('MODEL_TIMEOUT', {})).not.toHaveProperty('cause');
  });
});

test('classes', () => {
  expect(IntentParseError).toBe(IntentError);
  const error = new IntentDataError('DATA_EXTRACTION_FAILED', { issues: [issue] });
  expectSane(error);
  expect(error).toBeInstanceOf(IntentDataError);
  expect(error).toMatchObject({ code: 'DATA_EXTRACTION_FAILED', stage: 'data' });
  expect(new IntentDataError('INPUT_INVALID').code).toBe('DATA_EXTRACTION_FAILED');
  // The class is recognised by a mark on the class, not by the code.
  expect(new IntentError('DATA_EXTRACTION_FAILED')).not.toBeInstanceOf(IntentDataError);
  expect(new IntentDataError('DATA_EXTRACTION_FAILED', 'core', 'm').toJSON()).toMatchObject({
    stage: 'core',
    message: 'm',
  });
  expect(new IntentDataError('DATA_EXTRACTION_FAILED', 'data', 'm', [issue]).issues).toEqual([
    issue,
  ]);
});

test('only an object of this class is an IntentError', () => {
  for (const other of [
    undefined,
    null,
    'x',
    bomb,
    revoked,
    new Error('x'),
    Object.create(IntentError.prototype),
    { code: 'MODEL_TIMEOUT', stage: 'model', message: '', issues: [] },
    new Proxy(new IntentError('MODEL_TIMEOUT'), {}),
  ])
    expect(isIntentError(other)).toBe(false);
  const stripped = Object.setPrototypeOf(new IntentError('MODEL_TIMEOUT'), null);
  expect(isIntentError(stripped)).toBe(true);
});

describe('any arguments make a sane error', () => {
  const garbage = [
    undefined,
    null,
    true,
    0,
    Number.NaN,
    1n,
    'NOPE',
    '__proto__',
    '\ud800',
    'x'.repeat(1e6),
    Symbol('s'),
    () => {},
    class {},
    [],
    [[[]]],
    {},
    Object.create(null),
    Object.freeze({ stage: 'nowhere', message: 1, issues: 'x', cause: bomb }),
    { message: '', issues: [null, 1, {}, issue, { ...issue, path: 1 }, bomb, issue] },
    { issues: new Array(2 ** 32 - 1) },
    {
      get stage() {
        throw new Error('stage');
      },
      get cause() {
        throw new Error('cause');
      },
    },
    new Date(),
    bomb,
    revoked,
    new Proxy([], { get: () => bomb }),
  ];

  test('one by one and in pairs', () => {
    for (const a of garbage) {
      for (const Class of [IntentError, IntentDataError])
        for (const b of garbage)
          for (const args of [
            [a],
            [a, b],
            ['MODEL_TIMEOUT', a, b],
            ['MODEL_TIMEOUT', 'core', a, b],
          ]) {
            const error = new Class(...args);
            expect(ERROR_CODES.includes(error.code) && STAGES.includes(error.stage)).toBe(true);
            expect(typeof error.message).toBe('string');
            expect(typeof JSON.stringify(error)).toBe('string');
          }
    }
  }, 30_000);

  test('an unknown code is named, and is MODEL_REQUEST_FAILED', () => {
    const error = new IntentError('MODEL_REQUSET_FAILED', { message: 'No.' });
    expectSane(error);
    expect(error).toMatchObject({ code: 'MODEL_REQUEST_FAILED', stage: 'model' });
    expect(error.message).toBe(
      'No. (This IntentError was made with unknown code "MODEL_REQUSET_FAILED".)',
    );
    expect(new IntentError('x\n'.repeat(1e5)).message.length).toBeLessThan(1000);
    expectSane(new IntentError(bomb, bomb));
  });

  test('issues that are none are left out, the others copied', () => {
    const issues = [issue, null, { ...issue, code: 'NOPE' }, { ...issue, category: 'x' }, issue];
    expect(new IntentError('DATA_EXTRACTION_FAILED', { issues }).issues).toEqual([issue, issue]);
    for (const code of [...DATA_ISSUE_CODES, ...ERROR_CODES])
      expect(
        new IntentError('MODEL_TIMEOUT', { issues: [{ ...issue, code, path: null }] }).issues,
      ).toHaveLength(1);
  });
});

describe('the boundary', () => {
  const partialResult = { input: 'x', data: {} };

  test('from the native side', () => {
    const serialized = { code: 'MODEL_TIMEOUT', stage: 'data', message: 'Late.', issues: [] };
    const error = fromNative(serialized);
    expectSane(error);
    expect(error.toJSON()).toEqual(serialized);
    expect(error).not.toHaveProperty('cause');
    expect(error).not.toHaveProperty('partialResult');
    expect(fromNative(serialized, { cause: undefined })).toHaveProperty('cause');
    const whole = {
      code: 'DATA_EXTRACTION_FAILED',
      stage: 'data',
      message: 'No.',
      issues: [issue],
      partialResult,
      data: { a: 1 },
      missing: ['/data/b'],
    };
    const data = fromNative(whole, { cause: 'text' });
    expect(data).toBeInstanceOf(IntentDataError);
    expect(JSON.parse(JSON.stringify(data))).toEqual(whole);
    expect(data.cause).toBe('text');
    expect(Object.keys(data)).toEqual(['code', 'stage', 'retryable', 'missing']);
  });

  test('toJSON gives copies', () => {
    const error = new IntentError('MODEL_TIMEOUT', { issues: [issue] });
    error.toJSON().issues[0].message = 'changed';
    error.toJSON().issues.length = 0;
    expect(error.issues).toEqual([issue]);
  });

  test('to the native side', () => {
    const error = new IntentError('MODEL_RATE_LIMITED', { stage: 'core', message: 'm\ud800' });
    error.partialResult = partialResult;
    expect(toNative(error)).toEqual({
      code: 'MODEL_RATE_LIMITED',
      stage: 'core',
      message: 'm\ufffd',
      issues: [],
      retryable: true,
    });
    expect(error.message).toBe('m\ud800');
    for (const other of [undefined, 'x', new Error('x'), bomb])
      expect(toNative(other)).toBe(undefined);
    Object.defineProperties(error, {
      code: { get: () => bomb.x },
      stage: { value: 7 },
      message: { value: bomb },
      issues: { value: [bomb, { ...issue, message: '\udc00' }] },
    });
    expect(toNative(error)).toMatchObject({
      code: 'MODEL_REQUEST_FAILED',
      stage: 'model',
      issues: [],
    });
  });
});
