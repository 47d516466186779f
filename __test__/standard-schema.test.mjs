// Libraries of schemas: what is asked of them, and what is said where that cannot be had.

import { checkSchema, Intent } from '@devcodex/intent-runtime';
import { type } from 'arktype';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import * as mini from 'zod/mini';

const json = { type: 'object', properties: { a: { type: 'string' } } };

/** A library whose conversion is `input`. */
const library = (input, vendor = 'library') => ({
  '~standard': { version: 1, vendor, jsonSchema: { input, output: input } },
});
const refusal = (schema) => {
  try {
    new Intent({ schema });
    return undefined;
  } catch ({ code, message }) {
    return [code, message];
  }
};

describe('the target', () => {
  const asked = [];
  const knows =
    (...targets) =>
    ({ target }) => {
      asked.push(target);
      if (!targets.includes(target)) throw new Error(`no ${target}`);
      return json;
    };

  test.each([
    ['draft-07 is asked for first', ['draft-07', 'draft-2020-12'], ['draft-07']],
    ['then draft-2020-12, as Joi 18 wants', ['draft-2020-12'], ['draft-07', 'draft-2020-12']],
  ])('%s', (_, targets, wanted) => {
    asked.length = 0;
    expect(refusal(library(knows(...targets)))).toBeUndefined();
    expect(asked).toEqual(wanted);
  });

  test('a library that knows neither is refused with its first reason', () => {
    const [code, message] = refusal(library(knows('openapi-3.0')));
    expect(code).toBe('SCHEMA_UNSUPPORTED');
    expect(message).toContain('no draft-07');
  });
});

describe('annotations that no dialect knows', () => {
  const meta = (schema) => ({ type: 'object', properties: { a: schema } });

  test.each([
    ['Zod .meta', z.object({ a: z.string().meta({ label: 'x', placeholder: 'y' }) })],
    ['at the root', z.object({ a: z.string() }).meta({ label: 'x' })],
    ['in a library of its own', library(() => meta({ type: 'string', uiWidget: { rows: 3 } }))],
    ['in an item', z.object({ a: z.array(z.string().meta({ label: 'x' })) })],
  ])('%s: they are kept and mean nothing', (_, schema) => {
    expect(refusal(schema)).toBeUndefined();
  });

  test('in a schema that is written by hand they are typing errors', () => {
    expect(refusal(meta({ type: 'string', label: 'x' }))).toEqual([
      'SCHEMA_UNSUPPORTED',
      expect.stringContaining('"label"'),
    ]);
  });

  test('keywords that are known and not supported stay refused', () => {
    const [code] = refusal(library(() => meta({ $dynamicRef: '#x' })));
    expect(code).toBe('SCHEMA_UNSUPPORTED');
  });
});

describe('a library without Standard JSON Schema: the error names the call to make', () => {
  const standard = (vendor, more) => ({ '~standard': { version: 1, vendor }, ...more });

  test.each([
    ['Zod 3', standard('zod'), 'zodToJsonSchema(schema)'],
    ['zod/mini', mini.object({ a: mini.string() }), 'z.toJSONSchema(schema)'],
    [
      'Valibot',
      standard('valibot'),
      'toJsonSchema(schema), of the package @valibot/to-json-schema',
    ],
    ['Effect', standard('effect'), 'JSONSchema.make(schema)'],
    ['another', standard('other'), "the library's own conversion"],
  ])('%s', (_, schema, call) => {
    const [code, message] = refusal(schema);
    expect(code).toBe('SCHEMA_UNSUPPORTED');
    expect(message).toContain(call);
  });

  test('what the error says for zod/mini works', () => {
    expect(refusal(z.toJSONSchema(mini.object({ a: mini.string() })))).toBeUndefined();
  });
});

describe('an empty subschema, as it is written for a type that JSON cannot carry', () => {
  const wrote = (vendor, schema) => library(() => schema, vendor);
  const object = (properties) => ({ type: 'object', properties });

  test.each([
    ['ArkType Date', type({ day: 'Date' }), 'schema.properties.day', '"string.date.iso"'],
    ['with a description', type({ day: type('Date').describe('x') }), 'schema.properties.day'],
    ['in an array', type({ days: 'Date[]' }), 'schema.properties.days.items'],
    ['in a union', type({ day: 'string | Date' }), 'schema.properties.day.anyOf[1]'],
    ['in a record', type({ a: 'Record<string, Date>' }), 'properties.a.additionalProperties'],
    ['in an object', type({ a: { b: 'bigint' } }), 'schema.properties.a.properties.b'],
    ['unknown, which is written alike', type({ a: 'unknown' }), 'pass schema.toJsonSchema()'],
    [
      'Effect instanceOf',
      wrote('effect', object({ a: {} })),
      'schema.properties.a',
      'Schema.toJsonSchemaDocument(schema).schema',
    ],
    ['another library', wrote('other', object({ a: {} })), 'pass the JSON Schema itself'],
    ['no vendor', wrote(undefined, object({ a: {} })), 'schema.properties.a'],
    ['prefixItems', wrote('x', object({ a: { prefixItems: [{}] } })), 'a.prefixItems[0]'],
    ['items as an array', wrote('x', object({ a: { items: [{}] } })), 'a.items[0]'],
    [
      'a definition',
      wrote('x', { ...object({ a: { $ref: '#/$defs/b' } }), $defs: { b: { title: 'B' } } }),
      'schema.$defs.b',
    ],
    ['below allOf', wrote('x', object({ a: { allOf: [{ items: {} }] } })), 'a.allOf[0].items'],
    ['a name of Object', wrote('x', object({ toString: {} })), 'schema.properties.toString'],
  ])('%s is refused with its place and what to write', (_, schema, ...parts) => {
    const [code, message] = refusal(schema);
    expect(code).toBe('SCHEMA_UNSUPPORTED');
    for (const part of parts) expect(message).toContain(part);
    expect(checkSchema(schema)).toMatchObject({ supported: false, refused: [{ message }] });
  });

  test.each([
    ['Zod unknown and any', z.object({ a: z.unknown(), b: z.array(z.any()) })],
    ['Zod looseObject', z.looseObject({ a: z.string() })],
    ['Zod record of unknown', z.object({ a: z.record(z.string(), z.unknown()) })],
    [
      'Zod as JSON Schema with any',
      z.toJSONSchema(z.object({ a: z.date() }), { unrepresentable: 'any' }),
    ],
    ['Valibot unknown', wrote('valibot', object({ a: {} }))],
    ['what the message says for ArkType', type({ a: 'unknown' }).toJsonSchema()],
    ['and for a date', type({ day: 'string.date.iso' })],
    ['a schema written by hand', object({ a: {} })],
    ['true', wrote('x', object({ a: true }))],
    ['a keyword without a type', wrote('x', object({ a: { minLength: 1 } }))],
    [
      'nothing beside what says something',
      wrote('x', object({ a: { type: 'array', contains: {} } })),
    ],
    ['data that look like a schema', wrote('x', object({ a: { const: { items: {} } } }))],
  ])('%s stands', (_, schema) => {
    expect(refusal(schema)).toBeUndefined();
  });
});
