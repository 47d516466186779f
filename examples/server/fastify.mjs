// npm install fastify

import Fastify from 'fastify';
import { run } from './main.mjs';
import { MAX_BODY_BYTES, recognise } from './orders.mjs';

export const create = (orders, log) => {
  const app = Fastify({ bodyLimit: MAX_BODY_BYTES });
  app.get('/health', async () => ({ ok: true }));
  app.post('/orders', async (request, reply) => {
    const gone = new AbortController();
    reply.raw.on('close', () => gone.abort()); // has no effect after the reply
    const { status, body, retryAfter } = await recognise(orders, request.body, gone.signal, log);
    if (retryAfter !== undefined) reply.header('retry-after', retryAfter);
    return reply.code(status).send(body);
  });
  app.setErrorHandler((error, _, reply) => {
    const status = error.statusCode ?? 500; // a body that is not JSON, or too large
    if (status >= 500) log({ status, error: error.name });
    reply.code(status).send({});
  });
  return {
    listen: async (port) => {
      await app.listen({ port, host: '127.0.0.1' });
      return app.server.address().port;
    },
    close: () => app.close(),
  };
};

if (import.meta.filename === process.argv[1]) run(create);
