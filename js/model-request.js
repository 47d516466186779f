'use strict';
// What an executor is given. Parsed forms are made when they are read, each request has its own.

const { native } = require('./host.js');

const [CORE_INSTRUCTIONS, DATA_INSTRUCTIONS, CORE_SCHEMA] = native.prompts();

/** The format of a stage, as a new object. */
const formatOf = (stage) =>
  stage === 'core'
    ? { kind: 'json_schema', name: 'intent_core', schema: JSON.parse(CORE_SCHEMA) }
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
      outputSchema ??= JSON.parse(dataSchema ?? CORE_SCHEMA);
      return outputSchema;
    },
    get signal() {
      return signal();
    },
  };
};

module.exports = { modelRequest, formatOf, instructionsOf };
