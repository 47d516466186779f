'use strict';
// What an executor is given. Parsed forms are made when they are read, each request has its own.

const { native } = require('./host.js');
const { define } = require('./own.js');

const [CORE_INSTRUCTIONS, DATA_INSTRUCTIONS, CORE_SCHEMA] = native.prompts();

const CORE = JSON.parse(CORE_SCHEMA);

/** A copy of plain JSON: for a small value faster than to parse its text again. */
const copy = (value) => {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copy);
  const out = {};
  for (const key of Object.keys(value)) define(out, key, copy(value[key]));
  return out;
};

/** The format of a stage, as a new object. */
const formatOf = (stage) =>
  stage === 'core'
    ? { kind: 'json_schema', name: 'intent_core', schema: copy(CORE) }
    : { kind: 'json_object' };

const instructionsOf = (stage) => (stage === 'core' ? CORE_INSTRUCTIONS : DATA_INSTRUCTIONS);

/**
 * @param {'core' | 'data'} stage
 * @param {string} payload
 * @param {string | undefined} dataSchema the schema text of the data stage
 * @param {() => AbortSignal} signal
 */
const modelRequest = (stage, payload, dataSchema, signal) => {
  let input;
  let format;
  let outputSchema;
  return {
    stage,
    instructions: instructionsOf(stage),
    payload,
    get input() {
      input ??= JSON.parse(payload);
      return input;
    },
    get format() {
      format ??= formatOf(stage);
      return format;
    },
    get outputSchema() {
      outputSchema ??= dataSchema === undefined ? copy(CORE) : JSON.parse(dataSchema);
      return outputSchema;
    },
    get signal() {
      return signal();
    },
  };
};

module.exports = { modelRequest, formatOf, instructionsOf };
