'use strict';
// Writes JSON text, and ignores a `toJSON` on Object.prototype or Array.prototype, which no value asked for.

const { property } = require('./properties.js');

/** The same as `JSON.stringify(value)`. */
const jsonText = (value) => ('toJSON' in [] ? writeJson(value, '') : JSON.stringify(value));

/** {@link jsonText}, for the rare case that arrays or objects inherit a `toJSON`. */
const writeJson = (given, key) => {
  const value = applyToJSON(given, key);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value))
    return `[${value.map((element, i) => writeJson(element, String(i)) ?? 'null').join(',')}]`;
  if (value instanceof String || value instanceof Number || value instanceof Boolean)
    return JSON.stringify(value.valueOf());
  const members = [];
  for (const name of Object.keys(value)) {
    const text = writeJson(value[name], name);
    if (text !== undefined) members.push(`${JSON.stringify(name)}:${text}`);
  }
  return `{${members.join(',')}}`;
};

/** Calls the `toJSON` of a value or of its class. */
const applyToJSON = (value, key) => {
  if (typeof value !== 'object' || value === null) return value;
  const toJSON = property(value, 'toJSON');
  if (typeof toJSON !== 'function' || toJSON === Array.prototype.toJSON) return value;
  return toJSON.call(value, key);
};

module.exports = { jsonText };
