'use strict';
// Makes the requests for executors. Parsed members are created when they are read, for each request anew.

const addon = require('./addon.js');

const PROMPTS = addon.prompts();

/**
 * Returns a function that makes copies of plain JSON: for a small value faster than to parse its text again.
 * A spread defines every property, whatever Object.prototype has; nested values replace what it defined.
 */
const copierOf = (value) => {
  if (typeof value !== 'object' || value === null) return () => value;
  if (Array.isArray(value)) {
    const elements = value.map(copierOf);
    return () => elements.map((copy) => copy());
  }
  const nested = Object.keys(value)
    .filter((key) => typeof value[key] === 'object' && value[key] !== null)
    .map((key) => [key, copierOf(value[key])]);
  return () => {
    const copy = { ...value };
    for (let i = 0; i < nested.length; i++) copy[nested[i][0]] = nested[i][1]();
    return copy;
  };
};

/** The parts that are the same in every request with one form of proof. */
const formAt = (at) => ({
  core: PROMPTS[at],
  data: PROMPTS[at + 1],
  schema: copierOf(JSON.parse(PROMPTS[at + 2])),
});
const FULL = formAt(0);
const BRIEF = formAt(3);

/** Returns the form of a question or task of the addon. */
const formOf = (brief) => (brief ? BRIEF : FULL);

/** Returns the format of a stage, as a new object. */
const formatOf = (stage, form) =>
  stage === 'core'
    ? { kind: 'json_schema', name: 'intent_core', schema: form.schema() }
    : { kind: 'json_object' };

const instructionsOf = (stage, form) => form[stage];

/**
 * @param {'core' | 'data'} stage
 * @param {ReturnType<typeof formAt>} form
 * @param {string} payload
 * @param {string | undefined} dataSchema the schema text of the data stage
 * @param {() => AbortSignal} signal
 */
const modelRequest = (stage, form, payload, dataSchema, signal) => {
  let input;
  let format;
  let outputSchema;
  return {
    stage,
    instructions: instructionsOf(stage, form),
    payload,
    get input() {
      input ??= JSON.parse(payload);
      return input;
    },
    get format() {
      format ??= formatOf(stage, form);
      return format;
    },
    get outputSchema() {
      outputSchema ??= dataSchema === undefined ? form.schema() : JSON.parse(dataSchema);
      return outputSchema;
    },
    get signal() {
      return signal();
    },
  };
};

module.exports = { modelRequest, formOf, formatOf, instructionsOf };
