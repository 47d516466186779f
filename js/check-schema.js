'use strict';
// `checkSchema`: what `new Intent` would say of a schema, all of it and without an instance.

const { IntentError, fromNative } = require('./errors.js');
const addon = require('./addon.js');
const { readConfig } = require('./plain/intent-config.js');

/** What is no JSON at all, or too large to be read, never reaches the check. */
const OF_THE_SCHEMA = ['SCHEMA_UNSUPPORTED', 'LIMIT_EXCEEDED'];

function checkSchema(schema, options) {
  const { json } = readConfig(onlyOfSchemas(options));
  let read;
  try {
    read = readConfig({ ...options, schema: schema ?? null });
  } catch (error) {
    if (!OF_THE_SCHEMA.includes(error.code)) throw error;
    const refused = [{ path: '', message: error.message }];
    return { supported: false, refused, loose: [], dialect: null, strict: false, tokens: 0 };
  }
  const { schemaText, schemaOrigin } = read;
  const outcome = JSON.parse(addon.checkSchema(json, schemaText, schemaOrigin === 'standard'));
  if (outcome.error) throw fromNative(outcome.error);
  return outcome.report;
}

/** The options, where they are of use to a schema. */
function onlyOfSchemas(options) {
  const known = ['limits', 'unknownKeywords'];
  const other = Object.keys(options ?? {}).find((key) => !known.includes(key));
  if (other === undefined) return options;
  throw new IntentError('CONFIG_INVALID', {
    message: `options: unknown key ${JSON.stringify(other.slice(0, 100))}; it takes ${known.join(', ')}.`,
  });
}

module.exports = { checkSchema };
