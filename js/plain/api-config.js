'use strict';
// Reads the configuration of `createApiExecutor`.

const { jsonText } = require('../json.js');
const { JsonWriter } = require('./json-writer.js');
const { blank, entriesAt, kind, partsAt, readMembers, scalarAt } = require('./objects.js');
const { Refusal, refused } = require('./refusal.js');

const READERS = {
  provider: scalarAt,
  protocol: scalarAt,
  model: scalarAt,
  apiKey: scalarAt,
  baseURL: scalarAt,
  maxOutputTokens: scalarAt,
  maxResponseBytes: scalarAt,
  format: scalarAt,
  outputLimit: scalarAt,
  headers: entriesAt,
  body: bodyAt,
};

/**
 * Reads the configuration of `createApiExecutor`.
 *
 * @returns {{ json: string, unread: object[], keyOf: (() => unknown) | undefined }} `json` has the given
 * members, without `apiKey` if it is a function.
 * @throws {IntentError} `CONFIG_INVALID`, stage `config`; no message contains a value.
 */
function readApiConfig(config) {
  try {
    const unread = [];
    const read = readMembers(config, 'config', blank(READERS));
    const keyOf = typeof read.apiKey === 'function' ? read.apiKey : undefined;
    if (keyOf !== undefined) read.apiKey = undefined;
    return { json: jsonText(partsAt(read, READERS, unread)), unread, keyOf };
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

function bodyAt(body, place, unread) {
  if (kind(body) !== 'an object') return scalarAt(body, place, unread);
  // A copy, because the caller's object is read only once.
  return JSON.parse(new JsonWriter(BODY_BOUNDS).write(body));
}

module.exports = { readApiConfig };
