// Libraries of schemas: what is asked of them, and what is said where that cannot be had.

import { Intent } from '@devcodex/intent-runtime';
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
