import { createServer } from 'node:http';
import { run } from './main.mjs';
import { MAX_BODY_BYTES, recognise } from './orders.mjs';

/** Reads the body as JSON, or returns the status that refuses it. */
const readBody = async (request) => {
  const chunks = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) return 413;
    chunks.push(chunk);
  }
  try {
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    return typeof body === 'object' ? body : 400;
  } catch {
    return 400;
  }
};

export const create = (orders, log) => {
  const server = createServer(async (request, response) => {
    const reply = ({ status, body, retryAfter }) => {
      if (response.destroyed) return;
      const headers = { 'content-type': 'application/json' };
      if (retryAfter !== undefined) headers['retry-after'] = String(retryAfter);
      response.writeHead(status, headers);
      response.end(JSON.stringify(body));
    };
    const { method, url } = request;
    if (method === 'GET' && url === '/health') return reply({ status: 200, body: { ok: true } });
    if (method !== 'POST' || url !== '/orders') return reply({ status: 404, body: {} });
    const gone = new AbortController();
    response.on('close', () => gone.abort()); // has no effect after the reply
    try {
      const body = await readBody(request);
      if (typeof body === 'number') return reply({ status: body, body: {} });
      reply(await recognise(orders, body, gone.signal, log));
    } catch (error) {
      if (!gone.signal.aborted) log({ status: 500, error: error.name });
      reply({ status: 500, body: {} });
    }
  });
  return {
    listen: (port) =>
      new Promise((resolve) =>
        server.listen(port, '127.0.0.1', () => resolve(server.address().port)),
      ),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
};

if (import.meta.filename === process.argv[1]) run(create);
