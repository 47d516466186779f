'use strict';
// Makes the requests for executors. Parsed members are created when they are read, for each request anew.

const addon = require('./addon.js');
const { define } = require('./properties.js');

const PROMPTS = addon.prompts();

/** The parts that are the same in every request with one form of proof. */
const formAt = (at) => ({
  core: PROMPTS[at],
  data: PROMPTS[at + 1],
  schema: JSON.parse(PROMPTS[at + 2]),
});
const FULL = formAt(0);
const BRIEF = formAt(3);

/** Returns the form of a question or task of the addon. */
const formOf = (brief) => (brief ? BRIEF : FULL);

/** Copies plain JSON; for a small value this is faster than parsing its text again. */
const copy = (value) => {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copy);
  const out = {};
  for (const key of Object.keys(value)) define(out, key, copy(value[key]));
  return out;
};

/** Returns the format of a stage, as a new object. */
const formatOf = (stage, form) =>
  stage === 'core'
    ? { kind: 'json_schema', name: 'intent_core', schema: copy(form.schema) }
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
      outputSchema ??= dataSchema === undefined ? copy(form.schema) : JSON.parse(dataSchema);
      return outputSchema;
    },
    get signal() {
      return signal();
    },
  };
};

module.exports = { modelRequest, formOf, formatOf, instructionsOf };
