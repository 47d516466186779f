// npm install hono @hono/node-server

import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { run } from './main.mjs';
import { MAX_BODY_BYTES, recognise } from './orders.mjs';

export const create = (orders, log) => {
  const app = new Hono();
  app.get('/health', (c) => c.json({ ok: true }));
  app.use(bodyLimit({ maxSize: MAX_BODY_BYTES, onError: (c) => c.json({}, 413) }));
  app.post('/orders', async (c) => {
    const given = await c.req.json().catch(() => undefined);
    // The signal of the request is aborted when the client disconnects.
    const { signal } = c.req.raw;
    const { status, body, retryAfter } = await recognise(orders, given, signal, log);
    if (retryAfter !== undefined) c.header('retry-after', String(retryAfter));
    return c.json(body, status);
  });
  app.notFound((c) => c.json({}, 404));
  app.onError((error, c) => {
    log({ status: 500, error: error.name });
    return c.json({}, 500);
  });
  let server;
  return {
    listen: (port) =>
      new Promise((resolve) => {
        server = serve({ fetch: app.fetch, port, hostname: '127.0.0.1' }, (info) =>
          resolve(info.port),
        );
      }),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
};

if (import.meta.filename === process.argv[1]) run(create);
