'use strict';
// Reads the configuration of `new Intent`.

const { DEFAULT_LIMITS } = require('../constants.js');
const { jsonText } = require('../json.js');
const { checkExecutor } = require('./executor.js');
const {
  SURROGATE,
  blank,
  dataOf,
  isPlain,
  kind,
  member,
  readElements,
  readMembers,
  scalar,
  scalars,
  unknownKey,
} = require('./objects.js');
const { Refusal, refused } = require('./refusal.js');
const { readSchema } = require('./schema.js');
const { MAX_TIMER_MS } = require('./timers.js');

const { ownKeys } = Reflect;

const CONFIG_MUST = {
  language: 'a string',
  timeoutMs: `an integer from 0 to ${MAX_TIMER_MS}`,
  repairAttempts: '0 or 1',
  unknownKeywords: '"refuse" or "annotate"',
  dataWithoutIntent: '"ask" or "skip"',
  proof: '"full" or "brief"',
};

const LEVEL = '"exact", "bound" or "any"';

const LIMITS_MUST = {
  ...Object.fromEntries(
    Object.keys(DEFAULT_LIMITS).map((name) => [name, 'a positive safe integer']),
  ),
  maxValidationMs: `an integer from 1 to ${MAX_TIMER_MS}`,
  maxQueuedParses: '0 or a positive safe integer',
};

/**
 * Reads the configuration of `new Intent`.
 * @param {unknown} config - `undefined` is `{}`.
 * @returns {{
 *   json: string,
 *   schemaText: string | undefined,
 *   schemaOrigin: 'json' | 'standard' | undefined,
 *   executor: object | Function | undefined,
 *   executorId: string | undefined,
 * }} `json` has the given members except `schema` and `executor`.
 * @throws {IntentError} `CONFIG_INVALID`, `SCHEMA_UNSUPPORTED`, `LIMIT_EXCEEDED` or
 * `HOST_CAPABILITY_UNSUPPORTED`, stage `config`.
 */
function readConfig(config) {
  let read;
  let limits;
  let json;
  let executorId;
  try {
    read = readMembers(config === undefined ? {} : config, 'config', {
      language: undefined,
      schema: undefined,
      executor: undefined,
      timeoutMs: undefined,
      repairAttempts: undefined,
      limits: undefined,
      unknownKeywords: undefined,
      evidence: undefined,
      evidenceFrom: undefined,
      dataWithoutIntent: undefined,
      proof: undefined,
    });
    limits =
      read.limits === undefined
        ? {}
        : scalars(readMembers(read.limits, 'limits', blank(LIMITS_MUST)), LIMITS_MUST, 'limits.');
    const evidence = ofPolicy(read.evidence);
    const evidenceFrom = ofSources(read.evidenceFrom);
    json = jsonText({ ...scalars(read, CONFIG_MUST), limits, evidence, evidenceFrom });
    if (read.executor !== undefined) executorId = checkExecutor(read.executor);
  } catch (thrown) {
    throw refused(thrown, 'CONFIG_INVALID', 'config');
  }
  const schema = read.schema === undefined ? undefined : readSchema(read.schema, limits);
  return {
    json,
    schemaText: schema?.text,
    schemaOrigin: schema?.origin,
    executor: read.executor,
    executorId,
  };
}

/** Reads a level of evidence, or levels by pointer. */
function ofPolicy(policy) {
  if (typeof policy !== 'object' || policy === null || Array.isArray(policy))
    return policy === undefined ? undefined : scalar(policy, 'evidence', `${LEVEL}, or an object`);
  if (!isPlain(policy))
    throw new Refusal(`evidence must be ${LEVEL}, or a plain object, got ${kind(policy)}`);
  const levels = { __proto__: null };
  for (const pointer of ownKeys(policy)) {
    if (typeof pointer === 'symbol') throw unknownKey('evidence', pointer, {});
    const place = member('evidence', pointer);
    if (!pointer.isWellFormed()) throw new Refusal(`${place}: the pointer ${SURROGATE}`);
    levels[pointer] = scalar(dataOf(policy, pointer, 'evidence') ?? null, place, LEVEL);
  }
  return levels;
}

function ofSources(sources) {
  if (!Array.isArray(sources))
    return sources === undefined ? undefined : scalar(sources, 'evidenceFrom', 'an array of names');
  const names = readElements(sources, () => 'evidenceFrom');
  return names.map((name, i) => scalar(name, `evidenceFrom[${i}]`, 'a string'));
}

module.exports = { readConfig };
