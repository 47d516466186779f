'use strict';
// Reads the configuration of `createApiExecutor`.

const { jsonText } = require('../json.js');
const { JsonWriter } = require('./json-writer.js');
const {
  SURROGATE,
  blank,
  dataOf,
  kind,
  member,
  readMembers,
  scalar,
  scalars,
  unknownKey,
} = require('./objects.js');
const { Refusal, refused } = require('./refusal.js');

const { ownKeys } = Reflect;

const API_MUST = {
  provider: '"openai" or "xai"',
  protocol: '"responses" or "chat-completions"',
  model: 'a string',
  apiKey: 'a string or a function that gives one',
  baseURL: 'a string',
  maxOutputTokens: 'a positive safe integer',
  maxResponseBytes: 'a positive safe integer',
  format: '"json_schema", "json_object" or "text"',
  outputLimit: '"max_completion_tokens", "max_tokens" or "none"',
};

/**
 * Reads the configuration of `createApiExecutor`.
 *
 * @returns {{ json: string, keyOf: (() => unknown) | undefined }} A JSON object with the given members,
 * without `apiKey` if it is a function.
 * @throws {IntentError} `CONFIG_INVALID`, stage `config`; no message contains a value.
 */
function readApiConfig(config) {
  try {
    const read = readMembers(config, 'config', {
      ...blank(API_MUST),
      headers: undefined,
      body: undefined,
    });
    const keyOf = typeof read.apiKey === 'function' ? read.apiKey : undefined;
    const given = scalars(keyOf === undefined ? read : { ...read, apiKey: undefined }, API_MUST);
    const headers = read.headers === undefined ? undefined : readHeaders(read.headers);
    const body = read.body === undefined ? undefined : readBody(read.body);
    return { json: jsonText({ ...given, headers, body }), keyOf };
  } catch (thrown) {
    throw refused(thrown, 'CONFIG_INVALID', 'config');
  }
}

/** Limits of `body`: enough for a grammar, and no deeper than the native reader allows. */
const BODY_BOUNDS = {
  root: 'body',
  room: 1_048_576,
  nesting: 64,
  tooLong: () => new Refusal('body is longer than 1048576 characters'),
  tooDeep: () => new Refusal('body nests more than 64 levels deep'),
};

function readHeaders(headers) {
  if (kind(headers) !== 'an object')
    throw new Refusal(`headers must be a plain object of strings, got ${kind(headers)}`);
  const given = ownKeys(headers).map((name) => {
    if (typeof name === 'symbol') throw unknownKey('headers', name, {});
    const what = member('headers', name);
    if (!name.isWellFormed()) throw new Refusal(`${what}: the name ${SURROGATE}`);
    return [name, scalar(dataOf(headers, name, 'headers'), what, 'a string')];
  });
  return Object.fromEntries(given);
}

function readBody(body) {
  if (kind(body) !== 'an object')
    throw new Refusal(`body must be a plain object of JSON values, got ${kind(body)}`);
  // A copy, because the caller's object is read only once.
  return JSON.parse(new JsonWriter(BODY_BOUNDS).write(body));
}

module.exports = { readApiConfig };
