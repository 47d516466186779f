// Stand-ins for two protocols of their own: Anthropic's Messages and Gemini's generateContent, which
// this package speaks through packages of the AI SDK. Facts: docs.claude.com "Messages" and
// ai.google.dev "Generating content", as the packages of 2026-11 send and read them.

import { createServer } from 'node:http';
import { answer } from '../docs/stand-in.mjs';

const TOKENS = { input: 900, output: 120 };

/** The answer of a model; the stage named by `faulty` needs a repair. */
const said = (payload, faulty) => {
  const stage = payload.includes('"selectedFields"') ? 'data' : 'core';
  return faulty.includes(stage) && !payload.includes('"repair"') ? '{}' : answer(payload);
};

const refused = (status, body) => ({ status, body });

/** JSON Schema keywords that structured outputs of Claude do not take. */
const UNSUPPORTED = ['minimum', 'maximum', 'minLength', 'maxLength', 'pattern', 'multipleOf'];
const unsupportedIn = (schema) => {
  if (typeof schema !== 'object' || schema === null) return undefined;
  return (
    UNSUPPORTED.find((name) => Object.hasOwn(schema, name)) ??
    Object.values(schema).map(unsupportedIn).find(Boolean)
  );
};

const anthropicError = (status, type, message) =>
  refused(status, { type: 'error', error: { type, message }, request_id: 'req_stand_in' });

const anthropic = ({ path, headers, body, key, faulty }) => {
  if (!path.endsWith('/messages')) return anthropicError(404, 'not_found_error', 'Not Found');
  if (headers['x-api-key'] !== key)
    return anthropicError(401, 'authentication_error', `invalid x-api-key ${headers['x-api-key']}`);
  if (headers['anthropic-version'] === undefined)
    return anthropicError(400, 'invalid_request_error', 'anthropic-version: header is required');
  const { model, messages, max_tokens: bound, output_config: config, tools } = body;
  if (!Number.isInteger(bound))
    return anthropicError(400, 'invalid_request_error', 'max_tokens: Field required');
  const keyword = unsupportedIn(config?.format?.schema);
  if (keyword !== undefined)
    return anthropicError(
      400,
      'invalid_request_error',
      `output_config.format.schema: keyword '${keyword}' is not supported`,
    );
  const payload = messages
    .at(-1)
    .content.map(({ text }) => text)
    .join('');
  const text = said(payload, faulty);
  const tool = tools?.find(({ name }) => name === 'json');
  const content = tool
    ? [{ type: 'tool_use', id: 'toolu_1', name: 'json', input: JSON.parse(text) }]
    : [{ type: 'text', text }];
  return {
    status: 200,
    body: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model,
      content,
      stop_reason: tool ? 'tool_use' : 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: TOKENS.input, output_tokens: TOKENS.output },
    },
  };
};

const gemini = ({ path, headers, body, key, faulty }) => {
  const error = (code, status, message) => refused(code, { error: { code, message, status } });
  if (!/\/models\/[^/]+:generateContent$/.test(path))
    return error(404, 'NOT_FOUND', 'models/x is not found for API version v1beta');
  if (headers['x-goog-api-key'] !== key)
    return error(400, 'INVALID_ARGUMENT', `API key not valid: ${headers['x-goog-api-key']}`);
  const known = ['contents', 'systemInstruction', 'generationConfig', 'safetySettings', 'tools'];
  const unknown = Object.keys(body).find((name) => !known.includes(name) && body[name] !== null);
  if (unknown !== undefined)
    return error(
      400,
      'INVALID_ARGUMENT',
      `Invalid JSON payload received. Unknown name "${unknown}": Cannot find field.`,
    );
  const payload = body.contents
    .at(-1)
    .parts.map(({ text }) => text)
    .join('');
  const text = said(payload, faulty);
  return {
    status: 200,
    body: {
      candidates: [
        {
          content: { role: 'model', parts: [{ text: 'Thinking.', thought: true }, { text }] },
          finishReason: 'STOP',
          index: 0,
        },
      ],
      usageMetadata: {
        promptTokenCount: TOKENS.input,
        candidatesTokenCount: TOKENS.output,
        thoughtsTokenCount: 5,
        totalTokenCount: TOKENS.input + TOKENS.output + 5,
      },
      modelVersion: 'gemini',
    },
  };
};

const WIRES = { anthropic, gemini };

/**
 * Serves a wire on loopback.
 *
 * @param {'anthropic' | 'gemini'} wire
 * @param {{ key?: string, faulty?: ('core' | 'data')[], trouble?: (n: number) => object | undefined }} [options]
 */
export const serveNative = async (wire, { key = 'sk-stand-in', faulty = [], trouble } = {}) => {
  const seen = [];
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = JSON.parse(Buffer.concat(chunks).toString());
    const path = request.url.split('?')[0];
    seen.push({ path, headers: request.headers, body });
    const reply =
      trouble?.(seen.length) ?? WIRES[wire]({ path, headers: request.headers, body, key, faulty });
    response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
    response.end(JSON.stringify(reply.body));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const version = wire === 'gemini' ? 'v1beta' : 'v1';
  return {
    baseURL: `http://127.0.0.1:${server.address().port}/${version}`,
    seen,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
};
