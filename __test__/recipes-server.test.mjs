// The server of the recipes, as a client meets it. The other recipes are run by `docs.test.mjs`.

import { mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { coreCandidate, dataCandidate } from '@devcodex/intent-runtime/testing';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { read, root } from './docs/blocks.mjs';
import { answer } from './docs/stand-in.mjs';
import { responses, startService, status } from './support/service.mjs';

const schema = {
  type: 'object',
  properties: {
    orderId: { type: 'string', description: 'The order number, with its leading zeros.' },
  },
  required: ['orderId'],
};

let service;
let server;
let address;

/** The answer of a model to the question. */
const byRules = (_, response, body) => {
  const { content } = body.input[0];
  const payload = typeof content === 'string' ? content : content[0].text;
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(responses(answer(payload))));
};

beforeAll(async () => {
  service = await startService();
  const [{ code }] = read(join('docs', 'recipes.md')).blocks.filter(({ flags }) =>
    flags.includes('server'),
  );
  const folder = join(root, 'target', 'recipes-server-test');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'server.ts');
  writeFileSync(file, code);
  Object.assign(process.env, {
    PORT: '0',
    INTENT_BASE_URL: service.baseURL,
    INTENT_MODEL: 'm',
    INTENT_API_KEY: 'k',
  });
  vi.spyOn(console, 'error').mockImplementation(() => {});
  ({ server } = await import(/* @vite-ignore */ pathToFileURL(file).href));
  if (!server.listening) await new Promise((resolve) => server.once('listening', resolve));
  address = `http://127.0.0.1:${server.address().port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await service.close();
  process.removeAllListeners('SIGTERM');
});

const post = async (body, path = '/orders') => {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(address + path, { method: 'POST', headers, body });
  return { status: response.status, body: await response.json() };
};
const ask = (text, answers) => {
  service.answers = answers ?? [];
  return post(JSON.stringify({ text }));
};
const fail = (code) => [status(code, '{}')];

it('answers with data, and names missing values', async () => {
  const rules = Array(4).fill(byRules);
  const { status: good, body } = await ask('Query order 000123.', rules);
  expect([good, body.data, body.intents[0].action]).toEqual([200, { orderId: '000123' }, 'query']);
  const missing = await ask('Where is my order?', rules);
  expect(missing.status).toBe(422);
  expect(missing.body.ask).toHaveLength(1);
  expect(missing.body.unusable).toEqual([]);
});

it('says what the schema cannot represent', async () => {
  const input = 'Query order ten.';
  const core = coreCandidate({ intents: [{ action: 'query', target: 'order ten' }] });
  const message = 'An order number has six digits.';
  const issues = [{ code: 'DATA_VALUE_UNREPRESENTABLE', path: '/data/orderId', message }];
  const data = dataCandidate({ schema, input, issues });
  const answers = [core, data].map((text) => (_, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(responses(text)));
  });
  const { status: refused, body } = await ask(input, answers);
  expect([refused, body]).toEqual([422, { ask: [], unusable: [message] }]);
});

it('does not ask a greeting for its order number', async () => {
  const core = (_, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(responses(coreCandidate({ input: 'Hello!' }))));
  };
  const { status: good, body } = await ask('Hello!', [core]);
  expect([good, body]).toEqual([200, { intents: [], prohibitions: [], data: {} }]);
});

it('maps each failure to a status', async () => {
  expect((await fetch(`${address}/health`)).status).toBe(200);
  expect((await fetch(`${address}/health?from=docker`)).status).toBe(200);
  expect((await post('{}', '/elsewhere')).status).toBe(404);
  for (const body of ['', 'x', '{}', '{"text":1}', 'null'])
    expect((await post(body)).status, body).toBe(400);
  expect(await ask(' ')).toEqual({ status: 400, body: { error: 'INPUT_INVALID' } });
  expect(await ask('x'.repeat(5_000))).toEqual({ status: 413, body: { error: 'LIMIT_EXCEEDED' } });
  expect((await post('x'.repeat(20_000))).status).toBe(413);
  expect(await ask('x', fail(401))).toEqual({ status: 502, body: { error: 'MODEL_AUTH_FAILED' } });
  expect(await ask('x', fail(429))).toEqual({ status: 503, body: { error: 'MODEL_RATE_LIMITED' } });
  expect(await ask('x', fail(500))).toEqual({
    status: 502,
    body: { error: 'MODEL_REQUEST_FAILED' },
  });
});

it('refuses too many requests at once, and stops asking when the client disconnects', async () => {
  // The recipe lets 32 run and 64 wait; one more is refused.
  const most = 32 + 64;
  const closed = [];
  const held = [];
  const statuses = [];
  service.answers = Array(most + 1).fill((_, response) => {
    held.push(response);
    response.on('close', () => closed.push(response));
  });
  const clients = Array.from({ length: most + 1 }, () => {
    const client = request(`${address}/orders`, { method: 'POST', agent: false }, (response) => {
      statuses.push([response.statusCode, response.headers['retry-after']]);
      response.resume();
    });
    client.on('error', () => {});
    client.end(JSON.stringify({ text: 'Query order 000123.' }));
    return client;
  });
  await vi.waitFor(() => expect([held.length, statuses]).toEqual([32, [[503, '1']]]), {
    timeout: 20_000,
  });
  for (const client of clients) client.destroy();
  await vi.waitFor(() => expect(closed).toHaveLength(held.length), { timeout: 20_000 });
  expect(statuses).toEqual([[503, '1']]);
}, 60_000);
