// Tests `createApiExecutor` against services of other projects. docs/reliability.md has the results.

import { createRequire } from 'node:module';
import { Intent } from '@devcodex/intent-runtime';
import { createApiExecutor } from '@devcodex/intent-runtime/adapters/api';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { failure, INPUT, orderSchema } from '../support/model.mjs';
import { LITELLM_KEY, startAimock, startLiteLlm, startMockLlm } from './run.mjs';

const modules = inject('npm');
const programs = inject('python');

const parse = async (over, request, config) => {
  const executor = createApiExecutor({ provider: 'openai', model: 'any', apiKey: 'k', ...over });
  let usage;
  const noting = {
    id: 'noting',
    async generate(question) {
      const reply = await executor.generate(question);
      usage = reply.usage;
      return reply;
    },
  };
  const intent = new Intent({
    executor: noting,
    schema: orderSchema,
    timeoutMs: 30_000,
    ...config,
  });
  try {
    return { result: await intent.parse({ input: INPUT, ...request }), usage };
  } finally {
    await intent.dispose();
  }
};
const whole = async (over) => {
  const { result, usage } = await parse(over);
  expect(result.data).toEqual({ orderId: '000123' });
  expect(result.intents[0]).toMatchObject({ action: 'query', status: 'ready' });
  return usage;
};
const fails = async (over, word, code) => {
  const error = await failure(parse(over, { input: `${word} ${INPUT}` }), code);
  expect(JSON.stringify(error) + String(error.stack)).not.toContain('SERVICE-SECRET');
};
const { examine } = createRequire(import.meta.url)('../../js/doctor/index.js');
/** The doctor finds options that work, in at most twelve requests. */
const examined = async (over) => {
  const result = await examine({ model: 'any', timeoutMs: 30_000, requests: 12, ...over });
  console.log(`${over.baseURL}: ${result.requests} requests, ${JSON.stringify(result.honours)}`);
  expect(result.ok, JSON.stringify(result)).toBe(true);
  expect(result.requests).toBeLessThanOrEqual(12);
  await whole({ ...result.options, apiKey: over.apiKey ?? 'k' });
};
const numbers = { inputTokens: expect.any(Number), outputTokens: expect.any(Number) };
const CHAT = 'chat-completions';
const outcomes = {
  UNAUTHORISED: 'MODEL_AUTH_FAILED',
  BUSY: 'MODEL_RATE_LIMITED',
  BROKEN: 'MODEL_REQUEST_FAILED',
  LONG: 'MODEL_OUTPUT_INCOMPLETE',
  FILTERED: 'MODEL_REFUSED',
  TOOL: 'MODEL_REQUEST_FAILED',
};

describe.skipIf(modules === null)('aimock', () => {
  let service;
  beforeAll(async () => {
    service = await startAimock(modules);
  });
  afterAll(() => service?.stop());

  for (const protocol of ['responses', CHAT]) {
    for (const format of ['json_schema', 'text']) {
      test(`${protocol}, ${format}`, async () => {
        const over = { baseURL: service.baseURL, protocol, format };
        expect(await whole(over)).toEqual(numbers);
        // A fence is taken off where text is asked for, else it is what the repair is about.
        const { result } = await parse(over, { input: `FENCED ${INPUT}`, fields: [] });
        expect(result.intents).toHaveLength(1);
        for (const [word, code] of Object.entries(outcomes)) {
          // Filtered, its Responses have status "failed".
          const failed = word === 'FILTERED' && protocol === 'responses';
          await fails(over, word, failed ? 'MODEL_REQUEST_FAILED' : code);
        }
      });
    }
  }

  test('the doctor', () => examined({ baseURL: service.baseURL, apiKey: 'k' }));

  test('an aborted parse leaves it ready for the next one', async () => {
    const over = { baseURL: service.baseURL, protocol: CHAT };
    for (let i = 0; i < 5; i++) {
      const controller = new AbortController();
      const parsing = parse(over, { signal: controller.signal });
      setTimeout(() => controller.abort(), i);
      await parsing.catch((error) => expect(error.code).toBe('MODEL_ABORTED'));
    }
    await whole(over);
  });
});

describe.skipIf(modules === null)('mock-llm', () => {
  let service;
  beforeAll(async () => {
    service = await startMockLlm(modules);
  });
  afterAll(() => service?.stop());

  test('chat completions, without index, usage and created', async () => {
    for (const format of ['json_schema', 'text'])
      expect(await whole({ baseURL: service.baseURL, protocol: CHAT, format })).toBeUndefined();
  });

  test('the doctor', () => examined({ baseURL: service.baseURL, apiKey: 'k' }));

  test('it has no Responses', async () => {
    const error = await failure(
      parse({ baseURL: service.baseURL }),
      'MODEL_REQUEST_FAILED',
      'model',
    );
    expect(error.message).toMatch(/404.*protocol/);
  });
});

describe.skipIf(programs === null || modules === null)('LiteLLM', () => {
  let upstream;
  let service;
  beforeAll(async () => {
    upstream = await startAimock(modules);
    service = await startLiteLlm(programs, upstream.baseURL);
  });
  afterAll(() => Promise.all([upstream?.stop(), service?.stop()]));

  test('its own mock answers, both protocols, with and without /v1', async () => {
    for (const protocol of ['responses', CHAT]) {
      for (const baseURL of [service.baseURL, service.origin]) {
        const over = { baseURL, protocol, model: 'mocked', apiKey: LITELLM_KEY };
        const { result, usage } = await parse(over, { fields: [] });
        expect(result.intents).toHaveLength(1);
        expect(usage).toEqual(numbers);
      }
    }
  });

  test('the doctor', async () => {
    for (const model of ['through', 'bridged'])
      await examined({ baseURL: service.baseURL, model, apiKey: LITELLM_KEY });
  });

  test('a wrong key', async () => {
    const over = { baseURL: service.baseURL, model: 'mocked', apiKey: 'sk-wrong' };
    // Without a database it cannot look a key up, and says 400.
    const error = await failure(parse(over), 'MODEL_REQUEST_FAILED', 'model');
    expect(error.message).toContain('no_db_connection');
  });

  test('an unknown model', async () => {
    const over = { baseURL: service.baseURL, model: 'none', apiKey: LITELLM_KEY, protocol: CHAT };
    await failure(parse(over), 'MODEL_REQUEST_FAILED', 'model');
  });

  for (const [model, protocol] of [
    ['through', CHAT],
    ['bridged', CHAT],
    ['bridged', 'responses'],
  ]) {
    test(`${model}, ${protocol}`, async () => {
      const over = { baseURL: service.baseURL, protocol, model, apiKey: LITELLM_KEY };
      for (const format of ['json_schema', 'text'])
        expect(await whole({ ...over, format })).toEqual(numbers);
      for (const [word, code] of Object.entries(outcomes)) await fails(over, word, code);
    });
  }
});
