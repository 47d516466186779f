'use strict';
// The common part of the readers of public sets.

const { createReadStream, existsSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const { createInterface } = require('node:readline');
const { Intent } = require('../../intent.js');
const { answerFrom } = require('../candidates.js');
const { EvaluationError } = require('../cases.js');
const { general } = require('../summary.js');

/** These sets were not written for this package, so their cases run with less strict options. */
const CONFIG = Object.freeze({
  unknownKeywords: 'annotate',
  // Their answers contain knowledge of a model that is not in the text: coordinates of a city, a default.
  evidence: 'any',
  limits: { maxSchemaDepth: 64, maxSchemaProperties: 5000, maxSchemaBytes: 1_000_000 },
});

const existing = (folder, name) => {
  const path = join(folder, name);
  if (!existsSync(path)) throw new EvaluationError(`the set has no file ${path}; see --data.`);
  return path;
};

const readJson = (folder, name) => JSON.parse(readFileSync(existing(folder, name), 'utf8'));

/** Reads the lines of a JSONL file. */
async function* readLines(folder, name) {
  const input = createReadStream(existing(folder, name));
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY }))
    if (line.trim() !== '') yield JSON.parse(line);
}

/** Reads the answers of a set by id. */
async function answersById(folder, name) {
  const answers = new Map();
  for await (const { id, ground_truth: answer } of readLines(folder, name)) answers.set(id, answer);
  return answers;
}

/** The names of Python types that these sets use instead of JSON Schema's. */
const TYPES = {
  __proto__: null,
  dict: 'object',
  float: 'number',
  tuple: 'array',
  list: 'array',
  bool: 'boolean',
  int: 'integer',
  str: 'string',
};
const SCHEMAS_BY_NAME = ['properties', 'patternProperties', 'definitions', '$defs'];
const SCHEMAS = ['items', 'additionalProperties', 'not', 'contains', 'anyOf', 'oneOf', 'allOf'];

/** Replaces the names of types in a schema by those of JSON Schema; `any` is omitted. */
function withJsonTypes(schema) {
  if (Array.isArray(schema)) return schema.map(withJsonTypes);
  if (typeof schema !== 'object' || schema === null) return schema;
  const out = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'type' && typeof value === 'string') {
      if (value !== 'any') out.type = TYPES[value] ?? value;
    } else if (SCHEMAS_BY_NAME.includes(key)) {
      const named = Object.entries(value).map(([name, inner]) => [name, withJsonTypes(inner)]);
      out[key] = Object.fromEntries(named);
    } else out[key] = SCHEMAS.includes(key) ? withJsonTypes(value) : value;
  }
  return out;
}

/** Makes functions optional fields with their parameters; with `wrap` each field is a list of calls. */
function functionSchema(functions, wrap = (parameters) => parameters) {
  const properties = functions.map((one) => {
    const parameters = withJsonTypes(one.parameters ?? one.arguments ?? { type: 'object' });
    const description = [one.description, parameters.description].filter(Boolean).join(' ');
    return [one.name, { ...wrap(parameters), ...(description && { description }) }];
  });
  return { type: 'object', properties: Object.fromEntries(properties) };
}

/**
 * Makes a case of a set. If its own answer cannot be given, because its schema is not supported or its answer is
 * not valid under the schema, the case has the reason in `shutOut`. Any other fault of its answer is a fault of the
 * reader and remains visible.
 */
async function usable(one) {
  const full = { ...one, config: CONFIG };
  const reason = one.shutOut ?? (await refusal(full));
  return reason === undefined ? full : { ...full, shutOut: reason };
}

async function refusal({ input, context, schema, config, gold }) {
  let trial;
  try {
    trial = trialOf(schema, config);
  } catch (error) {
    return `the schema is refused: ${general(error.message.replace(/^schema[^ :]*/, 'schema'))}`;
  }
  const run = { gold, diagnostic: undefined };
  trial.run = run;
  try {
    await trial.intent.parse({ input, context });
    return undefined;
  } catch {
    return schemaFault(run.diagnostic);
  }
}

/** Makes an Intent for a schema that answers from `run.gold`; readers check one case after the other. */
function trialOf(schema, config) {
  const known = trials.get(schema);
  if (known !== undefined) return known;
  const trial = { run: undefined, intent: undefined };
  const generate = async (request) => {
    if (request.input.repair) trial.run.diagnostic = request.input.repair.diagnostic;
    return answerFrom(trial.run.gold, request);
  };
  trial.intent = new Intent({ ...config, schema, executor: { id: 'gold', generate } });
  trials.set(schema, trial);
  return trial;
}

const trials = new WeakMap();

/** Matches the first line of a diagnostic for invalid data: a pointer and a keyword. */
function schemaFault(diagnostic) {
  const [, what] = /^\/data[^:\n]*: ([A-Za-z]+: .*)$/m.exec(diagnostic ?? '') ?? [];
  if (what === undefined) return undefined;
  return `the set's answer is not valid by its own schema: ${general(what)}`;
}

module.exports = { answersById, functionSchema, readJson, readLines, usable };
