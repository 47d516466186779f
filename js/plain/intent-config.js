'use strict';
// Reads the configuration of `new Intent`.

const { DEFAULT_LIMITS } = require('../constants.js');
const { jsonText } = require('../json.js');
const { checkExecutor } = require('./executor.js');
const { blank, entriesAt, partsAt, readMembers, scalarAt, scalarsAt } = require('./objects.js');
const { refused } = require('./refusal.js');
const { readSchema } = require('./schema.js');

const READERS = {
  language: scalarAt,
  timeoutMs: scalarAt,
  repairAttempts: scalarAt,
  limits: limitsAt,
  unknownKeywords: scalarAt,
  evidence: entriesAt,
  evidenceFrom: scalarsAt,
  dataWithoutIntent: scalarAt,
  proof: scalarAt,
};
const KEYS = { ...blank(READERS), schema: undefined, executor: undefined };
const LIMITS = Object.fromEntries(Object.keys(DEFAULT_LIMITS).map((name) => [name, scalarAt]));

/**
 * Reads the configuration of `new Intent`.
 * @param {unknown} config - `undefined` is `{}`.
 * @returns {{
 *   json: string,
 *   unread: object[],
 *   schemaText: string | undefined,
 *   schemaOrigin: 'json' | 'standard' | undefined,
 *   executor: object | Function | undefined,
 *   executorId: string | undefined,
 * }} `json` has the given members except `schema` and `executor`.
 * @throws {IntentError} `CONFIG_INVALID`, `SCHEMA_UNSUPPORTED`, `LIMIT_EXCEEDED` or
 * `HOST_CAPABILITY_UNSUPPORTED`, stage `config`.
 */
function readConfig(config) {
  const unread = [];
  let read;
  let given;
  let executorId;
  try {
    read = readMembers(config === undefined ? {} : config, 'config', { ...KEYS });
    given = partsAt(read, READERS, unread);
    if (read.executor !== undefined) executorId = checkExecutor(read.executor);
  } catch (thrown) {
    throw refused(thrown, 'CONFIG_INVALID', 'config');
  }
  const schema = read.schema === undefined ? undefined : readSchema(read.schema, given.limits);
  return {
    json: jsonText(given),
    unread,
    schemaText: schema?.text,
    schemaOrigin: schema?.origin,
    executor: read.executor,
    executorId,
  };
}

function limitsAt(limits, place, unread) {
  return partsAt(readMembers(limits, place, blank(LIMITS)), LIMITS, unread, `${place}.`);
}

module.exports = { readConfig };
