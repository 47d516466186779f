'use strict';
// Subschemas that say nothing, in the JSON Schema that a library wrote of its own type.
//
// ArkType writes `{}` for a Date, and Effect for an instance of a class, as both do for `unknown`.
// The type of the data would promise what JSON can never hold, so such a place is refused. Zod and
// Valibot refuse these types themselves: their `{}` means `unknown` or `any`, and stands.

const TELLS_ITSELF = ['zod', 'valibot'];

/** What a schema may hold and still say nothing of a value. */
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
/** One that says nothing does no harm here; what is further in may. */
const HARMLESS = ['allOf', 'if', 'then', 'else', 'contains'];

const isObject = (value) => typeof value === 'object' && value !== null;
const saysNothing = (schema) =>
  !Array.isArray(schema) && Object.keys(schema).every((key) => ANNOTATION.test(key));

/**
 * Where a subschema says nothing, as the names that lead there.
 *
 * @param {unknown} schema - Of `JSON.parse`, nested no deeper than the reader of schemas allows.
 * @returns {(string | number)[] | undefined}
 */
function emptyPlace(schema) {
  if (!isObject(schema)) return undefined;
  for (const [path, subschema, counts] of subschemas(schema)) {
    if (!isObject(subschema)) continue;
    if (counts && saysNothing(subschema)) return path;
    const further = emptyPlace(subschema);
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

/** What to write instead, by library. */
const instead = (vendor) => {
  if (vendor === 'arktype')
    return '"string.date.iso" for a date; for any value at all, pass schema.toJsonSchema()';
  if (vendor === 'effect')
    return 'Schema.Date for a date; for any value at all, pass Schema.toJsonSchemaDocument(schema).schema';
  return 'a text with a format for a date; for any value at all, pass the JSON Schema itself';
};

/** A type that JSON carries, where a library refuses its own, as z.date() and v.date() are. */
const carried = (vendor) => {
  if (vendor === 'zod') return 'such as z.iso.date() for a date';
  if (vendor === 'valibot') return 'such as v.pipe(v.string(), v.isoDate()) for a date';
  return 'such as a text with a format for a date';
};

module.exports = { carried, TELLS_ITSELF, emptyPlace, instead };
