// One server for every row: checks a request as the row says, then answers as a model would.

import { createServer } from 'node:http';
import { answer } from '../docs/stand-in.mjs';
import { errors } from './errors.mjs';
import { chatReply, responsesReply } from './replies.mjs';

/** The value at a dotted path of a body. */
const at = (body, path) => path.split('.').reduce((value, key) => value?.[key], body);

const PATHS = { '/chat/completions': 'chat-completions', '/responses': 'responses' };

const textsOf = (body) => JSON.stringify(body.messages ?? [body.instructions, body.input]);

/** Reads the requested schema and its options, for both protocols. */
const formatOf = (body) => {
  const format = body.response_format ?? body.text?.format;
  const inner = format?.json_schema ?? format;
  return { kind: format?.type ?? 'text', schema: inner?.schema, strict: inner?.strict === true };
};

/** Returns whether a schema satisfies the two rules of OpenAI's strict mode for objects. */
const isStrict = (schema) => {
  if (typeof schema !== 'object' || schema === null) return true;
  const { properties } = schema;
  if (properties !== undefined) {
    if (schema.additionalProperties !== false) return false;
    if (!Object.keys(properties).every((name) => schema.required?.includes(name))) return false;
  }
  return Object.values(schema).every(isStrict);
};

const thinks = ({ thinking }, body) =>
  thinking !== undefined &&
  (thinking.off === undefined || at(body, thinking.off[0]) !== thinking.off[1]);

/** The meaning of a refusal's `when`. */
const CONDITIONS = {
  field: ({ field }, body) => at(body, field) !== undefined,
  value: ({ field, is }, body) => at(body, field) === is,
  'other-than': ({ field, is }, body) => {
    const value = at(body, field);
    return value !== undefined && !is.includes(value);
  },
  'schema-not-strict': (_, body) => {
    const { schema, strict } = formatOf(body);
    return strict && !isStrict(schema);
  },
  'json-without-word': (_, body) =>
    formatOf(body).kind === 'json_object' && !/json/i.test(textsOf(body)),
  'json-while-thinking': (_, body, row) => formatOf(body).kind !== 'text' && thinks(row, body),
  'pattern-with-class': (_, body) =>
    /"pattern":"[^"]*\\\\\\\\[dws]/.test(JSON.stringify(formatOf(body).schema ?? null)),
};

const refusalOf = (row, body) => {
  if (row.knows !== undefined) {
    const fields = Object.entries(body).filter(([name]) => !row.knows.includes(name));
    if (fields.length > 0) {
      const unknown = row.unknown ?? {
        status: 400,
        message: "Unknown parameter: '{field}'.",
        code: 'unknown_parameter',
      };
      const message =
        row.errors === 'mistral' || row.errors === 'google'
          ? unknown.message
          : unknown.message.replace('{field}', fields[0][0]);
      return { ...unknown, message, param: fields[0][0], fields };
    }
  }
  return row.refuses.find(
    (refusal) =>
      (refusal.models === undefined || refusal.models.includes(body.model)) &&
      CONDITIONS[refusal.when](refusal, body, row),
  );
};

/** Returns whether the service honours a format at an endpoint. */
const heeds = (row, kind, endpoint) => row.honours[kind] === true || row.honours[kind] === endpoint;

/** The least value that a schema allows, for questions that are none of a recognition. */
const least = (schema) => {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  const type = [schema.type].flat()[0];
  if (type === 'object')
    return Object.fromEntries(
      (schema.required ?? []).map((name) => [name, least(schema.properties[name])]),
    );
  if (type === 'array')
    return Array.from({ length: schema.minItems ?? 0 }, () => least(schema.items));
  return { string: 'text', integer: 1, number: 1, boolean: true }[type] ?? null;
};

/** Returns the model's answer: a candidate for a recognition, otherwise a text that fits the format. */
const saying = (row, endpoint, body, faulty) => {
  const payload = payloadOf(body);
  const format = formatOf(body);
  if (isMaterials(payload)) {
    const stage = payload.includes('"selectedFields"') ? 'data' : 'core';
    const repaired = payload.includes('"repair"');
    if (faulty.includes(stage) && !repaired) return '{"normalizedInput":"x"}';
    const text = answer(payload);
    const unasked = format.kind === 'text' || row.reply.fence === endpoint;
    return unasked ? `\`\`\`json\n${text}\n\`\`\`` : text;
  }
  if (format.kind === 'json_schema' && heeds(row, 'json_schema', endpoint))
    return JSON.stringify(least(format.schema));
  if (format.kind !== 'text' && heeds(row, 'json_object', endpoint))
    return JSON.stringify({ answer: 'yes, and more of it. '.repeat(8) });
  return `Certainly! ${'Here is a sentence about it. '.repeat(20)}`;
};

const payloadOf = (body) => {
  const messages = body.messages ?? body.input;
  const { content } = messages.at(-1);
  return typeof content === 'string' ? content : content.map(({ text }) => text).join('');
};

const isMaterials = (payload) => payload.includes('"currentInput"');

/** Tokens, near enough: a token is four characters. */
const tokens = (text) => Math.ceil(text.length / 4);

/** Returns the output limit of a request, if it is in the field that the service honours. */
const boundOf = (row, endpoint, body) =>
  endpoint === 'responses' ? body.max_output_tokens : body[row.honours.limit];

const reply = (row, endpoint, body, faulty) => {
  let text = saying(row, endpoint, body, faulty);
  const bound = boundOf(row, endpoint, body) ?? Number.POSITIVE_INFINITY;
  const cut = tokens(text) > bound;
  if (cut) text = text.slice(0, bound * 4);
  const thought = thinks(row, body) ? 'The user asks for something.' : undefined;
  const counts = {
    input: tokens(textsOf(body)),
    output: tokens(text),
    thought: tokens(thought ?? ''),
  };
  const make = endpoint === 'responses' ? responsesReply : chatReply;
  return make(row, { model: body.model, text, cut, thought, counts });
};

/** Serves a row's checks; `[status, body, headers?]`. */
const respond = (row, { method, path, authorization, text, key, faulty }) => {
  const refused = (refusal) => [
    refusal.status,
    refusal.text ?? errors[row.errors](refusal),
    { 'x-request-id': 'req-stand-in', ...refusal.headers },
  ];
  if (row.key !== false && authorization !== `Bearer ${key}`)
    return refused({
      status: 401,
      message: `Incorrect API key provided: ${authorization}`,
      code: 'invalid_api_key',
    });
  if (method === 'GET' && path === '/models')
    return [200, { object: 'list', data: row.models.map((id) => ({ id, object: 'model' })) }];
  const endpoint = PATHS[path];
  if (endpoint === undefined || !row.endpoints.includes(endpoint))
    return refused(row.missing ?? { status: 404, message: 'Not Found' });
  if (method !== 'POST') return refused({ status: 405, message: 'Method Not Allowed' });
  const body = JSON.parse(text);
  if (!row.models.includes(body.model))
    return refused(
      row.noModel ?? {
        status: 404,
        message: `The model \`${body.model}\` does not exist`,
        code: 'model_not_found',
      },
    );
  const refusal = refusalOf(row, body);
  if (refusal !== undefined) return refused(refusal);
  return [200, reply(row, endpoint, body, faulty), { 'x-request-id': 'req-stand-in' }];
};

/**
 * Serves a row on loopback.
 *
 * @param {object} row
 * @param {{ key?: string, faulty?: ('core' | 'data')[], trouble?: (n: number) => object | undefined }} [options]
 * `faulty` stages need a repair; `trouble` may give a refusal `{ status, message, headers? }` for the
 * nth request instead of another answer.
 * @returns {Promise<{ baseURL: string, seen: object[], close(): Promise<void> }>}
 */
export const serve = async (row, { key = 'sk-stand-in', faulty = [], trouble } = {}) => {
  const seen = [];
  const prefix = new URL(row.baseURL).pathname.replace(/\/$/, '');
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const { method, headers } = request;
    seen.push({
      method,
      url: request.url,
      headers,
      body: text === '' ? undefined : JSON.parse(text),
    });
    const path = request.url.startsWith(prefix) ? request.url.slice(prefix.length) : undefined;
    const { authorization } = headers;
    const bad = trouble?.(seen.length);
    const [status, body, more] =
      bad === undefined
        ? respond(row, { method, path, authorization, text, key, faulty })
        : [bad.status, errors[row.errors](bad), bad.headers];
    response.writeHead(status, { 'content-type': 'application/json', ...more });
    if (status === 200 && row.reply.blank) response.write('\n\n\n');
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseURL: `http://127.0.0.1:${server.address().port}${prefix}`,
    seen,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
};
