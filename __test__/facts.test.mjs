// The facts of an error that a program can act on in addition to its code.

import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { createIntentBridge } from '../js/bridge.js';
import { ERROR_CODES, Intent, IntentError } from '../js/index.js';

const failing = (thrown) => ({
  id: 'failing',
  async generate() {
    throw thrown;
  },
});

const answering = (...texts) => ({
  id: 'answering',
  async generate() {
    return { outcome: 'complete', text: texts.length > 1 ? texts.shift() : texts[0] };
  },
});

const failure = async (config, request = { input: 'x' }) => {
  const intent = new Intent(config);
  try {
    await intent.parse(request);
  } catch (error) {
    return error;
  } finally {
    await intent.dispose();
  }
  throw new Error('it did not fail');
};

describe('retryable', () => {
  const derived = [
    ['MODEL_RATE_LIMITED', {}, true],
    ['MODEL_RATE_LIMITED', { http: { status: 429 } }, true],
    ['MODEL_RATE_LIMITED', { http: { status: 429, code: 'insufficient_quota' } }, false],
    ['MODEL_RATE_LIMITED', { http: { status: 429, type: 'insufficient_quota' } }, false],
    ['MODEL_REQUEST_FAILED', {}, false],
    ['MODEL_REQUEST_FAILED', { http: { status: 408 } }, true],
    ['MODEL_REQUEST_FAILED', { http: { status: 409 } }, true],
    ['MODEL_REQUEST_FAILED', { http: { status: 503 } }, true],
    ['MODEL_REQUEST_FAILED', { http: { status: 400 } }, false],
    ['MODEL_REQUEST_FAILED', { http: { status: 404 } }, false],
    ['MODEL_REQUEST_FAILED', { http: { status: 422 } }, false],
    ['MODEL_TIMEOUT', {}, true],
    ['MODEL_TIMEOUT', { stage: 'core' }, false],
    ['MODEL_AUTH_FAILED', { http: { status: 401 } }, false],
    ['CONFIG_INVALID', {}, false],
  ];

  test.each(derived)('%s %j: %s', (code, options, retryable) => {
    expect(new IntentError(code, options).retryable).toBe(retryable);
  });

  test('given facts are kept', () => {
    expect(new IntentError('MODEL_REQUEST_FAILED', { retryable: true }).retryable).toBe(true);
    expect(new IntentError('MODEL_RATE_LIMITED', { retryable: false }).retryable).toBe(false);
    expect(new IntentError('MODEL_RATE_LIMITED', { retryable: 'no' }).retryable).toBe(true);
  });

  test('every code has an answer', () => {
    for (const code of ERROR_CODES)
      expect(typeof new IntentError(code).retryable, code).toBe('boolean');
  });

  test.each(derived)('passes through parse: %s %j', async (code, options, retryable) => {
    const error = await failure({ executor: failing(new IntentError(code, options)) });
    expect(error).toMatchObject({ code, retryable });
    expect(error.http).toEqual(options.http);
  });

  test('given facts also pass through parse', async () => {
    const thrown = new IntentError('MODEL_REQUEST_FAILED', { retryable: true });
    expect(await failure({ executor: failing(thrown) })).toMatchObject({ retryable: true });
  });

  test('a foreign error is not retryable', async () => {
    const error = await failure({ executor: failing(new Error('x')) });
    expect(error).toMatchObject({ code: 'MODEL_REQUEST_FAILED', retryable: false });
    expect('http' in error).toBe(false);
  });
});

describe('http', () => {
  test('is copied, frozen, and holds short words alone', () => {
    const given = {
      status: 429,
      requestId: 'req_1',
      retryAfterMs: 1500.4,
      type: 'tokens',
      code: 'x'.repeat(201),
      param: 'line\nbreak',
      more: 'not ours',
    };
    const { http } = new IntentError('MODEL_RATE_LIMITED', { http: given });
    expect(http).toEqual({ status: 429, requestId: 'req_1', retryAfterMs: 1500, type: 'tokens' });
    expect(Object.isFrozen(http)).toBe(true);
  });

  test.each([undefined, null, 429, '429', {}, { status: '429' }, { status: 4.5 }, { status: 99 }])(
    'of no use: %j',
    (http) => {
      expect('http' in new IntentError('MODEL_RATE_LIMITED', { http })).toBe(false);
    },
  );

  test('a getter that throws is no reason to throw', () => {
    const http = {
      get status() {
        throw new Error('x');
      },
    };
    expect('http' in new IntentError('MODEL_RATE_LIMITED', { http })).toBe(false);
  });
});

describe('limit', () => {
  const config = (limits) => ({ executor: answering('{}'), limits });
  const schema = { type: 'object', properties: { a: { type: 'string' } } };

  test('of a request', async () => {
    const input = 'twelve bytes';
    expect((await failure(config({ maxInputBytes: 3 }), { input })).limit).toEqual({
      name: 'maxInputBytes',
      max: 3,
      actual: 12,
    });
    const context = [1, 2].map((n) => ({ role: 'user', content: `message ${n}` }));
    expect((await failure(config({ maxContextMessages: 1 }), { input, context })).limit).toEqual({
      name: 'maxContextMessages',
      max: 1,
      actual: 2,
    });
    const bytes = (await failure(config({ maxContextBytes: 9 }), { input, context })).limit;
    expect(bytes).toMatchObject({ name: 'maxContextBytes', max: 9 });
    expect(bytes.actual).toBeGreaterThan(9);
    const request = (await failure(config({ maxRequestBytes: 9 }), { input })).limit;
    expect(request).toMatchObject({ name: 'maxRequestBytes', max: 9 });
    expect(request.actual).toBeGreaterThan(9);
  });

  test('of a candidate', async () => {
    expect((await failure(config({ maxOutputBytes: 1 }))).limit).toEqual({
      name: 'maxOutputBytes',
      max: 1,
      actual: 2,
    });
    const of = async (limits, text) => (await failure({ executor: answering(text), limits })).limit;
    expect(await of({ maxCandidateDepth: 2 }, '{"a":[[[]]]}')).toEqual({
      name: 'maxCandidateDepth',
      max: 2,
    });
    expect(await of({ maxCandidateNodes: 2 }, '{"a":[1,2,3]}')).toEqual({
      name: 'maxCandidateNodes',
      max: 2,
    });
  });

  test('of a schema', () => {
    for (const [limits, limit] of [
      [{ maxSchemaBytes: 9 }, { name: 'maxSchemaBytes', max: 9, actual: expect.any(Number) }],
      [{ maxSchemaProperties: 1 }, { name: 'maxSchemaProperties', max: 1 }],
      [{ maxSchemaDepth: 1 }, { name: 'maxSchemaDepth', max: 1 }],
    ]) {
      const two = {
        ...schema,
        properties: { a: { type: 'array', items: { type: 'array', items: {} } }, b: {} },
      };
      expect(() => new Intent({ schema: two, limits })).toThrow(
        expect.objectContaining({ code: 'LIMIT_EXCEEDED', limit }),
      );
    }
    let deep = {};
    for (let i = 0; i < 600; i++) deep = { items: deep };
    expect(() => new Intent({ schema: { ...schema, properties: { a: deep } } })).toThrow(
      expect.objectContaining({ limit: expect.objectContaining({ name: 'maxSchemaDepth' }) }),
    );
  });

  test('an executor may state its own', async () => {
    const limit = { name: 'maxResponseBytes', max: 10, actual: 11 };
    const error = await failure({
      executor: failing(new IntentError('RESOURCE_LIMIT', { limit })),
    });
    expect(error).toMatchObject({ code: 'RESOURCE_LIMIT', limit });
  });

  test('is absent elsewhere', async () => {
    expect('limit' in (await failure({ executor: failing(new Error('x')) }))).toBe(false);
  });
});

test('faults: all of them, in order', async () => {
  const error = await failure({ executor: answering('{}'), repairAttempts: 0 });
  expect(error.code).toBe('MODEL_OUTPUT_INVALID');
  expect(error.faults).toEqual(
    ['normalizedInput', 'primaryIntent', 'requirements', 'prohibitions', 'intents'].map(
      (key) => `(root): the key "${key}" is missing`,
    ),
  );
  expect(Object.isFrozen(error.faults)).toBe(true);
});

test('none of it is in toJSON, in a reply of a Bridge, or in the way where it is printed', async () => {
  const error = await failure({ executor: answering('{}'), repairAttempts: 0 });
  const told = ['code', 'stage', 'message', 'issues'];
  expect(Object.keys(error.toJSON())).toEqual(told);
  expect(inspect(error)).not.toContain('durationMs');
  const intent = new Intent({ limits: { maxInputBytes: 1 } });
  const bridge = createIntentBridge({ instances: { default: intent } });
  const reply = bridge.connect().prepare({ instance: 'default', input: 'xx' });
  expect(Object.keys(reply.error)).toEqual(told);
  bridge.close();
});

test('String(error) contains the code', () => {
  expect(String(new IntentError('MODEL_TIMEOUT', { message: 'Late.' }))).toBe(
    'IntentError [MODEL_TIMEOUT]: Late.',
  );
});
