// The three servers of examples/server, each under 200 clients at once.

import { request } from 'node:http';
import { IntentError } from '@devcodex/intent-runtime';
import { coreCandidate, dataCandidate } from '@devcodex/intent-runtime/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { create as fastify } from '../examples/server/fastify.mjs';
import { create as hono } from '../examples/server/hono.mjs';
import { create as nodeHttp } from '../examples/server/node-http.mjs';
import { createOrders, MAX_BODY_BYTES, statusOf } from '../examples/server/orders.mjs';
import { ERROR_CODES } from '../js/constants.js';

const CORE = coreCandidate({ intents: [{ action: 'query', target: 'order' }] });
const schema = { type: 'object', properties: { orderId: { type: 'string', description: 'd' } } };

/** Answers what the text says, each after a turn of the event loop, unless `answer` says otherwise. */
const model = (state) => ({
  id: 'model',
  async generate({ stage, input: { currentInput }, signal }) {
    state.running += 1;
    state.peak = Math.max(state.peak, state.running);
    try {
      if (state.answer) return await state.answer(signal);
      await new Promise((resolve) => setTimeout(resolve, 5));
      if (stage === 'core') return { outcome: 'complete', text: CORE };
      const orderId = /\d+/.exec(currentInput)?.[0];
      if (orderId !== undefined)
        return {
          outcome: 'complete',
          text: dataCandidate({ schema, input: currentInput, data: { orderId } }),
        };
      const issues = [
        { code: 'DATA_REQUIRED_MISSING', path: '/data/orderId', message: 'Which order?' },
      ];
      return {
        outcome: 'complete',
        text: dataCandidate({ schema, input: currentInput, issues }),
      };
    } finally {
      state.running -= 1;
    }
  },
});

describe.each([
  ['node:http', nodeHttp],
  ['fastify', fastify],
  ['hono', hono],
])('%s', (_, create) => {
  let state;
  let log;
  let orders;
  let server;
  let port;

  beforeEach(async () => {
    state = { running: 0, peak: 0 };
    log = [];
    orders = createOrders(model(state));
    server = create(orders, (entry) => log.push(entry));
    port = await server.listen(0);
  });
  afterEach(async () => {
    await orders.dispose();
    await server.close();
  });

  /** A request on a connection of its own; `cut()` goes away. */
  const ask = (body, { path = '/orders', method = 'POST' } = {}) => {
    const headers = { 'content-type': 'application/json' };
    const client = request({ port, host: '127.0.0.1', path, method, headers, agent: false });
    const replied = new Promise((resolve, reject) => {
      client.on('error', reject);
      client.on('response', async (response) => {
        const chunks = [];
        for await (const chunk of response) chunks.push(chunk);
        const text = Buffer.concat(chunks).toString();
        resolve({
          status: response.statusCode,
          retryAfter: response.headers['retry-after'],
          body: text === '' ? undefined : JSON.parse(text),
        });
      });
    });
    client.end(body);
    return Object.assign(replied, { cut: () => client.destroy() });
  };
  const say = (text) => ask(JSON.stringify({ text }));

  it('answers 200 clients at once, each with its own data', async () => {
    const replies = await Promise.all(
      Array.from({ length: 200 }, (_, i) => say(`Query order ${100_000 + i}.`)),
    );
    expect(replies.map(({ status, body }) => [status, body.data?.orderId])).toEqual(
      replies.map((_, i) => [200, String(100_000 + i)]),
    );
    expect(state.peak).toBeLessThanOrEqual(32);
    expect(log).toHaveLength(200);
    expect(JSON.stringify(log)).not.toMatch(/order|100\d{3}/i);
    expect(log[0]).toMatchObject({ status: 200, calls: 2, repairs: 0 });
  }, 60_000);

  it('maps each error to a status', async () => {
    expect(await ask(undefined, { path: '/health', method: 'GET' })).toMatchObject({
      status: 200,
      body: { ok: true },
    });
    expect((await ask('{}', { path: '/elsewhere' })).status).toBe(404);
    for (const body of ['x', '{}', '{"text":1}', 'null'])
      expect((await ask(body)).status, body).toBe(400);
    expect(await say(' ')).toMatchObject({ status: 400, body: { error: 'INPUT_INVALID' } });
    expect((await say('x'.repeat(5_000))).status).toBe(413);
    expect((await say('x'.repeat(MAX_BODY_BYTES + 1))).status).toBe(413);
    expect(await say('Where is it?')).toMatchObject({
      status: 422,
      body: { ask: ['Which order?'] },
    });
    for (const [code, status] of [
      ['MODEL_AUTH_FAILED', 502],
      ['MODEL_RATE_LIMITED', 503],
      ['MODEL_TIMEOUT', 504],
    ]) {
      state.answer = () => Promise.reject(new IntentError(code));
      expect(await say('x')).toMatchObject({ status, body: { error: code } });
    }
    expect(JSON.stringify(log)).not.toMatch(/Where|Which/);
  });

  it('refuses too many requests, and stops asking when the clients disconnect', async () => {
    const ended = [];
    state.answer = (signal) =>
      new Promise((_, reject) =>
        signal.addEventListener('abort', () => {
          ended.push(signal);
          reject(signal.reason);
        }),
      );
    const clients = Array.from({ length: 32 + 256 }, () => say('Query order 000123.'));
    for (const client of clients) client.catch(() => {});
    await vi.waitFor(() => expect(state.running).toBe(32), { timeout: 20_000 });
    const refused = await vi.waitFor(
      async () => {
        const reply = await say('Query order 000124.');
        expect(reply.status).toBe(503);
        return reply;
      },
      { timeout: 20_000 },
    );
    expect(refused).toMatchObject({ retryAfter: '1', body: { error: 'LIMIT_EXCEEDED' } });
    for (const client of clients) client.cut();
    await vi.waitFor(() => expect(state.running).toBe(0), { timeout: 20_000 });
    expect(ended.length).toBeGreaterThanOrEqual(32);
    state.answer = undefined;
    expect((await say('Query order 000125.')).status).toBe(200);
  }, 60_000);
});

it('every code has a status', () => {
  const config = ['CONFIG_INVALID', 'SCHEMA_UNSUPPORTED', 'HOST_CAPABILITY_UNSUPPORTED'];
  const never = [...config, 'EXECUTOR_NOT_CONFIGURED'];
  const internal = ERROR_CODES.filter((code) => statusOf({ code, stage: 'input' }) === 500);
  expect(internal.filter((code) => !code.startsWith('BRIDGE_')).sort()).toEqual(never.sort());
});
