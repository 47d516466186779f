// intent-runtime-doctor: for every stand-in it finds options that complete a recognition, within its
// twelve requests, and says why where there are none.

import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Intent } from '@devcodex/intent-runtime';
import { createApiExecutor } from '@devcodex/intent-runtime/adapters/api';
import { describe, expect, test } from 'vitest';
import { serve } from './stand-ins/engine.mjs';
import { rowOf, rows } from './stand-ins/rows.mjs';
import { INPUT, orderSchema } from './support/model.mjs';
import { runNode } from './support/process.mjs';

const { examine, MOST_REQUESTS } = createRequire(import.meta.url)('../js/doctor/index.js');
const bin = join(fileURLToPath(new URL('..', import.meta.url)), 'bin', 'intent-runtime-doctor.js');
const KEY = 'sk-the-key-of-the-doctor';

const doctor = (args, env = {}) => runNode([bin, ...args], { env: { INTENT_API_KEY: '', ...env } });

const served = async (row, options, run) => {
  const service = await serve(row, { key: KEY, ...options });
  try {
    return await run(service);
  } finally {
    await service.close();
  }
};

for (const row of rows)
  for (const model of row.models)
    test(`${row.name}, ${model}`, () =>
      served(row, {}, async ({ baseURL, seen }) => {
        const apiKey = row.key === false ? undefined : KEY;
        const result = await examine({
          baseURL,
          model,
          apiKey,
          timeoutMs: 10_000,
          requests: MOST_REQUESTS,
        });
        expect(result.ok, JSON.stringify(result)).toBe(true);
        expect(seen.length).toBe(result.requests);
        expect(seen.length).toBeLessThanOrEqual(12);
        expect(result.tries).toHaveLength(seen.length);
        expect(result.honours).toMatchObject({ usage: true, repairs: 0, right: true });
        expect(JSON.stringify(result)).not.toContain(KEY);
        // A schema is honoured if the row says so for the chosen endpoint.
        const { protocol = 'responses', format = 'json_schema' } = result.options;
        const said = row.honours.json_schema;
        if (format === 'json_schema')
          expect(result.honours.schema).toBe(said === true || said === protocol);
        // The printed options work.
        const intent = new Intent({
          schema: orderSchema,
          executor: createApiExecutor({ ...result.options, apiKey }),
        });
        expect((await intent.parse({ input: INPUT })).data).toEqual({ orderId: '000123' });
        await intent.dispose();
      }));

test('a repair in both stages is counted', () =>
  served(rowOf('openai'), { faulty: ['core', 'data'] }, async ({ baseURL, seen }) => {
    const given = { baseURL, model: 'gpt-5-mini', apiKey: KEY, timeoutMs: 10_000 };
    const result = await examine({ ...given, requests: 12 });
    expect(result).toMatchObject({ ok: true, honours: { repairs: 2 } });
    expect(seen.length).toBe(result.requests);
  }));

describe('where nothing works', () => {
  const examined = (baseURL, over) =>
    examine({ baseURL, model: 'any', timeoutMs: 5000, requests: 12, ...over });

  /** Answers everything with a status and a body. */
  const always = async (status, body, run) => {
    let requests = 0;
    const server = createServer((request, response) => {
      requests++;
      request.resume();
      request.on('end', () => {
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(JSON.stringify(body));
      });
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      return await run(`http://127.0.0.1:${server.address().port}/v1`, () => requests);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  };
  const chat = (content) => ({
    choices: [{ message: { role: 'assistant', content }, finish_reason: 'stop' }],
  });

  for (const [name, status, body, reason] of [
    ['a key is refused', 401, { error: {} }, /refused the key/],
    ['a rate limit', 429, { error: {} }, /rate limit/],
    ['neither path', 404, {}, /knows neither path, or not this model/],
    ['every field is refused', 400, { error: { message: 'no' } }, /refused every form/],
    ['what answers is no model service', 200, { hello: 1 }, /refused every form/],
    [
      'a model without usable answers',
      200,
      chat('I am a parrot.'),
      /the model's answers do not pass the check.*larger model/s,
    ],
  ])
    test(name, () =>
      always(status, body, async (baseURL, requests) => {
        const result = await examined(baseURL);
        expect(result.ok).toBe(false);
        expect(result.reason).toMatch(reason);
        expect(requests()).toBe(result.requests);
        expect(requests()).toBeLessThanOrEqual(12);
      }),
    );

  test('no server listens', async () => {
    const result = await examined('http://127.0.0.1:9/v1');
    expect(result).toMatchObject({ ok: false, requests: 1 });
    expect(result.reason).toMatch(/connect/i);
  });

  test('the service never answers', async () => {
    const server = createServer(() => {});
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    const baseURL = `http://127.0.0.1:${server.address().port}/v1`;
    const result = await examined(baseURL, { timeoutMs: 50 });
    server.closeAllConnections();
    server.close();
    expect(result).toMatchObject({ ok: false, requests: 1 });
    expect(result.reason).toMatch(/did not answer in time/);
  });

  test('never more than its requests, wherever they run out', () =>
    served(rowOf('qwen'), { faulty: ['core', 'data'] }, async ({ baseURL, seen }) => {
      for (let requests = 1; requests <= 10; requests++) {
        const before = seen.length;
        const result = await examined(baseURL, { model: 'qwen3-max', apiKey: KEY, requests });
        expect(seen.length - before).toBeLessThanOrEqual(requests);
        if (!result.ok) expect(result.reason).toMatch(/requests were not enough|\./);
      }
    }));
});

describe('the command', () => {
  test('announces its requests, prints the call to paste, and shows no key', () =>
    served(rowOf('mistral'), {}, async ({ baseURL }) => {
      const run = await doctor([baseURL, '--model', 'mistral-small-latest'], {
        INTENT_API_KEY: KEY,
      });
      expect([run.code, run.stderr]).toEqual([0, '']);
      expect(run.stdout.split('\n')[0]).toMatch(/^At most 12 requests go to http/);
      expect(run.stdout).toContain(`const executor = createApiExecutor({
  provider: 'openai',
  protocol: 'chat-completions',
  baseURL: '${baseURL}',
  model: 'mistral-small-latest',
  outputLimit: 'max_tokens',
  body: { store: null },
  apiKey: process.env.INTENT_API_KEY,
});`);
      expect(run.stdout).toMatch(/JSON Schema honoured: yes/);
      expect(run.stdout).not.toContain(KEY);
    }));

  test('--json is one object, the rest goes to standard error', () =>
    served(rowOf('ollama'), {}, async ({ baseURL, seen }) => {
      // Without --model: the only one that the service names. That request counts as well.
      const run = await doctor([baseURL, '--json']);
      expect(run.code).toBe(0);
      const result = JSON.parse(run.stdout);
      expect(result).toMatchObject({
        ok: true,
        model: 'gpt-oss:20b',
        keyed: false,
        options: { protocol: 'chat-completions', outputLimit: 'max_tokens' },
      });
      expect(seen.length).toBe(result.requests + 1);
      expect(run.stderr).toMatch(/^At most 12 requests/);
    }));

  test('exit code 1, where nothing works', () =>
    served(rowOf('openai'), { key: 'another key' }, async ({ baseURL }) => {
      const run = await doctor([baseURL, '--model', 'gpt-5-mini'], { INTENT_API_KEY: KEY });
      expect(run.code).toBe(1);
      expect(run.stdout).toMatch(/No recognition was completed, after 1 requests?\. .*key/);
      expect(run.stdout + run.stderr).not.toContain(KEY);
    }));

  test('several models are listed', () =>
    served(rowOf('deepseek'), {}, async ({ baseURL }) => {
      const run = await doctor([baseURL], { INTENT_API_KEY: KEY });
      expect(run.code).toBe(1);
      expect(run.stderr).toContain('--model:\n  deepseek-v4-flash\n  deepseek-v4-pro\n');
    }));

  test('a wrong command line is exit code 2, and sends nothing', async () => {
    for (const [args, message] of [
      [[], /one base URL is needed/],
      [['a', 'b'], /one base URL is needed/],
      [['http://127.0.0.1:1/v1', '--modle', 'x'], /--modle/],
      [['http://127.0.0.1:1/v1', '--timeout', 'soon'], /--timeout must be/],
      [['not a url', '--model', 'm'], /baseURL/],
      [['http://8.8.8.8/v1', '--model', 'm'], /baseURL/],
      [[`https://user:${KEY}@example.com/v1`, '--model', 'm'], /baseURL/],
    ]) {
      const run = await doctor(args, { INTENT_API_KEY: KEY });
      expect(run.code, run.stderr).toBe(2);
      expect(run.stderr).toMatch(message);
      expect(run.stdout + run.stderr).not.toContain(KEY);
    }
  });

  test('--help and --version', async () => {
    expect((await doctor(['--help'])).stdout).toMatch(/INTENT_API_KEY/);
    expect((await doctor(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+/);
  });
});
