// Tests `createApiExecutor` and the readers of responses against a scripted service on loopback (docs/models.md).
// tests/it/api tests the parts that need no JavaScript.

import { inspect } from 'node:util';
import { deserialize, serialize } from 'node:v8';
import { Intent, IntentError } from '@devcodex/intent-runtime';
import {
  createApiExecutor,
  readChatCompletion,
  readCompletedResponse,
} from '@devcodex/intent-runtime/adapters/api';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { complete, core, failure, INPUT, order, orderSchema, refusal } from './support/model.mjs';
import { runNode } from './support/process.mjs';
import { chat, materialsOf, responses, startService, status } from './support/service.mjs';

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

const config = (over) => ({
  provider: 'openai',
  model: 'm-1',
  apiKey: KEY,
  baseURL: service.baseURL,
  ...over,
});
const make = (over) => createApiExecutor(config(over));
const CHAT = { protocol: 'chat-completions' };
const parse = async (answers, over, { request = { input: INPUT }, ...rest } = {}) => {
  service.answers = answers;
  const intent = new Intent({ executor: make(over), ...rest });
  try {
    return await intent.parse(request);
  } finally {
    await intent.dispose();
  }
};
/** The failure of a parse, which shows neither the key nor what the service said. */
const fails = async (code, stage, answers, over, options) => {
  const error = await failure(parse(answers, over, options), code, stage);
  const shown = inspect(error, { depth: 9, showHidden: true }) + JSON.stringify(error);
  expect(shown).not.toContain(KEY);
  expect(shown).not.toContain('PROVIDER-SECRET');
  return error;
};

describe('requests', () => {
  test('responses', async () => {
    const answers = [responses(core()), responses(order)];
    const result = await parse(answers, {}, { schema: orderSchema });
    expect(result.data).toEqual({ orderId: '000123' });
    expect(service.seen).toHaveLength(2);
    for (const [i, { method, url, headers, body }] of service.seen.entries()) {
      expect([method, url]).toEqual(['POST', '/v1/responses']);
      expect(headers.authorization).toBe(`Bearer ${KEY}`);
      expect(headers['content-type']).toMatch(/^application\/json/);
      expect(body).toMatchObject({
        model: 'm-1',
        store: false,
        stream: false,
        max_output_tokens: 8192,
      });
      expect(body).not.toHaveProperty('tools');
      expect(materialsOf(body).currentInput).toBe(INPUT);
      const { format } = body.text;
      expect([format.type, format.strict]).toEqual(['json_schema', true]);
      expect(format.name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      if (i === 1) expect(format.schema.properties.data).toEqual(materialsOf(body).selectedSchema);
    }
  });

  test('chat completions', async () => {
    const result = await parse([chat(core())], { ...CHAT, maxOutputTokens: 99 });
    expect(result.intents[0].target).toBe('order 000123');
    const [{ url, body }] = service.seen;
    expect(url).toBe('/v1/chat/completions');
    expect(body).toMatchObject({
      model: 'm-1',
      store: false,
      stream: false,
      max_completion_tokens: 99,
      response_format: { type: 'json_schema', json_schema: { strict: true } },
    });
    expect(body.messages.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(body).not.toHaveProperty('tools');
  });

  test('a repair goes to the service again', async () => {
    await parse([responses('{bad'), responses(core())]);
    expect(materialsOf(service.seen[1].body).repair.candidate).toBe('{bad');
    const [first, second] = service.seen.map(({ body }) => body);
    expect(second.instructions).toBe(first.instructions);
    expect(second.text).toEqual(first.text);
  });
});

describe('base URLs', () => {
  test('that are refused, without their credentials in the message', () => {
    for (const baseURL of [
      ...['gateway', 'https://user:pa55word@x.example/v1', 'http://8.8.8.8/v1'],
      'https://x\ud800.example/',
    ]) {
      const error = refusal(() => make({ baseURL }), 'CONFIG_INVALID', 'config', /baseURL/);
      expect(error.message).not.toContain('pa55word');
      expect(error.message).not.toContain(KEY);
    }
    for (const baseURL of ['https://gateway.example.com/v1', 'http://[::1]:8080/v1', undefined])
      expect(make({ baseURL }).id).toBe('api:openai');
  });
});

describe('configuration', () => {
  test('is checked', () => {
    for (const over of [
      ...[{ provider: 'other' }, { provider: undefined }, { provider: 'toString' }],
      ...[{ model: '' }, { model: ' ' }, { model: 1 }, { model: undefined }, { model: 'a\ud800' }],
      ...[{ apiKey: '' }, { apiKey: ' ' }, { apiKey: null }, { apiKey: 'a\nb' }],
      ...[{ apiKey: 'k\u0000' }, { apiKey: '键' }, { apiKey: ['k'] }, { protocol: 'messages' }],
      ...[{ protocol: null }, { format: 'json' }, { format: 'JSON_OBJECT' }],
      ...[{ maxOutputTokens: 0 }, { maxOutputTokens: 1.5 }, { maxOutputTokens: '1' }],
      ...[{ maxResponseBytes: -1 }, { maxResponseBytes: 2 ** 53 }, { extra: undefined }],
      ...[{ baseUrl: 'https://x.example' }, { signal: undefined }],
    ]) {
      const error = refusal(() => make(over), 'CONFIG_INVALID', 'config');
      const [key] = Object.keys(over);
      expect(error.message).toContain(key);
      if (typeof over.apiKey === 'string' && over.apiKey.trim() !== '')
        expect(error.message).not.toContain(over.apiKey);
    }
    for (const value of [undefined, null, 'x', [], () => {}, new (class {})()])
      refusal(() => createApiExecutor(value), 'CONFIG_INVALID', 'config');
    refusal(() => make({ baseUrl: 'x' }), 'CONFIG_INVALID', 'config', /did you mean "baseURL"/);
    for (const over of [
      { maxOutputTokens: undefined },
      { maxResponseBytes: 1 },
      { model: 'a/b:c' },
    ])
      make(over);
  });

  test('reads no variable of the environment', async () => {
    const { stdout } = await runNode(
      `import { createApiExecutor } from '@devcodex/intent-runtime/adapters/api';
       try { createApiExecutor({ provider: 'openai' }); } catch (error) { console.log(error.code); }`,
      { env: { INTENT_API_KEY: 'k', INTENT_MODEL: 'm', OPENAI_API_KEY: 'k' } },
    );
    expect(stdout.trim()).toBe('CONFIG_INVALID');
  });
});

describe('errors', () => {
  test('of the data stage keep the core result', async () => {
    const answers = [responses(core()), status(429)];
    const error = await fails('MODEL_RATE_LIMITED', 'model', answers, {}, { schema: orderSchema });
    expect(error.partialResult.data).toEqual({});
  });

  test('have the facts that a program can act on', async () => {
    const headers = { 'x-request-id': 'req_1', 'retry-after': '7' };
    const words = { type: 'overloaded', code: 'c.1', param: 'p' };
    for (const apiKey of [KEY, () => KEY]) {
      const answers = [status(503, { error: { ...words, message: 'PROVIDER-SECRET' } }, headers)];
      const error = await fails('MODEL_REQUEST_FAILED', 'model', answers, { apiKey });
      expect(error.http).toEqual({
        status: 503,
        requestId: 'req_1',
        retryAfterMs: 7000,
        ...words,
      });
      expect(error.retryable).toBe(true);
      expect(error.toJSON()).not.toHaveProperty('http');
      const spent = [status(429, { error: { code: 'insufficient_quota' } })];
      expect((await fails('MODEL_RATE_LIMITED', 'model', spent, { apiKey })).retryable).toBe(false);
    }
    service.answers = [
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json', ...headers });
        response.end(JSON.stringify({ ...responses('{}'), model: 'm-1-2026' }));
      },
    ];
    const request = { instructions: 'i', payload: 'p', format: { kind: 'json_object' } };
    expect(await make().generate(request)).toMatchObject({
      model: 'm-1-2026',
      requestId: 'req_1',
      usage: { inputTokens: 11, outputTokens: 7 },
    });
  });

  test('refusals and incomplete outputs', async () => {
    for (const [code, answer] of [
      ['MODEL_OUTPUT_INCOMPLETE', chat('{"a', { finish_reason: 'length' })],
      ['MODEL_REFUSED', chat(null, {}, { refusal: 'no' })],
    ])
      await fails(code, 'core', [answer], CHAT);
  });
});

test('the size of a response is limited', async () => {
  await fails('RESOURCE_LIMIT', 'model', [responses(core())], { maxResponseBytes: 100 });
});

describe('an end closes the connection', () => {
  const closing = async (end, rest) => {
    let closed;
    const gone = new Promise((resolve) => {
      closed = resolve;
    });
    let came;
    const here = new Promise((resolve) => {
      came = resolve;
    });
    service.answers = [
      (_, response) => {
        response.on('close', closed);
        came();
      },
    ];
    const intent = new Intent({ executor: make(), ...rest });
    const controller = new AbortController();
    const parsing = intent.parse({ input: INPUT, signal: controller.signal });
    parsing.catch(() => {});
    await here;
    end({ intent, controller });
    return { parsing, gone, intent };
  };
  for (const [code, end, rest] of [
    ['MODEL_TIMEOUT', () => {}, { timeoutMs: 500 }],
    ['MODEL_ABORTED', ({ controller }) => controller.abort()],
    ['INSTANCE_DISPOSED', ({ intent }) => void intent.dispose()],
  ]) {
    test(code, async () => {
      const { parsing, gone, intent } = await closing(end, rest);
      await failure(parsing, code, 'core');
      await gone;
      await intent.dispose();
    });
  }

  test('an aborted signal sends no request', async () => {
    const signal = AbortSignal.abort();
    await fails('MODEL_ABORTED', 'core', [], {}, { request: { input: INPUT, signal } });
    await failure(
      make().generate({ instructions: 'i', payload: '{}', outputSchema: {}, signal }),
      'MODEL_ABORTED',
    );
    expect(service.seen).toHaveLength(0);
  });
});

describe('generate, called from JavaScript', () => {
  const question = {
    stage: 'core',
    instructions: 'sys',
    payload: '{"a":1}',
    outputSchema: { type: 'object' },
  };

  test('gives a reply with usage', async () => {
    service.answers = [responses('{"x":1}')];
    const reply = await make().generate({
      ...question,
      input: { other: 1 },
      format: { kind: 'json_object' },
      signal: new AbortController().signal,
    });
    expect(reply).toEqual({ ...complete('{"x":1}'), usage: { inputTokens: 11, outputTokens: 7 } });
    expect(materialsOf(service.seen[0].body)).toEqual({ a: 1 });
  });

  test('payload or input, outputSchema or format', async () => {
    const ask = async (request) => {
      service.answers = [chat('x')];
      await make(CHAT).generate({ instructions: 'sys', ...request });
      return service.seen.at(-1).body;
    };
    const object = { kind: 'json_object' };
    const schema = { kind: 'json_schema', name: 'mine', schema: { type: 'object' } };
    expect((await ask({ input: { b: 2 }, format: object })).response_format.type).toBe(
      'json_object',
    );
    const named = await ask({ payload: '{}', format: schema });
    expect(named.response_format.json_schema).toMatchObject({
      name: 'mine',
      schema: schema.schema,
    });
    const both = await ask({ payload: '{}', format: object, outputSchema: { type: 'object' } });
    expect(both.response_format.type).toBe('json_schema');
    for (const request of [
      undefined,
      null,
      {},
      { payload: '{}' },
      { outputSchema: {} },
      { payload: 7, outputSchema: {} },
      { input: 1n, outputSchema: {} },
      { payload: '\ud800', outputSchema: {} },
      { payload: '{}', format: { kind: 'other' } },
    ])
      await failure(make().generate(request && { instructions: 's', ...request }), 'INPUT_INVALID');
    await failure(make().generate({ payload: '{}', outputSchema: {} }), 'INPUT_INVALID');
  });

  test('an abort: MODEL_ABORTED, or its reason where that is an IntentError', async () => {
    for (const reason of [undefined, new Error('mine'), new IntentError('MODEL_TIMEOUT')]) {
      const controller = new AbortController();
      service.answers = [() => {}];
      const reply = make().generate({ ...question, signal: controller.signal });
      setTimeout(() => controller.abort(reason), 30);
      const error = await failure(reply, reason?.code ?? 'MODEL_ABORTED', 'model');
      if (reason instanceof IntentError) expect(error).toBe(reason);
      else expect(error.cause).toBe(controller.signal.reason);
    }
  });

  test('wrapped in an object it works as well', async () => {
    const inner = make();
    let calls = 0;
    service.answers = [responses(core()), status(429)];
    const executor = {
      id: 'logged',
      generate(request) {
        calls++;
        return inner.generate(request);
      },
    };
    const intent = new Intent({ executor, schema: orderSchema });
    const error = await failure(intent.parse({ input: INPUT }), 'MODEL_RATE_LIMITED', 'model');
    expect([calls, error.partialResult.intents.length]).toEqual([2, 1]);
    expect(error.cause).toBeInstanceOf(IntentError);
    const stuck = new Intent({ executor, timeoutMs: 100 });
    service.answers = [() => {}];
    await failure(stuck.parse({ input: INPUT }), 'MODEL_TIMEOUT', 'core');
    await Promise.all([intent.dispose(), stuck.dispose()]);
  });

  test('the object cannot be changed, nor mistaken for another', async () => {
    const executor = make();
    expect(Object.isFrozen(executor)).toBe(true);
    expect(() => {
      executor.generate = () => complete(core());
    }).toThrow(TypeError);
    const proxy = new Proxy(executor, {});
    const intent = new Intent({
      executor: { id: 'p', generate: (request) => proxy.generate(request) },
    });
    await failure(intent.parse({ input: INPUT }), 'CONFIG_INVALID', 'config');
    await intent.dispose();
  });
});

describe('readers of envelopes', () => {
  test('read the same replies as the executor', () => {
    expect(readCompletedResponse(responses('t'))).toEqual({
      ...complete('t'),
      usage: { inputTokens: 11, outputTokens: 7 },
    });
    expect(readChatCompletion(chat('t'))).toEqual({
      ...complete('t'),
      usage: { inputTokens: 11, outputTokens: 7 },
    });
    expect(readChatCompletion(chat('{', { finish_reason: 'length' })).outcome).toBe('incomplete');
    expect(readChatCompletion(chat(null, {}, { refusal: 'no' }))).toMatchObject({
      outcome: 'refusal',
    });
    expect(readCompletedResponse(responses('', { status: 'incomplete' })).outcome).toBe(
      'incomplete',
    );
    const classy = new (class {
      choices = chat('t').choices;
    })();
    expect(readChatCompletion(classy).text).toBe('t');
  });

  test('and nothing else', () => {
    const cyclic = {};
    cyclic.self = cyclic;
    for (const read of [readCompletedResponse, readChatCompletion]) {
      for (const value of [
        ...[undefined, null, true, 7, 1n, 'x', Symbol('s'), [], {}, () => {}, cyclic],
        Promise.resolve(chat('t')),
        { error: { message: `PROVIDER-SECRET ${KEY}` } },
        { choices: 'x', output: 'x', status: 'completed' },
        {
          get choices() {
            throw new Error('trap');
          },
          get status() {
            throw new Error('trap');
          },
        },
      ]) {
        const error = refusal(() => read(value), 'MODEL_REQUEST_FAILED', 'model');
        expect(error.message).not.toContain('SECRET');
      }
    }
  });

  test('name a wrong argument', () => {
    const promise = Promise.resolve(chat('t'));
    for (const [value, says] of [
      [new Response('{}'), /was given a Response of fetch; hand it await response\.json\(\)/],
      [promise, /was given a promise; await it first\.$/],
      // biome-ignore lint/suspicious/noThenProperty: a thenable is what is tried
      [{ then: () => {} }, /was given a promise/],
      [JSON.stringify(chat('t')), /was given a text; hand it JSON\.parse\(text\)/],
      [undefined, /was given undefined/],
      [null, /was given null/],
      [7, /was given a number/],
      [{ data: chat('t'), status: 200, headers: {} }, /hand it the body, response\.data/],
      [new Response('{}').body, /was given a stream/],
      [(async function* () {})(), /was given a stream/],
      [Buffer.from('{}'), /was given bytes/],
      [new ArrayBuffer(2), /was given bytes/],
    ])
      for (const [name, read] of Object.entries({ readCompletedResponse, readChatCompletion })) {
        const error = refusal(() => read(value), 'MODEL_REQUEST_FAILED', 'model', says);
        expect(error.message.startsWith(name)).toBe(true);
      }
    return promise;
  });

  test('a lone surrogate in the text is refused', () => {
    for (const text of ['a\ud800', '\udc00']) {
      let reply;
      try {
        reply = readChatCompletion(chat(text));
      } catch (error) {
        expect(error.code).toBe('MODEL_REQUEST_FAILED');
        continue;
      }
      expect(reply.text.isWellFormed() === false || reply.text.includes('\\u')).toBe(true);
    }
  });
});

describe('the key', () => {
  test('shows nowhere', () => {
    const executor = make();
    const shown = [
      inspect(executor, { depth: 9, showHidden: true, getters: true, showProxy: true }),
      inspect(new Intent({ executor }), { depth: 9, showHidden: true }),
      JSON.stringify(executor),
      String(executor),
      JSON.stringify(Object.getOwnPropertyDescriptors(executor)),
      JSON.stringify(Object.getOwnPropertyDescriptors(Object.getPrototypeOf(executor))),
      inspect(Reflect.ownKeys(executor)),
      inspect(deserialize(serialize({ ...executor }))),
    ];
    for (const text of shown) expect(text).not.toContain(KEY);
    expect(JSON.parse(JSON.stringify(executor))).toEqual({ id: 'api:openai' });
  });

  test('nor in a log, with any RUST_LOG and NODE_DEBUG', async () => {
    service.answers = [responses(core()), status(401), (request) => request.socket.destroy()];
    const { code, stdout, stderr } = await runNode(
      `import { inspect } from 'node:util';
       import { Intent } from '@devcodex/intent-runtime';
       import { createApiExecutor } from '@devcodex/intent-runtime/adapters/api';
       const executor = createApiExecutor(${JSON.stringify(config())});
       const intent = new Intent({ executor });
       for (let i = 0; i < 3; i++) {
         const outcome = await intent.parse({ input: 'x' }).catch((error) => error);
         console.log(outcome.code ?? 'result', inspect(outcome, { depth: 9, showHidden: true }));
       }`,
      { env: { RUST_LOG: 'trace', RUST_BACKTRACE: 'full', NODE_DEBUG: 'http,net,tls' } },
    );
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/^result[\s\S]*^MODEL_AUTH_FAILED[\s\S]*^MODEL_REQUEST_FAILED/m);
    expect(stdout + stderr).not.toContain(KEY);
  });
});
