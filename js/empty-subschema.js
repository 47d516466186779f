'use strict';
// Finds empty subschemas in the JSON Schema that a library wrote for its own type.
//
// ArkType writes `{}` for a Date, and Effect for a class instance; both also write it for `unknown`. The
// type of the data could then promise a value that JSON cannot have, so such a place is refused. Zod and
// Valibot refuse these types themselves: their `{}` means `unknown` or `any`, and is accepted.

const REFUSE_THEIR_OWN = ['zod', 'valibot'];

/** The keywords that an empty subschema may have: they do not constrain a value. */
const ANNOTATION =
  /^(?:title|description|default|examples|\$comment|readOnly|writeOnly|deprecated|x-.*)$/s;

/** Keywords that hold a schema for each name, one schema, or a list of them. */
const BY_NAME = ['properties', 'patternProperties', 'definitions', '$defs'];
const PLACES = [
  'items',
  'prefixItems',
  'additionalItems',
  'additionalProperties',
  'anyOf',
  'oneOf',
];
/** Keywords where an empty subschema is harmless; subschemas inside it are still checked. */
const HARMLESS = ['allOf', 'if', 'then', 'else', 'contains'];

const isObject = (value) => typeof value === 'object' && value !== null;
const isUnconstrained = (schema) =>
  !Array.isArray(schema) && Object.keys(schema).every((key) => ANNOTATION.test(key));

/**
 * Returns the path to the first empty subschema, as a list of names.
 *
 * @param {unknown} schema - A value of `JSON.parse`, nested no deeper than the reader of schemas allows.
 * @returns {(string | number)[] | undefined}
 */
function pathOfEmpty(schema) {
  if (!isObject(schema)) return undefined;
  for (const [path, subschema, counts] of subschemas(schema)) {
    if (!isObject(subschema)) continue;
    if (counts && isUnconstrained(subschema)) return path;
    const further = pathOfEmpty(subschema);
    if (further !== undefined) return [...path, ...further];
  }
  return undefined;
}

function* subschemas(schema) {
  for (const keyword of BY_NAME) yield* each(schema, keyword, true);
  for (const keyword of PLACES) yield* oneOrEach(schema, keyword, true);
  for (const keyword of HARMLESS) yield* oneOrEach(schema, keyword, false);
}

function* oneOrEach(schema, keyword, counts) {
  if (!Object.hasOwn(schema, keyword)) return;
  if (Array.isArray(schema[keyword])) yield* each(schema, keyword, counts);
  else yield [[keyword], schema[keyword], counts];
}

function* each(schema, keyword, counts) {
  if (!Object.hasOwn(schema, keyword) || !isObject(schema[keyword])) return;
  const list = Array.isArray(schema[keyword]);
  for (const name of Object.keys(schema[keyword]))
    yield [[keyword, list ? Number(name) : name], schema[keyword][name], counts];
}

/** The replacement to suggest, by library. */
const replacementAdvice = (vendor) => {
  if (vendor === 'arktype')
    return '"string.date.iso" for a date; for any value at all, pass schema.toJsonSchema()';
  if (vendor === 'effect')
    return 'Schema.Date for a date; for any value at all, pass Schema.toJsonSchemaDocument(schema).schema';
  return 'a text with a format for a date; for any value at all, pass the JSON Schema itself';
};

/** Suggests a type that JSON carries, when a library refuses its own type, such as z.date() and v.date(). */
const jsonTypeAdvice = (vendor) => {
  if (vendor === 'zod') return 'such as z.iso.date() for a date';
  if (vendor === 'valibot') return 'such as v.pipe(v.string(), v.isoDate()) for a date';
  return 'such as a text with a format for a date';
};

module.exports = { jsonTypeAdvice, REFUSE_THEIR_OWN, pathOfEmpty, replacementAdvice };
