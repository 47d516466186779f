// The demo's stand-in for a model, for the documentation's examples: as a function, and over HTTP
// in both protocols.

import { createServer } from 'node:http';
import { coreCandidate, dataCandidate } from '../../examples/demo/stand-in.mjs';

/** The candidate for a payload, as JSON text. */
export const answer = (payload) => {
  const materials = JSON.parse(payload);
  return JSON.stringify(
    materials.selectedFields ? dataCandidate(materials) : coreCandidate(materials),
  );
};

const textOf = (content) =>
  typeof content === 'string' ? content : content.map(({ text }) => text).join('');

const reply = (path, body) => {
  const messages = body.messages ?? body.input;
  const text = answer(typeof messages === 'string' ? messages : textOf(messages.at(-1).content));
  if (path.endsWith('/chat/completions')) {
    const message = { role: 'assistant', content: text };
    return { object: 'chat.completion', choices: [{ index: 0, finish_reason: 'stop', message }] };
  }
  const content = [{ type: 'output_text', text, annotations: [] }];
  return {
    object: 'response',
    status: 'completed',
    output: [{ type: 'message', role: 'assistant', status: 'completed', content }],
  };
};

/** Serves on loopback; `{ url, close }`. */
export const serve = async () => {
  const server = createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      response.setHeader('content-type', 'application/json');
      try {
        response.end(JSON.stringify(reply(request.url, JSON.parse(Buffer.concat(chunks)))));
      } catch (error) {
        response.statusCode = 400;
        response.end(
          JSON.stringify({ error: { type: 'invalid_request_error', message: error.message } }),
        );
      }
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/v1`,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
};
