'use strict';
// What a program can act on beside an error's code: the limit, the HTTP answer, whether to try
// again. Read of whatever a caller gave, so that nothing here throws or keeps the caller's object.

const addon = require('./addon.js');
const { own, property } = require('./own.js');
const { jsonText } = require('./json.js');

const MOST_TEXT = 200;

const isObject = (value) => typeof value === 'object' && value !== null;

const read = (value, key) => {
  try {
    return property(value, key);
  } catch {
    return undefined;
  }
};

const isCount = (value) => Number.isSafeInteger(value) && value >= 0;

/** A short text of a service, safe to log; anything else is left out. */
const word = (value) =>
  typeof value === 'string' &&
  value !== '' &&
  value.length <= MOST_TEXT &&
  /^[\x20-\x7e]+$/.test(value)
    ? value
    : undefined;

/** The entries that hold something, as a frozen object. */
const known = (entries) =>
  Object.freeze(Object.fromEntries(entries.filter(([, value]) => value !== undefined)));

/** `{ status, requestId?, retryAfterMs?, type?, code?, param? }`, where there is a status. */
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

/** `{ name, max, actual? }`, where there are a name and a number. */
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

/** The faults of a candidate, where there are any. */
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

/** What the maker of an error said, else what its code, stage and HTTP answer tell. */
const retryableOf = (stated, code, stage, http) =>
  typeof stated === 'boolean'
    ? stated
    : addon.isRetryable(
        code,
        stage,
        ...['status', 'code', 'type'].map((key) => http && own(http, key)),
      );

const COUNTS = ['inputTokens', 'outputTokens', 'cachedInputTokens', 'reasoningTokens'];

/** The numbers of a usage that are such, where there are any. */
const usageOf = (usage) => {
  if (!isObject(usage)) return undefined;
  const counts = COUNTS.map((key) => [key, read(usage, key)]).filter(([, n]) => isCount(n));
  return counts.length > 0 ? Object.fromEntries(counts) : undefined;
};

/** What a reply tells of its service, as JSON; `undefined` where it tells nothing. */
const infoOf = (reply) => {
  const usage = usageOf(read(reply, 'usage'));
  const model = word(read(reply, 'model'));
  const requestId = word(read(reply, 'requestId'));
  if (usage === undefined && model === undefined && requestId === undefined) return undefined;
  return jsonText({ usage, model, requestId });
};

module.exports = { httpOf, limitOf, faultsOf, retryableOf, infoOf };
