'use strict';
// `checkSchema` reports everything that `new Intent` would refuse in a schema, without an instance.

const { IntentError, fromNative } = require('./errors.js');
const addon = require('./addon.js');
const { readConfig } = require('./plain/intent-config.js');

/** Reads the schema. A value that is not JSON, or is too large to read, is refused before the check. */
const SCHEMA_CODES = ['SCHEMA_UNSUPPORTED', 'LIMIT_EXCEEDED'];

function checkSchema(schema, options) {
  const { json, unread } = readConfig(readSchemaOptions(options));
  let read;
  try {
    read = readConfig({ ...options, schema: schema ?? null });
  } catch (error) {
    if (!SCHEMA_CODES.includes(error.code)) throw error;
    const refused = [{ path: '', message: error.message }];
    return { supported: false, refused, loose: [], dialect: null, strict: false, tokens: 0 };
  }
  const { schemaText, schemaOrigin } = read;
  const standard = schemaOrigin === 'standard';
  const outcome = JSON.parse(addon.checkSchema(json, unread, schemaText, standard));
  if (outcome.error) throw fromNative(outcome.error);
  return outcome.report;
}

/** Reads the options that concern a schema. */
function readSchemaOptions(options) {
  const known = ['limits', 'unknownKeywords'];
  const other = Object.keys(options ?? {}).find((key) => !known.includes(key));
  if (other === undefined) return options;
  throw new IntentError('CONFIG_INVALID', {
    message: `options: unknown key ${JSON.stringify(other.slice(0, 100))}; it takes ${known.join(', ')}.`,
  });
}

module.exports = { checkSchema };
