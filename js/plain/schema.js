'use strict';
// Reads a caller's JSON Schema, or the one that a Standard JSON Schema returns.

const { DEFAULT_LIMITS } = require('../constants.js');
const {
  REFUSE_THEIR_OWN,
  jsonTypeAdvice,
  pathOfEmpty,
  replacementAdvice,
} = require('../empty-subschema.js');
const { has, own, property } = require('../properties.js');
const { quoted, shown } = require('../text.js');
const { JsonWriter } = require('./json-writer.js');
const { isPlain, kind, member } = require('./objects.js');
const { Refusal, refused } = require('./refusal.js');

const { getOwnPropertyDescriptor } = Object;

/** The largest nesting: deeper than every sensible `maxSchemaDepth` and than the native reader allows. */
const MAX_SCHEMA_NESTING = 512;

/**
 * Extra size for keywords that the native side drops before it counts (`_label`, `$id`, ...). Only a graph that
 * contains one part many times grows far beyond the limit.
 */
const schemaRoom = (limit) => 8 * limit + 65536;

/** The limits of a schema's object graph. */
const schemaBounds = (limit) => ({
  root: 'schema',
  room: schemaRoom(limit),
  nesting: MAX_SCHEMA_NESTING,
  tooLong: () =>
    new Refusal(`The schema exceeds limits.maxSchemaBytes (${limit})`, {
      code: 'LIMIT_EXCEEDED',
      cause: undefined,
      limit: { name: 'maxSchemaBytes', max: limit },
    }),
  tooDeep: () =>
    new Refusal(
      `The schema exceeds limits.maxSchemaDepth: it nests more than ${MAX_SCHEMA_NESTING} levels deep`,
      {
        code: 'LIMIT_EXCEEDED',
        limit: { name: 'maxSchemaDepth', max: MAX_SCHEMA_NESTING },
      },
    ),
});

/**
 * Reads a JSON Schema, or calls a Standard JSON Schema for its JSON Schema.
 *
 * @param {unknown} schema
 * @param {{ maxSchemaBytes?: unknown }} [limits] - As the caller gave them.
 * @returns {{ text: string, origin: 'json' | 'standard' }}
 * @throws {IntentError} `SCHEMA_UNSUPPORTED` or `LIMIT_EXCEEDED`, stage `config`.
 */
function readSchema(schema, limits = { maxSchemaBytes: undefined }) {
  try {
    const { value, origin, vendor } = schemaOf(schema);
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new Refusal(`schema must be an object, got ${kind(value)}${ofEffect(value)}`);
    const maxSchemaBytes = own(limits, 'maxSchemaBytes');
    const limit =
      Number.isSafeInteger(maxSchemaBytes) && maxSchemaBytes > 0
        ? maxSchemaBytes
        : DEFAULT_LIMITS.maxSchemaBytes;
    const text = new JsonWriter(schemaBounds(limit)).write(value);
    if (vendor !== undefined) refuseEmptyPlaces(text, vendor);
    return { text, origin };
  } catch (thrown) {
    throw refused(thrown, 'SCHEMA_UNSUPPORTED', 'schema');
  }
}

/**
 * Returns the JSON Schema of a Standard JSON Schema; any other value unchanged.
 *
 * A plain object on which `~standard` is not enumerable is a JSON Schema that such a library made
 * (`z.toJSONSchema`). It is used as it is; the mark only names its origin.
 */
function schemaOf(schema) {
  if ((typeof schema !== 'object' && typeof schema !== 'function') || schema === null)
    return { value: schema, origin: 'json' };
  if (!has(schema, '~standard')) return { value: schema, origin: 'json' };
  if (
    typeof schema === 'object' &&
    isPlain(schema) &&
    getOwnPropertyDescriptor(schema, '~standard')?.enumerable === false
  )
    return { value: schema, origin: 'standard' };
  let vendor;
  try {
    const standard = schema['~standard'];
    const named = memberOf(standard, 'vendor');
    vendor = typeof named === 'string' ? named : '';
    const converter = memberOf(standard, 'jsonSchema');
    const input = memberOf(converter, 'input');
    if (typeof input !== 'function')
      throw new Refusal(
        `schema is a Standard Schema${vendorOf(standard)} without ~standard.jsonSchema; pass ` +
          `its JSON Schema in place of it: ${conversionOf(schema, standard)}`,
      );
    const value = inFirstOf(['draft-07', 'draft-2020-12'], (target) =>
      input.call(converter, { target }),
    );
    return { value, origin: 'standard', vendor };
  } catch (cause) {
    if (Refusal.is(cause)) throw cause;
    // The library's conversion refused the schema; an earlier error would not concern its types.
    const advice =
      vendor === undefined ? '' : `; use types that JSON carries, ${jsonTypeAdvice(vendor)}`;
    throw new Refusal(`schema cannot be written as JSON Schema: ${reasonOf(cause)}${advice}`, {
      cause,
    });
  }
}

/** Refuses a library's schema that has an empty subschema. */
function refuseEmptyPlaces(text, vendor) {
  if (REFUSE_THEIR_OWN.includes(vendor)) return;
  const path = pathOfEmpty(JSON.parse(text));
  if (path !== undefined)
    throw new Refusal(
      `${path.reduce(member, 'schema')}: the library wrote an empty schema, as it does for a type ` +
        `that JSON cannot carry (a Date, an instance of a class); write ${replacementAdvice(vendor)}`,
    );
}

/** Reads a property of a value, if the value is an object or function. */
function memberOf(value, key) {
  return (typeof value === 'object' && value !== null) || typeof value === 'function'
    ? property(value, key)
    : undefined;
}

/** Returns the library's schema for the first target that it supports; throws its first refusal if there is none. */
function inFirstOf([target, ...others], write) {
  try {
    return write(target);
  } catch (refusal) {
    for (const other of others) {
      try {
        return write(other);
      } catch {}
    }
    throw refusal;
  }
}

/** Returns the call that converts a schema to JSON Schema, for a library without Standard JSON Schema. */
function conversionOf(schema, standard) {
  const vendor = memberOf(standard, 'vendor');
  // Zod 4 and zod/mini mark their schemas with this property; Zod 3 does not.
  if (vendor === 'zod')
    return has(schema, '_zod')
      ? 'z.toJSONSchema(schema), of zod'
      : 'zodToJsonSchema(schema), of the package zod-to-json-schema, or move to Zod 4';
  if (vendor === 'valibot') return 'toJsonSchema(schema), of the package @valibot/to-json-schema';
  if (vendor === 'effect') return 'JSONSchema.make(schema), of effect';
  return "look for the library's own conversion, or for a version that implements Standard JSON Schema";
}

/** A schema of Effect is a class with an `ast` and no `~standard`. */
const ofEffect = (value) =>
  typeof value === 'function' && has(value, 'ast')
    ? '; a schema of Effect is passed as Schema.toStandardJSONSchemaV1(schema)'
    : '';

function vendorOf(standard) {
  const vendor = memberOf(standard, 'vendor');
  return typeof vendor === 'string' ? ` (vendor ${quoted(vendor)})` : '';
}

function reasonOf(cause) {
  try {
    const { message } = cause;
    if (typeof message === 'string') return shown(message).replace(/\.$/, '');
  } catch {
    // The thrown value has no readable message.
  }
  return 'its ~standard.jsonSchema threw';
}

module.exports = { readSchema };
