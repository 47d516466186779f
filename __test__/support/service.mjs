// A scripted model service on loopback, and the envelopes of both protocols.

import { createServer } from 'node:http';

export const responses = (text, over = {}) => ({
  id: 'r',
  object: 'response',
  status: 'completed',
  output: [
    { type: 'reasoning', id: 'x', summary: [] },
    {
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text, annotations: [] }],
    },
  ],
  usage: { input_tokens: 11, output_tokens: 7, total_tokens: 18 },
  ...over,
});

export const chat = (content, over = {}, message = {}) => ({
  id: 'c',
  object: 'chat.completion',
  choices: [
    {
      index: 0,
      finish_reason: 'stop',
      message: { role: 'assistant', content, ...message },
      ...over,
    },
  ],
  usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 },
});

/**
 * Serves until it is closed. Each request takes the next answer: a value is sent as JSON, a
 * function is called with `(request, response, body)`. `always` answers where none is left.
 */
export const startService = async ({ host = '127.0.0.1', always } = {}) => {
  const service = { seen: [], answers: [], open: 0, peak: 0 };
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const body = text === '' ? undefined : JSON.parse(text);
    const { method, url, headers } = request;
    service.seen.push({ method, url, headers, body });
    const answer = service.answers.shift() ?? always ?? { error: { message: 'none is left' } };
    if (typeof answer === 'function') return answer(request, response, body);
    response.setHeader('content-type', 'application/json');
    return response.end(JSON.stringify(answer));
  });
  server.on('connection', (socket) => {
    service.open++;
    service.peak = Math.max(service.peak, service.open);
    socket.on('close', () => service.open--);
  });
  await new Promise((resolve) => server.listen(0, host, resolve));
  const { port } = server.address();
  const name = host.includes(':') ? `[${host}]` : host;
  return Object.assign(service, {
    port,
    origin: `http://${name}:${port}`,
    baseURL: `http://${name}:${port}/v1`,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  });
};

/** An answer with this status. */
export const status =
  (code, body = { error: { message: 'PROVIDER-SECRET' } }, headers = {}) =>
  (_, response) => {
    response.writeHead(code, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };

/** The materials that a request of either protocol carries. */
export const materialsOf = ({ input, messages }) => {
  const { content } = (input ?? messages).findLast(({ role }) => role === 'user');
  return JSON.parse(typeof content === 'string' ? content : content[0].text);
};
