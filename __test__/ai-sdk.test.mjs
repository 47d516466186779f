// Language models of the AI SDK as executors: with the published provider packages against the wire
// of their services, with the mock models of `ai/test`, and with models that are none.

import { inspect } from 'node:util';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createDeepSeek } from '@ai-sdk/deepseek';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createMistral } from '@ai-sdk/mistral';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { Intent, IntentError } from '@devcodex/intent-runtime';
import { fromLanguageModel } from '@devcodex/intent-runtime/adapters/ai-sdk';
import { MockLanguageModelV3, MockLanguageModelV4 } from 'ai/test';
import { describe, expect, test } from 'vitest';
import { serve } from './stand-ins/engine.mjs';
import { serveNative } from './stand-ins/native.mjs';
import { rowOf } from './stand-ins/rows.mjs';
import {
  core,
  failure,
  INPUT,
  looseSchema,
  order,
  orderSchema,
  refusal,
} from './support/model.mjs';

const KEY = 'sk-stand-in';

/** One model of each package, made for a base URL. */
const compatible = (id, model, over) => ({
  start: (options) => serve(rowOf(id), options),
  model: (baseURL, apiKey) => createOpenAICompatible({ name: id, baseURL, apiKey, ...over })(model),
});
const MODELS = {
  'openai-compatible': compatible('openrouter', 'openai/gpt-5-mini'),
  'openai-compatible with structured outputs': compatible('groq', 'openai/gpt-oss-20b', {
    supportsStructuredOutputs: true,
  }),
  anthropic: {
    start: (options) => serveNative('anthropic', options),
    model: (baseURL, apiKey) => createAnthropic({ baseURL, apiKey })('claude-sonnet-4-5'),
  },
  'anthropic, an older model': {
    start: (options) => serveNative('anthropic', options),
    model: (baseURL, apiKey) => createAnthropic({ baseURL, apiKey })('claude-3-haiku-20240307'),
  },
  google: {
    start: (options) => serveNative('gemini', options),
    model: (baseURL, apiKey) => createGoogleGenerativeAI({ baseURL, apiKey })('gemini-2.5-flash'),
  },
  mistral: {
    start: (options) => serve(rowOf('mistral'), options),
    model: (baseURL, apiKey) => createMistral({ baseURL, apiKey })('mistral-small-latest'),
  },
  deepseek: {
    start: (options) => serve(rowOf('deepseek'), options),
    model: (baseURL, apiKey) => createDeepSeek({ baseURL, apiKey })('deepseek-v4-flash'),
  },
};

const parse = async (model, { options, request } = {}) => {
  const intent = new Intent({ schema: looseSchema, executor: fromLanguageModel(model, options) });
  try {
    return await intent.parse({ input: INPUT, ...request });
  } finally {
    await intent.dispose();
  }
};

/** One question, put to the executor itself. */
const asked = (model) =>
  fromLanguageModel(model).generate({
    stage: 'core',
    instructions: 'Answer with JSON.',
    payload: JSON.stringify({ currentInput: INPUT }),
    outputSchema: { type: 'object' },
  });

/** The content of a service's error body; no part of it may be visible. */
const SECRET = 'SERVICE-SECRET';
const trouble = (status, error, headers) => () => ({
  status,
  headers,
  message: SECRET,
  ...error,
  body: { type: 'error', error: { message: SECRET, ...error } },
});

for (const [name, { start, model }] of Object.entries(MODELS))
  describe(name, () => {
    const using = async (options, run) => {
      const service = await start(options);
      try {
        return await run(service);
      } finally {
        await service.close();
      }
    };

    test('recognises in two stages, each with a repair', () =>
      using({ faulty: ['core', 'data'] }, async ({ baseURL, seen }) => {
        const result = await parse(model(baseURL, KEY), { options: { maxOutputTokens: 4000 } });
        expect(result.data).toEqual({ orderId: '000123' });
        expect(result.intents[0]).toMatchObject({ action: 'query', status: 'ready' });
        expect(seen).toHaveLength(4);
        // The model sees the schema, whichever way its service takes it.
        for (const { body } of seen) {
          expect(JSON.stringify(body)).toMatch(/"normalizedInput\\*"|"fieldResults\\*"/);
          expect(JSON.stringify(body)).toContain('4000');
        }
      }));

    test('a failure has its facts, but no part of the body', () =>
      using(
        {
          trouble: (n) =>
            [
              trouble(401, { code: 'invalid_api_key' }),
              trouble(429, { code: 'rate_limit' }, { 'retry-after': '7', 'x-request-id': 'req-7' }),
              trouble(429, { code: 'insufficient_quota' }),
              trouble(400, { type: 'invalid_request_error' }),
              trouble(503, {}),
            ][n - 1]?.(),
        },
        async ({ baseURL }) => {
          const errors = [];
          for (const code of [
            'MODEL_AUTH_FAILED',
            'MODEL_RATE_LIMITED',
            'MODEL_RATE_LIMITED',
            'MODEL_REQUEST_FAILED',
            'MODEL_REQUEST_FAILED',
          ])
            errors.push(await failure(parse(model(baseURL, KEY)), code, 'model'));
          const [auth, limited, quota, bad, busy] = errors;
          expect(auth.http.status).toBe(401);
          expect(limited.http).toMatchObject({
            status: 429,
            retryAfterMs: 7000,
            requestId: 'req-7',
          });
          expect(errors.map(({ retryable }) => retryable)).toEqual([
            false,
            true,
            quota.http.code !== 'insufficient_quota',
            false,
            true,
          ]);
          expect(bad.message).toContain('providerOptions');
          expect(busy.http.status).toBe(503);
          for (const error of errors) {
            const shown = inspect(error, { depth: 9 }) + JSON.stringify(error);
            expect(shown).not.toContain(SECRET);
            expect(shown).not.toContain(KEY);
            expect(shown).not.toContain('000123');
          }
        },
      ));

    test('no connection is worth another attempt', () =>
      using({}, async ({ baseURL, close }) => {
        await close();
        const error = await failure(
          asked(model(baseURL, KEY)),
          'MODEL_REQUEST_FAILED',
          'model',
          /could not be reached/,
        );
        expect(error.retryable).toBe(true);
      }));

    test('an abort ends the call', () =>
      using({}, async ({ baseURL }) => {
        const controller = new AbortController();
        const parsing = parse(model(baseURL, KEY), { request: { signal: controller.signal } });
        controller.abort();
        await failure(parsing, 'MODEL_ABORTED', 'core');
      }));
  });

describe('mock models of ai/test', () => {
  const usage = {
    inputTokens: { total: 10, noCache: 6, cacheRead: 4, cacheWrite: undefined },
    outputTokens: { total: 7, text: 4, reasoning: 3 },
  };
  const result = (text, over) => ({
    content: [
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: text.slice(0, 5) },
      { type: 'source', sourceType: 'url', id: '1', url: 'https://example.com' },
      { type: 'text', text: text.slice(5) },
    ],
    finishReason: { unified: 'stop', raw: 'end' },
    usage,
    warnings: [],
    ...over,
  });
  const request = { stage: 'core', instructions: 'i', payload: '{}', outputSchema: {} };

  for (const [version, Mock] of [
    ['v3', MockLanguageModelV3],
    ['v4', MockLanguageModelV4],
  ]) {
    test(`${version}: a recognition, and the request to the model`, async () => {
      const replies = [result(core()), result(order)];
      const mock = new Mock({ doGenerate: async () => replies.shift() });
      const executor = fromLanguageModel(mock, {
        temperature: 0.5,
        maxOutputTokens: 99,
        providerOptions: { x: { y: 1 }, openai: { user: 'u' } },
      });
      expect(executor.id).toBe('ai-sdk:mock-provider:mock-model-id');
      const intent = new Intent({ executor, schema: orderSchema });
      expect((await intent.parse({ input: INPUT })).data).toEqual({ orderId: '000123' });
      await intent.dispose();
      const [first, second] = mock.doGenerateCalls;
      expect(first).toMatchObject({
        temperature: 0.5,
        maxOutputTokens: 99,
        providerOptions: { x: { y: 1 }, openai: { user: 'u' } },
        responseFormat: { type: 'json', name: 'intent_core', schema: { type: 'object' } },
        abortSignal: expect.any(AbortSignal),
      });
      expect(first.prompt.map(({ role }) => role)).toEqual(['system', 'user']);
      expect(JSON.parse(first.prompt[1].content[0].text).currentInput).toBe(INPUT);
      expect(second.providerOptions.openai).toEqual({ strictJsonSchema: false, user: 'u' });
      expect(second.responseFormat.schema.properties).toHaveProperty('data');
    });

    test(`${version}: the model that answered, and the service's name for the request`, async () => {
      const response = { modelId: 'model-7', headers: { 'x-request-id': 'req-7' } };
      const mock = new Mock({ doGenerate: async () => result('text', { response }) });
      expect(await fromLanguageModel(mock).generate(request)).toMatchObject({
        model: 'model-7',
        requestId: 'req-7',
      });
    });

    test(`${version}: usage and finish reasons`, async () => {
      const asked = (over) =>
        fromLanguageModel(new Mock({ doGenerate: async () => result('text', over) })).generate(
          request,
        );
      const counted = {
        usage: { inputTokens: 10, outputTokens: 7, cachedInputTokens: 4, reasoningTokens: 3 },
      };
      expect(await asked()).toEqual({ outcome: 'complete', text: 'text', ...counted });
      expect(await asked({ finishReason: { unified: 'length' } })).toEqual({
        outcome: 'incomplete',
        detail: 'length',
        ...counted,
      });
      expect(await asked({ finishReason: { unified: 'content-filter' } })).toMatchObject({
        outcome: 'refusal',
      });
      expect(await asked({ usage: undefined })).not.toHaveProperty('usage');
      for (const [over, message] of [
        [{ finishReason: { unified: 'error' } }, /finishReason must be "stop", got "error"/],
        [
          { finishReason: { unified: 'tool-calls' } },
          /finishReason must be "stop", got "tool-calls"/,
        ],
        [{ finishReason: undefined }, /finishReason must be "stop", got undefined/],
        [{ content: [] }, /no text/],
        [{ content: undefined }, /no content/],
        [{ content: [{ type: 'tool-call', toolName: 'x' }] }, /calls a tool/],
      ])
        await failure(asked(over), 'MODEL_REQUEST_FAILED', 'model', message);
    });
  }

  test('a block of thinking and a code fence are taken off', async () => {
    const mock = new MockLanguageModelV4({
      doGenerate: async () => result('<think>Hm.</think>\n```json\n{"a":1}\n```'),
    });
    expect(await fromLanguageModel(mock).generate(request)).toMatchObject({ text: '{"a":1}\n' });
  });

  test('v4: the text that a model marks as its answer counts', async () => {
    const mock = new MockLanguageModelV4({
      doGenerate: async () => result('draft', { structuredOutputText: 'final' }),
    });
    expect(await fromLanguageModel(mock).generate(request)).toMatchObject({ text: 'final' });
  });

  test('v2: plain finish reasons and counts', async () => {
    const model = {
      specificationVersion: 'v2',
      provider: 'p',
      modelId: 'm',
      doGenerate: async () =>
        result('text', {
          finishReason: 'stop',
          usage: { inputTokens: 3, outputTokens: 2, totalTokens: 5, reasoningTokens: Number.NaN },
        }),
    };
    expect(await fromLanguageModel(model).generate(request)).toEqual({
      outcome: 'complete',
      text: 'text',
      usage: { inputTokens: 3, outputTokens: 2 },
    });
  });

  test('a model that says it sends no schema has it behind the instructions', async () => {
    const calls = [];
    const model = {
      specificationVersion: 'v4',
      provider: 'p',
      modelId: 'm',
      supportsStructuredOutputs: false,
      doGenerate: async (options) => {
        calls.push(options);
        return result('text');
      },
    };
    const outputSchema = { type: 'object', required: ['unmistakable'] };
    await fromLanguageModel(model).generate({ ...request, outputSchema });
    expect(calls[0].prompt[0].content).toBe(
      `i\n\nOutput schema (JSON Schema): ${JSON.stringify(outputSchema)}`,
    );
  });

  test('an error of a model is reported or passed on', async () => {
    const thrown = [
      [new IntentError('MODEL_REFUSED'), 'MODEL_REFUSED'],
      [new TypeError('x'), 'MODEL_REQUEST_FAILED'],
      ['a string', 'MODEL_REQUEST_FAILED'],
      [undefined, 'MODEL_REQUEST_FAILED'],
    ];
    for (const [value, code] of thrown) {
      const mock = new MockLanguageModelV4({
        doGenerate: () => {
          throw value;
        },
      });
      await failure(parse(mock), code);
    }
  });
});

describe('values that are not models', () => {
  const model = { specificationVersion: 'v4', provider: 'p', modelId: 'm', doGenerate() {} };
  test('is refused, with the reason', () => {
    for (const [given, options, message] of [
      ['openai/gpt-5', undefined, /got a string; call a provider with the name/],
      [undefined, undefined, /must be a language model of the AI SDK, got undefined/],
      [{ ...model, specificationVersion: 'v1' }, undefined, /"v1"; it is of AI SDK 4/],
      [{ ...model, specificationVersion: 'v9' }, undefined, /one of "v2", "v3", "v4", got "v9"/],
      [{ ...model, provider: 1 }, undefined, /model\.provider must be a string/],
      [{ ...model, doGenerate: undefined }, undefined, /model\.doGenerate must be a function/],
      [
        {
          get specificationVersion() {
            throw new Error('x');
          },
        },
        undefined,
        /model\.specificationVersion cannot be read: it threw/,
      ],
      [model, { temprature: 1 }, /unknown key "temprature".*temperature/],
      [model, { temperature: 'hot' }, /options\.temperature must be a number/],
      [model, { maxOutputTokens: 0 }, /options\.maxOutputTokens must be a positive/],
      [model, { providerOptions: [] }, /options\.providerOptions must be an object/],
      [model, { providerOptions: { openai: 1 } }, /providerOptions\["openai"\] must be an object/],
      [model, { providerOptions: { openai: { n: 1n } } }, /providerOptions must be JSON/],
    ])
      refusal(() => fromLanguageModel(given, options), 'CONFIG_INVALID', 'config', message);
  });

  test('options are copied', async () => {
    const calls = [];
    const providerOptions = { x: { y: 1 } };
    const executor = fromLanguageModel(
      { ...model, doGenerate: async (options) => calls.push(options) && {} },
      { providerOptions },
    );
    providerOptions.x.y = 2;
    await executor.generate({ instructions: 'i', payload: '{}' }).catch(() => {});
    expect(calls[0].providerOptions).toEqual({ x: { y: 1 } });
  });
});
