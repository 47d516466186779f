'use strict';
// Reads the facts of an error that a program can act on in addition to its code: the limit, the HTTP
// failure, whether to retry. The input may be any value of a caller; reading it never throws, and the
// caller's object is not kept.

const addon = require('./addon.js');
const { own, property } = require('./properties.js');
const { jsonText } = require('./json.js');

const MOST_TEXT = 200;

const isObject = (value) => typeof value === 'object' && value !== null;

/** Reads a property; `undefined` where a getter or proxy of the caller throws. */
const read = (value, key) => {
  try {
    return property(value, key);
  } catch {
    return undefined;
  }
};

const isCount = (value) => Number.isSafeInteger(value) && value >= 0;

/** Returns a short text of a service that is safe to log; any other value is omitted. */
const word = (value) =>
  typeof value === 'string' &&
  value !== '' &&
  value.length <= MOST_TEXT &&
  /^[\x20-\x7e]+$/.test(value)
    ? value
    : undefined;

/** Returns the entries that are not `undefined` as a frozen object. */
const known = (entries) =>
  Object.freeze(Object.fromEntries(entries.filter(([, value]) => value !== undefined)));

/** Returns `{ status, requestId?, retryAfterMs?, type?, code?, param? }` if there is a status. */
const httpOf = (http) => {
  if (!isObject(http)) return undefined;
  const status = read(http, 'status');
  if (!Number.isInteger(status) || status < 100 || status > 999) return undefined;
  const wait = read(http, 'retryAfterMs');
  return known([
    ['status', status],
    ['requestId', word(read(http, 'requestId'))],
    ['retryAfterMs', Number.isFinite(wait) && wait >= 0 ? Math.round(wait) : undefined],
    ...['type', 'code', 'param'].map((key) => [key, word(read(http, key))]),
  ]);
};

/** Returns `{ name, max, actual? }` if there are a name and a number. */
const limitOf = (limit) => {
  if (!isObject(limit)) return undefined;
  const name = word(read(limit, 'name'));
  const max = read(limit, 'max');
  if (name === undefined || !isCount(max)) return undefined;
  const actual = read(limit, 'actual');
  return known([
    ['name', name],
    ['max', max],
    ['actual', isCount(actual) ? actual : undefined],
  ]);
};

const MOST_FAULTS = 1000;

/** Returns the faults of a candidate, if there are any. */
const faultsOf = (faults) => {
  try {
    if (!Array.isArray(faults) || faults.length === 0) return undefined;
    const texts = Array.from(faults.slice(0, MOST_FAULTS)).filter(
      (fault) => typeof fault === 'string',
    );
    return texts.length > 0 ? Object.freeze(texts) : undefined;
  } catch {
    return undefined;
  }
};

/** Returns the value that the error was made with, otherwise the one derived from code, stage and HTTP failure. */
const retryableOf = (stated, code, stage, http) =>
  typeof stated === 'boolean'
    ? stated
    : addon.isRetryable(
        code,
        stage,
        ...['status', 'code', 'type'].map((key) => http && own(http, key)),
      );

const COUNTS = ['inputTokens', 'outputTokens', 'cachedInputTokens', 'reasoningTokens'];

/** Returns the valid numbers of a usage, if there are any. */
const usageOf = (usage) => {
  if (!isObject(usage)) return undefined;
  const counts = COUNTS.map((key) => [key, read(usage, key)]).filter(([, n]) => isCount(n));
  return counts.length > 0 ? Object.fromEntries(counts) : undefined;
};

/** Returns the facts that a reply reports about its service, as JSON; `undefined` if there are none. */
const infoOf = (reply) => {
  const usage = usageOf(read(reply, 'usage'));
  const model = word(read(reply, 'model'));
  const requestId = word(read(reply, 'requestId'));
  if (usage === undefined && model === undefined && requestId === undefined) return undefined;
  return jsonText({ usage, model, requestId });
};

module.exports = { httpOf, limitOf, faultsOf, read, retryableOf, infoOf };
