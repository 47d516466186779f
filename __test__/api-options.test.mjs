// Options of `createApiExecutor` for services that want something else than OpenAI's own, as far
// as JavaScript has a part in them. The rest is in tests/it/api/options.rs.

import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { Intent, IntentError } from '@devcodex/intent-runtime';
import { createApiExecutor } from '@devcodex/intent-runtime/adapters/api';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { core, failure, INPUT, order, orderSchema, refusal } from './support/model.mjs';
import { chat, responses, startService } from './support/service.mjs';

const KEY = 'sk-test-0123456789-secret';
let service;
beforeAll(async () => {
  service = await startService();
});
beforeEach(() => {
  service.seen.length = 0;
  service.answers.length = 0;
});
afterAll(() => service.close());

const CHAT = { protocol: 'chat-completions' };
const make = (over) =>
  createApiExecutor({
    provider: 'openai',
    model: 'm-1',
    apiKey: KEY,
    baseURL: service.baseURL,
    ...over,
  });
const parse = async (answers, over, { request = { input: INPUT }, ...rest } = {}) => {
  service.answers = answers;
  const intent = new Intent({ executor: make(over), ...rest });
  try {
    return await intent.parse(request);
  } finally {
    await intent.dispose();
  }
};
const keys = () => service.seen.map(({ headers }) => headers.authorization);

describe('body, headers, format, outputLimit', () => {
  test('reach the service, in both stages', async () => {
    const over = {
      ...CHAT,
      format: 'json_object',
      outputLimit: 'max_tokens',
      headers: { 'X-Application': 'orders' },
      body: { store: null, enable_thinking: false, deep: { a: [null, 1.5, 'é'] } },
    };
    await parse([chat(core()), chat(order)], over, { schema: orderSchema });
    expect(service.seen).toHaveLength(2);
    for (const { headers, body } of service.seen) {
      expect(headers['x-application']).toBe('orders');
      expect(Object.keys(body)).toEqual([
        ...['model', 'messages', 'response_format', 'max_tokens', 'stream'],
        ...['enable_thinking', 'deep'],
      ]);
      expect(body.response_format).toEqual({ type: 'json_object' });
      expect(body.deep).toEqual({ a: [null, 1.5, 'é'] });
      const [system, user] = body.messages;
      const [, schema] = system.content.split('\n\nOutput schema (JSON Schema): ');
      expect(JSON.parse(schema).type).toBe('object');
      expect(JSON.parse(user.content).currentInput).toBe(INPUT);
    }
  });

  test('format "text" describes the shape of the core candidate to the model; a wrapped answer is accepted', async () => {
    const inner = make({ ...CHAT, format: 'text' });
    const wrapped = { id: 'wrapped', generate: (request) => inner.generate(request) };
    for (const executor of [inner, wrapped]) {
      service.seen.length = 0;
      service.answers = [chat(core()), chat(order)];
      const intent = new Intent({ executor, schema: orderSchema });
      await intent.parse({ input: INPUT });
      const [first, second] = service.seen.map(({ body }) => body.messages[0].content);
      expect(first).toContain('\n\nOutput schema: {"normalizedInput": string, ');
      expect(first).toContain('"questions": {"question": string, "options": string[]}[]');
      expect(second).not.toContain('Output schema');
    }
  });

  test('a snapshot is kept', async () => {
    const headers = { 'x-a': '1' };
    const body = { nested: { n: 1 } };
    const executor = make({ headers, body });
    headers['x-a'] = '2';
    body.nested.n = 2;
    service.answers = [responses('{}')];
    await executor.generate({ instructions: 'i', payload: 'p', format: { kind: 'json_object' } });
    expect(service.seen[0].headers['x-a']).toBe('1');
    expect(service.seen[0].body.nested).toEqual({ n: 1 });
  });

  test('are refused where they are no plain values', () => {
    const cycle = {};
    cycle.a = cycle;
    const deep = JSON.parse(`${'{"a":'.repeat(70)}1${'}'.repeat(70)}`);
    for (const [over, says] of [
      [{ headers: new Map() }, /^headers must be a plain object, got an instance/],
      [{ headers: new Headers({ a: 'b' }) }, /^headers must be a plain object/],
      [{ headers: [['a', 'b']] }, /^headers must be a plain object, got an array/],
      [{ headers: null }, /^headers must be a plain object, got null/],
      [{ headers: { 'x-a': undefined } }, /^headers\["x-a"\] must be a string, got undefined/],
      [{ headers: { 'x-a': 1 } }, /^headers\["x-a"\] must be a string, got a number/],
      [{ headers: { a: 'v\ud800' } }, /^headers\["a"\] holds a lone surrogate/],
      [
        {
          headers: {
            get a() {
              return 'x';
            },
          },
        },
        /^headers\.a must be a value, not an accessor/,
      ],
      [{ headers: { [Symbol('s')]: 'x' } }, /^headers must not have symbols/],
      [{ headers: { Authorization: 'x' } }, /^headers\["Authorization"\] is written from apiKey/],
      [{ headers: JSON.parse('{"__proto__":"ok","host":"h"}') }, /^headers\["host"\]/],
      [{ body: [] }, /^body must be a plain object, got an array/],
      [{ body: 'x' }, /^body must be a plain object, got a string/],
      [{ body: new Map() }, /^body must be a plain object/],
      [{ body: { a: { b: undefined } } }, /^body\.a\.b: must be a JSON value, got undefined/],
      [{ body: { a: 1n } }, /^body\.a: must be a JSON value, got a bigint/],
      [{ body: { a: Number.NaN } }, /^body\.a: must be a JSON value, got NaN/],
      [{ body: cycle }, /^body\.a: holds itself/],
      [{ body: deep }, /^body nests more than 64 levels deep/],
      [{ body: { a: 'x'.repeat(1 << 20) } }, /^body is longer than 1048576 characters/],
      [{ body: { response_format: null } }, /^body must not have the field "response_format"/],
      [{ outputLimit: 'max' }, /^outputLimit must be "max_completion_tokens"/],
      [{ outputlimit: 'none' }, /did you mean "outputLimit"/],
    ]) {
      const error = refusal(() => make(over), 'CONFIG_INVALID', 'config');
      expect(error.message).toMatch(says);
    }
  });

  test('headers are secret', async () => {
    const executor = make({ headers: { 'x-key': 'hunter2-0123456789' } });
    const shown = inspect(executor, { depth: 9, showHidden: true }) + JSON.stringify(executor);
    expect(shown).not.toContain('hunter2');
  });
});

describe('apiKey left out', () => {
  test('sends no authorization', async () => {
    await parse([responses(core())], { apiKey: undefined });
    expect(keys()).toEqual([undefined]);
  });
  test('needs a baseURL', () => {
    const over = { apiKey: undefined, baseURL: undefined };
    refusal(() => make(over), 'CONFIG_INVALID', 'config', /^apiKey is missing/);
  });
});

describe('apiKey as a function', () => {
  test('is asked for each request, the repair included', async () => {
    let n = 0;
    for (const apiKey of [
      () => `key-${n++}`,
      async () => `key-${n++}`,
      // biome-ignore lint/suspicious/noThenProperty: a thenable is what is tried
      () => ({ then: (give) => give(`key-${n++}`) }),
    ]) {
      n = 0;
      service.seen.length = 0;
      const answers = [responses('{'), responses(core()), responses(order)];
      await parse(answers, { apiKey }, { schema: orderSchema });
      expect(keys()).toEqual(['Bearer key-0', 'Bearer key-1', 'Bearer key-2']);
    }
  });

  test('needs no baseURL', () => {
    expect(make({ apiKey: () => KEY, baseURL: undefined }).id).toBe('api:openai');
  });

  test('that throws, or gives no key, is a typed error', async () => {
    for (const [apiKey, says] of [
      [() => '', /blank/],
      [async () => ' ', /blank/],
      [() => `${KEY}\n`, /cannot be sent/],
      [() => undefined, /got a value of type undefined/],
      [async () => ({ key: KEY }), /got a value of type object/],
      [() => `${KEY}\ud800`, /lone surrogate/],
      [
        () => {
          throw new Error('vault');
        },
        /its error is the cause/,
      ],
      [() => Promise.reject(new Error('vault')), /its error is the cause/],
    ]) {
      const error = await failure(parse([], { apiKey }), 'MODEL_AUTH_FAILED', 'model');
      expect(error.message).toMatch(says);
      expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(KEY);
    }
    expect(service.seen).toHaveLength(0);
    const cause = new Error('vault');
    const apiKey = () => Promise.reject(cause);
    const asked = make({ apiKey }).generate({
      instructions: 'i',
      payload: 'p',
      format: { kind: 'json_object' },
    });
    expect((await failure(asked, 'MODEL_AUTH_FAILED', 'model')).cause).toBe(cause);
  });

  test('may throw its own IntentError', async () => {
    const apiKey = () => {
      throw new IntentError('MODEL_RATE_LIMITED', { message: 'the vault is busy.' });
    };
    const error = await failure(parse([], { apiKey }), 'MODEL_RATE_LIMITED', 'model');
    expect(error.message).toBe('the vault is busy.');
  });

  test('that never answers ends with the parse, and a late key sends nothing', async () => {
    let give;
    const apiKey = () => new Promise((resolve) => (give = resolve));
    await failure(parse([], { apiKey }, { timeoutMs: 30 }), 'MODEL_TIMEOUT', 'core');
    give(KEY);
    const controller = new AbortController();
    const aborted = parse([], { apiKey }, { request: { input: INPUT, signal: controller.signal } });
    await sleep(10);
    controller.abort();
    await failure(aborted, 'MODEL_ABORTED', 'core');
    give(KEY);
    await sleep(20);
    expect(service.seen).toHaveLength(0);
  });

  test('is never asked after the abort', async () => {
    let asked = 0;
    const executor = make({ apiKey: () => `k${asked++}` });
    const request = { instructions: 'i', payload: 'p', format: { kind: 'json_object' } };
    const call = executor.generate({ ...request, signal: AbortSignal.abort() });
    await failure(call, 'MODEL_ABORTED', 'model');
    expect(asked).toBe(0);
  });
});
