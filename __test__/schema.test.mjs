// Schemas as callers pass them and as models see them (docs/schema.md).

import { Intent } from '@devcodex/intent-runtime';
import { Type } from '@sinclair/typebox';
import Ajv from 'ajv';
import { type } from 'arktype';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import * as mini from 'zod/mini';
import {
  complete,
  core,
  data,
  dataOf,
  executing,
  failure,
  INPUT,
  parseWith,
  refusal,
  scripted,
} from './support/model.mjs';

const object = (properties, rest) => ({ type: 'object', properties, ...rest });
const unsupported = (schema, message) =>
  refusal(() => new Intent({ schema }), 'SCHEMA_UNSUPPORTED', 'config', message);
/** The data that comes of a candidate's data. */
const extracted = async (schema, value, { described, ...config } = {}) => {
  const fields = Object.keys(schema.shape ?? schema.properties ?? value);
  const text = data(value, { described, fields });
  return (await parseWith(scripted(core(), text, text), { schema, ...config })).data;
};
const rejected = (schema, value, message) =>
  failure(extracted(schema, value), 'MODEL_OUTPUT_INVALID', 'data', message);
/** The requests of both stages. */
const asked = async (schema, fields) => {
  const executor = scripted(core(), (request) =>
    complete(data({}, { fields: request.input.selectedFields })),
  );
  await parseWith(executor, { schema, request: { input: INPUT, fields } }).catch(() => {});
  return executor.requests;
};

describe('libraries go straight in', () => {
  const value = { id: '000123', n: 3, tags: ['a', 'b'], kind: 'x' };
  const bad = { id: '12', n: 3, tags: ['a', 'b'], kind: 'x' };

  const schemas = {
    'Zod 4': z.object({
      id: z.string().regex(/^[0-9]{6}$/),
      n: z.int().min(1).max(10).optional(),
      tags: z.array(z.string()).min(1),
      kind: z.enum(['x', 'y']).default('y'),
    }),
    'what Zod 4 mini writes': mini.toJSONSchema(
      mini.object({
        id: mini.string().check(mini.regex(/^[0-9]{6}$/)),
        n: mini.optional(mini.int().check(mini.minimum(1), mini.maximum(10))),
        tags: mini.array(mini.string()).check(mini.minLength(1)),
        kind: mini._default(mini.enum(['x', 'y']), 'y'),
      }),
      { io: 'input', target: 'draft-7' },
    ),
    ArkType: type({
      id: /^[0-9]{6}$/,
      'n?': '1 <= number.integer <= 10',
      tags: 'string[] >= 1',
      kind: "'x' | 'y'",
    }),
    TypeBox: Type.Object({
      id: Type.String({ pattern: '^[0-9]{6}$' }),
      n: Type.Optional(Type.Integer({ minimum: 1, maximum: 10 })),
      tags: Type.Array(Type.String(), { minItems: 1 }),
      kind: Type.Union([Type.Literal('x'), Type.Literal('y')], { default: 'y' }),
    }),
    'JSON Schema': object(
      {
        id: { type: 'string', pattern: '^[0-9]{6}$' },
        n: { type: 'integer', minimum: 1, maximum: 10 },
        tags: { type: 'array', items: { type: 'string' }, minItems: 1 },
        kind: { enum: ['x', 'y'], default: 'y' },
      },
      { required: ['id', 'tags'] },
    ),
  };
  for (const [name, schema] of Object.entries(schemas)) {
    test(name, async () => {
      const executor = scripted(core(), data(bad), data(value));
      const result = await parseWith(executor, { schema });
      expect(result.data).toEqual(value);
      const [, second, repair] = executor.requests;
      expect(second.input.selectedFields.sort()).toEqual(['id', 'kind', 'n', 'tags']);
      expect(repair.input.repair.diagnostic).toContain('/data/id');
      const { selectedSchema } = second.input;
      expect(Object.keys(selectedSchema).slice(0, 1)).toEqual(
        selectedSchema.$schema ? ['$schema'] : ['type'],
      );
      expect(selectedSchema.additionalProperties).toBe(false);
      expect(selectedSchema.required).toContain('id');
      // Defaults are neither required of a model nor filled in.
      expect(selectedSchema.required).not.toContain('n');
      const { kind, ...without } = value;
      expect(kind).toBe('x');
      if (name.includes('Zod')) {
        expect(selectedSchema.required).not.toContain('kind');
        const text = data(without, { fields: ['id', 'n', 'tags', 'kind'] });
        expect((await parseWith(scripted(core(), text), { schema })).data).toEqual(without);
      }
      // The model sees the same schema that its answer is checked against.
      const ajv = new Ajv({ strict: false });
      const validate = ajv.compile({ ...selectedSchema, $schema: undefined });
      expect([validate(value), validate(bad)]).toEqual([true, false]);
    });
  }

  test('descriptions of Zod are judged', async () => {
    const schema = z.object({ id: z.string().describe('The order number.') }).describe('An order.');
    const described = ['/data', '/data/id'];
    const good = data({ id: '000123' }, { described });
    const partly = data({ id: '000123' }, { described: ['/data/id'] });
    const executor = scripted(core(), partly, good);
    expect((await parseWith(executor, { schema })).data).toEqual({ id: '000123' });
    expect(executor.requests[2].input.repair.diagnostic).toContain('/data: has a description');
    expect(executor.requests[1].input.selectedSchema.description).toBe('An order.');
  });

  test('recursion of Zod', async () => {
    const Node = z.object({
      id: z.string(),
      get children() {
        return z.array(Node).optional();
      },
    });
    const value = { id: 'a', children: [{ id: 'b', children: [{ id: 'c' }] }] };
    expect(await extracted(Node, value)).toEqual(value);
    await rejected(
      Node,
      { id: 'a', children: [{ id: 'b', children: [{ id: 7 }] }] },
      /\/data\/children\/0\/children\/0\/id/,
    );
    // A selection keeps what its references need.
    const fields = ['children'];
    const [, second] = await asked(Node, fields);
    const ajv = new Ajv({ strict: false });
    const validate = ajv.compile({ ...second.input.selectedSchema, $schema: undefined });
    expect(validate({ children: [{ id: 'x', children: [] }] })).toBe(true);
    expect(validate({ children: [{ children: [] }] })).toBe(false);
    const envelope = ajv.compile({ ...second.outputSchema, $schema: undefined });
    const good = dataOf({ children: [{ id: 'x' }] });
    expect(envelope(good)).toBe(true);
    expect(envelope({ ...good, data: { children: [{ id: 7 }] } })).toBe(false);
  });

  test('unknown formats of Zod are annotations, known ones are asserted', async () => {
    const schema = z.object({ u: z.ulid().optional(), m: z.email(), b: z.base64().optional() });
    expect(
      await extracted(schema, { m: 'a@example.com', u: '01ARZ3NDEKTSV4RRFFQ69G5FAV' }),
    ).toEqual({ m: 'a@example.com', u: '01ARZ3NDEKTSV4RRFFQ69G5FAV' });
    await rejected(schema, { m: 'no mail' }, /\/data\/m/);
  });

  test('a schema that cannot be written as JSON Schema has a message that says so', () => {
    unsupported(z.object({ a: z.bigint() }), /^schema cannot be written as JSON Schema: /);
    unsupported(z.object({ a: z.date() }), /JSON Schema/);
    unsupported(z.string(), /schema: .*type.*"object"|root/i);
    unsupported(z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]), /"object"/);
    unsupported(mini.object({ a: mini.string() }), /vendor "zod".*JSON Schema/);
    unsupported({ '~standard': { version: 1, vendor: 'old', validate() {} } }, /vendor "old"/);
    const throwing = {
      '~standard': {
        version: 1,
        vendor: 'x',
        jsonSchema: {
          input() {
            throw new Error('not this one');
          },
        },
      },
    };
    const error = unsupported(throwing, /not this one/);
    expect(error.cause).toEqual(new Error('not this one'));
    for (const given of [undefined, null, 7, true, [], Promise.resolve({})])
      unsupported({ '~standard': { jsonSchema: { input: () => given } } });
  });

  test('asks for the input, with target draft-07, once', () => {
    const calls = [];
    const schema = Object.assign(() => {}, {
      '~standard': {
        version: 1,
        vendor: 'mine',
        jsonSchema: {
          input(...args) {
            calls.push(args);
            return object({ a: { type: 'string', format: 'of my own' } });
          },
          output() {
            throw new Error('not asked for');
          },
        },
      },
    });
    new Intent({ schema });
    expect(calls).toEqual([[{ target: 'draft-07' }]]);
  });
});

describe('refusals name the path, the keyword and a guess', () => {
  const cases = [
    [
      object({ a: { maxLenght: 3 } }),
      /schema\.properties\.a: unknown keyword "maxLenght".*"maxLength"/,
    ],
    [object({ a: {} }, { requierd: ['a'] }), /"requierd".*"required"/],
    [object({ 'a b': { typ: 'x' } }), /schema\.properties\["a b"\].*"typ".*"type"/],
    [object({ a: { items: { enum: 3 } } }), /schema\.properties\.a\.items.*enum/],
    [object({ a: { type: 'strin' } }), /schema\.properties\.a.*type.*"strin"/],
    [object({ a: { minLength: -1 } }), /schema\.properties\.a.*minLength/],
    [object({ a: { multipleOf: 0 } }), /multipleOf/],
    [object({ a: { pattern: '(' } }), /schema\.properties\.a.*pattern.*"\("/],
    [object({ a: { patternProperties: { '[': {} } } }), /patternProperties/],
    [object({ a: { format: 'phone' } }), /schema\.properties\.a.*"phone"/],
    [object({ a: { $ref: 'https://example.com/x' } }), /schema\.properties\.a.*\$ref/],
    [object({ a: { $ref: '#/definitions/none' } }), /#\/definitions\/none/],
    [object({ a: { $ref: '#/properties/a' } }), /"#\/properties\/a" leads back to itself/],
    [object({ a: { $dynamicRef: '#x' } }), /\$dynamicRef/],
    [object({ a: { $anchor: 'x' } }), /\$anchor/],
    [object({ a: {} }, { required: ['b'] }), /required.*"b"/],
    [object({ a: {} }, { required: ['a', 'a'] }), /required/],
    [object({ a: { anyOf: Array.from({ length: 65 }, () => ({})) } }), /anyOf.*64/],
    [{ type: 'object' }, /properties/],
    [{ type: 'array', properties: {} }, /type/],
    [{ properties: {} }, /type/],
    [{ $schema: 'http://json-schema.org/draft-03/schema#', ...object({}) }, /\$schema/],
    [object({ a: { prefixItems: [{}], additionalItems: false } }), /prefixItems|additionalItems/],
    [object({ a: () => {} }), /schema\.properties\.a/],
    [object({ a: { const: undefined } }), /schema\.properties\.a\.const.*undefined/],
    [object({ a: { default: new Date() } }), /schema\.properties\.a\.default/],
    [object({ a: { const: Number.NaN } }), /NaN/],
    [object({ a: { enum: [1n] } }), /schema\.properties\.a\.enum\[0\]/],
    [
      object({
        get a() {
          return {};
        },
      }),
      /accessor/,
    ],
    [null, /object.*null/],
    [true, /object.*boolean/],
    ['{}', /object.*string/],
    [[], /object.*array/],
  ];
  for (const keyword of [
    ...['anyOf', 'oneOf', 'allOf', 'not', 'if', 'then', 'else', 'enum', 'const', '$ref'],
    ...['patternProperties', 'propertyNames', 'minProperties', 'maxProperties', 'dependencies'],
    ...['dependentRequired', 'dependentSchemas', 'unevaluatedProperties'],
  ]) {
    const values = {
      anyOf: [{}],
      oneOf: [{}],
      allOf: [{}],
      enum: [{}],
      const: {},
      $ref: '#/definitions/x',
      minProperties: 1,
      maxProperties: 9,
    };
    const schema = object({ a: {} }, { [keyword]: values[keyword] ?? {}, definitions: { x: {} } });
    cases.push([
      schema,
      new RegExp(`^schema\\.${keyword.replace('$', '\\$')} is not supported at the root`),
    ]);
  }
  for (const [i, [schema, message]] of cases.entries()) {
    test(`${i}: ${message}`, () => {
      const error = unsupported(schema, message);
      expect(error.message.length).toBeLessThan(500);
    });
  }

  test('a cycle, and a graph that holds one part very often', () => {
    const cyclic = object({ a: {} });
    cyclic.properties.a.not = cyclic;
    unsupported(cyclic, /schema\.properties\.a\.not.*cycle/);
    let part = { description: 'x'.repeat(100) };
    for (let i = 0; i < 25; i++) part = { anyOf: [part, part] };
    refusal(() => new Intent({ schema: object({ a: part }) }), 'LIMIT_EXCEEDED', 'config');
    let deep = {};
    for (let i = 0; i < 100_000; i++) deep = { not: deep };
    refusal(() => new Intent({ schema: object({ a: deep }) }), 'LIMIT_EXCEEDED', 'config');
  });

  test('names under properties, and data, are no keywords', () => {
    for (const part of [
      object({ prefixItems: {}, maxLenght: {}, $ref: {}, $anchor: {} }),
      { enum: [{ prefixItems: [], typ: 1 }] },
      { const: { $ref: 'x' } },
      { default: { maxLenght: 1 }, examples: [{ $anchor: 1 }] },
      { 'x-anything': { typ: 1 } },
    ])
      new Intent({ schema: object({ a: part }) });
  });
});

describe('the schema that models see', () => {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'urn:mine',
    title: 'Orders',
    type: 'object',
    description: 'All orders.',
    properties: {
      a: { $ref: '#/$defs/money', title: 'A' },
      b: { type: 'array', items: { $ref: '#/properties/c' } },
      c: {
        type: 'object',
        properties: { again: { $ref: '#/properties/c' }, n: { type: 'integer' } },
      },
      d: { type: 'string', _label: 'gone', exactLength: 3, maxLength: 9, minLength: 1 },
    },
    required: ['d', 'a'],
    $defs: {
      money: { type: 'object', properties: { sum: { $ref: '#/$defs/sum' } }, required: ['sum'] },
      sum: { type: 'number', multipleOf: 0.01 },
      unused: { type: 'string' },
    },
  };
  const compile = (seen) =>
    new Ajv({ strict: false, multipleOfPrecision: 6 }).compile({ ...seen, $schema: undefined });

  test('the snapshot, unchanged except for dropped keywords', async () => {
    const [first, second] = await asked(schema, ['a']);
    const { $id, ...rest } = structuredClone(schema);
    expect($id).toBe('urn:mine');
    delete rest.properties.d._label;
    const { exactLength, maxLength, minLength, ...d } = rest.properties.d;
    expect([exactLength, maxLength, minLength]).toEqual([3, 9, 1]);
    rest.properties.d = { ...d, minLength: 3, maxLength: 3 };
    expect(first.input.schemaReference).toEqual(rest);
    expect(second.input.schemaReference).toEqual(rest);
    expect(first.payload).toBe((await asked(schema, ['d']))[0].payload);
  });

  test('a selection: fields in the order of the request, with the targets of references', async () => {
    const [, second] = await asked(schema, ['b', 'a', 'b']);
    const { selectedSchema, selectedFields } = second.input;
    expect(selectedFields).toEqual(['b', 'a']);
    expect(Object.keys(selectedSchema.properties)).toEqual(['b', 'a']);
    expect(selectedSchema.required).toEqual(['a']);
    expect(selectedSchema.description).toBe('All orders.');
    expect(selectedSchema.$schema).toBe(schema.$schema);
    expect('title' in selectedSchema).toBe(false);
    expect(JSON.stringify(selectedSchema)).not.toContain('unused');
    for (const seen of [selectedSchema, second.outputSchema.properties.data]) {
      // The envelope's references lead from its own root.
      const validate =
        seen === selectedSchema
          ? compile(seen)
          : (
              (whole) => (value) =>
                whole(dataOf(value))
            )(compile(second.outputSchema));
      expect(validate({ a: { sum: 19.99 }, b: [{ again: { n: 1 } }] })).toBe(true);
      expect(validate({ a: { sum: 19.999 } })).toBe(false);
      expect(validate({ a: { sum: 1 }, b: [{ again: { again: { n: 'x' } } }] })).toBe(false);
      expect(validate({ a: { sum: 1 }, c: {} })).toBe(false);
      expect(validate({ b: [] })).toBe(false);
    }
  });

  test('every reference in it has a target, for all names', async () => {
    const odd = object(
      {
        'a/b': { $ref: '#/definitions/x~1y~1z' },
        '~': { items: { $ref: '#/properties/a~1b' } },
        definitions: { type: 'object', properties: { q: { $ref: '#/definitions/%25' } } },
      },
      {
        definitions: {
          'x%2Fy/z': { type: 'string' },
          'x/y/z': { type: 'integer' },
          '%': { type: 'boolean' },
        },
      },
    );
    const resolve = (root, ref) =>
      decodeURIComponent(ref)
        .split('/')
        .slice(1)
        .reduce((at, token) => at?.[token.replaceAll('~1', '/').replaceAll('~0', '~')], root);
    const refs = (node) =>
      node === null || typeof node !== 'object'
        ? []
        : Object.entries(node).flatMap(([key, value]) =>
            key === '$ref' && typeof value === 'string' ? [value] : refs(value),
          );
    for (const fields of [undefined, ['a/b'], ['~'], ['definitions'], ['~', 'definitions']]) {
      const [, second] = await asked(odd, fields);
      for (const seen of [second.input.selectedSchema, second.outputSchema])
        for (const ref of refs(seen)) expect(resolve(seen, ref), ref).toBeDefined();
    }
    expect(await extracted(odd, { 'a/b': 7, definitions: { q: true } })).toEqual({
      'a/b': 7,
      definitions: { q: true },
    });
    await rejected(odd, { 'a/b': 'x' });
    await rejected(odd, { definitions: { q: 1 } });
  });
});

describe('patterns have the same meaning as in JavaScript with the flag u', () => {
  const subjects = [
    '',
    'a',
    'A',
    '1',
    '١',
    'é',
    'e\u0301',
    '_',
    '-',
    '.',
    '\\',
    '/',
    '\n',
    '\r',
    '\u2028',
    '\t',
    '\u000b',
    '\u00a0',
    '\ufeff',
    '\u0001',
    '\u0085',
    '\u200b',
    '😀',
    '😀😀',
    'ſ',
    'K',
    'K',
    'ab',
    'abc',
    'aXc',
    '2024',
    '2024-2024',
    '2024-2025',
    '/api/',
    '/api/v1',
    'x/api/',
    'a\nb',
    'foo bar',
    'price: 5',
    '$5',
    'fooo',
    'Ω',
    'Ж',
    '中文',
    'aa',
    'a-',
    'é1',
    '\u{1f468}\u{200d}',
    '0'.repeat(40),
  ];
  const patterns = [
    '[^]',
    '^[^]$',
    '[]',
    '^.$',
    '^..$',
    '(?<y>\\d{4})-\\k<y>',
    '(\\d{4})-\\1',
    '^\\/api\\/',
    '[\\w\\-.]',
    '\\cA',
    '(?<=\\$)\\d',
    '(?<!\\$)\\d',
    '(?=a)a',
    '(?!a).',
    '\\p{L}',
    '^\\p{Lu}$',
    '\\P{L}',
    '\\p{Script=Han}',
    '\\p{Script_Extensions=Greek}',
    '\\p{Emoji}',
    '\\p{ASCII}',
    '\\bfoo\\b',
    '\\Boo',
    '^\\w$',
    '^\\W$',
    '^\\d$',
    '^\\D$',
    '^\\s$',
    '^\\S$',
    '^[\\s\\S]$',
    'a|b',
    '(a|ab)(c|bcd)?$',
    '^(?:a|ab)c$',
    '^a{2}$',
    '^a{1,}$',
    '^a{0,1}$',
    'a*?b',
    '^(a+)+$',
    '\\u0041',
    '\\u{1F600}',
    '\\ud83d\\ude00',
    '^[\\u{1F600}-\\u{1F64F}]$',
    '\\x41',
    '\\t',
    '\\v',
    '\\0',
    '^[\\b]$',
    '[^a-z]',
    '^$',
    '(?:)',
    '\\$',
    '\\.',
    '\\-'.slice(1),
    '^[-a]$',
    '^[a\\]]$',
    '(a)|b\\1',
    '(?<a>.)\\k<a>',
    '^(?:(a)|b)*$',
    '(?=(a+))a*b\\1',
    '^.{2}$',
    '中',
    '^[中文]+$',
    '[\\d-x]'.replace('-x', ''),
    '\\r\\n?',
  ];
  for (const pattern of patterns) {
    test(pattern, async () => {
      const reference = new RegExp(pattern, 'u');
      const schema = object({ v: { type: 'array', items: { type: 'string', pattern } } });
      await new Intent({ schema }).dispose();
      const unmatched = [];
      for (let at = 0; at < subjects.length; at += 15) {
        const executor = scripted(core(), data({ v: subjects.slice(at, at + 15) }), undefined);
        // The subjects occur in no input, so only the pattern is tested.
        await parseWith(executor, { schema, evidence: 'any' }).catch(() => {});
        const { repair } = executor.requests.at(-1).input;
        for (const [, index] of repair?.diagnostic.matchAll(/^\/data\/v\/(\d+):/gm) ?? [])
          unmatched.push(subjects[at + Number(index)]);
        expect(repair?.diagnostic ?? '').not.toMatch(/ more$/);
      }
      expect(unmatched).toEqual(subjects.filter((subject) => !reference.test(subject)));
    });
  }

  test('an invalid pattern is refused, and the message names it', () => {
    for (const pattern of [
      '(',
      ')',
      '[',
      'a{2,1}',
      '*',
      '\\-',
      '[\\w-.]',
      '\\k<x>',
      '\\1',
      '\\00',
      '\\c',
      '\\u12',
      '\\u{110000}',
      '\\p{None}',
      '\\p{Script=None}',
      '(?<a>.)(?<a>.)',
      '{',
      '}',
      ']',
      '(?<=a)*',
      '(?i:a',
      '\\a',
      '[b-a]',
      '[\\d-z]',
    ]) {
      expect(() => new RegExp(pattern, 'u'), pattern).toThrow();
      const error = unsupported(object({ v: { pattern } }), /schema\.properties\.v/);
      expect(error.message).toContain(JSON.stringify(pattern).slice(1, 5).replaceAll('\\\\', '\\'));
    }
  });
});

describe('a validation ends within its budget', () => {
  /** Runs a promise while a 1 ms timer runs; how often it ticked, and how late it was at worst. */
  const beside = async (promise) => {
    let ticks = 0;
    const timer = setInterval(() => ticks++, 1);
    try {
      return { outcome: await promise.catch((error) => error), ticks };
    } finally {
      clearInterval(timer);
    }
  };
  // Each level doubles the work: no machine finishes it.
  const doubling = (levels) => {
    const $defs = { [`l${levels}`]: { type: 'string', maxLength: 1 } };
    for (let i = 0; i < levels; i++)
      $defs[`l${i}`] = { anyOf: [{ $ref: `#/$defs/l${i + 1}` }, { $ref: `#/$defs/l${i + 1}` }] };
    return object({ v: { $ref: '#/$defs/l0' } }, { $defs });
  };
  const slow = { schema: doubling(60), text: data({ v: 'xx' }) };

  test('LIMIT_EXCEEDED, while the event loop goes on', async () => {
    const executor = scripted(core(), slow.text, slow.text);
    const { outcome, ticks } = await beside(
      parseWith(executor, { schema: slow.schema, limits: { maxValidationMs: 300 } }),
    );
    expect(`${outcome.code}/${outcome.stage}`, outcome.message).toBe('LIMIT_EXCEEDED/data');
    expect(outcome.message).toContain('maxValidationMs (300)');
    expect(outcome.partialResult.data).toEqual({});
    expect(executor.requests.length).toBe(2);
    expect(ticks).toBeGreaterThan(20);
  });

  test('neither a deadline, an abort nor a disposal waits for it', async () => {
    const limits = { maxValidationMs: 5000 };
    const parse = (config, request) =>
      new Intent({
        executor: scripted(core(), slow.text),
        schema: slow.schema,
        limits,
        ...config,
      }).parse({ input: INPUT, ...request });
    const began = performance.now();
    await failure(parse({ timeoutMs: 50 }), 'MODEL_TIMEOUT', 'data');
    await failure(parse({}, { signal: AbortSignal.timeout(50) }), 'MODEL_ABORTED', 'data');
    const intent = new Intent({
      executor: scripted(core(), slow.text),
      schema: slow.schema,
      limits,
    });
    const parsing = intent.parse({ input: INPUT });
    setTimeout(() => intent.dispose(), 50);
    await failure(parsing, 'INSTANCE_DISPOSED', 'data');
    // The promise of a disposal settles once the work that was given up has stopped.
    await intent.dispose();
    expect(performance.now() - began).toBeLessThan(5000);
  });

  test('maxValidationQueueEntries counts those that wait or run', async () => {
    let calls = 0;
    const executor = executing(({ stage }) => {
      calls++;
      return complete(stage === 'core' ? core() : slow.text);
    });
    const intent = new Intent({
      executor,
      schema: slow.schema,
      limits: { maxValidationMs: 400, maxValidationQueueEntries: 2, maxConcurrentParses: 9 },
    });
    const parses = Array.from({ length: 5 }, () => intent.parse({ input: INPUT }));
    const errors = (await Promise.allSettled(parses)).map(({ reason }) => reason);
    for (const error of errors) expect(`${error.code}/${error.stage}`).toBe('LIMIT_EXCEEDED/data');
    const over = errors.filter(({ message }) => message.includes('maxValidationQueueEntries (2)'));
    const late = errors.filter(({ message }) => message.includes('maxValidationMs (400)'));
    expect([over.length, late.length]).toEqual([3, 2]);
    expect(calls).toBe(10);
    await intent.dispose();
  });

  test('patterns that never end, end', async () => {
    for (const [pattern, subject] of [
      ['^(a+)+$', `${'a'.repeat(50)}b`],
      ['^(a|a)*$', `${'a'.repeat(50)}b`],
      ['(x+x+)+y', 'x'.repeat(60)],
      ['^(\\w*\\s*)*$', `${'word '.repeat(20)}!`],
      ['(?=(a+))(\\1|a)*b', 'a'.repeat(60)],
    ]) {
      const schema = object({ v: { type: 'string', pattern } });
      const text = data({ v: subject });
      const { outcome } = await beside(
        parseWith(scripted(core(), text, text), { schema, limits: { maxValidationMs: 500 } }),
      );
      // An engine without backtracking may well know that it does not match.
      expect(['LIMIT_EXCEEDED', 'MODEL_OUTPUT_INVALID'], pattern).toContain(outcome.code);
      expect(outcome.stage).toBe('data');
    }
  }, 20_000);

  test('large candidates with large schemas are checked off the event loop', async () => {
    const schema = object({
      list: { type: 'array', uniqueItems: true, items: object({ id: { type: 'integer' }, t: {} }) },
    });
    const list = Array.from({ length: 1500 }, (_, id) => ({ id, t: '000123' }));
    const text = data({ list });
    const limits = { maxOutputBytes: 1 << 22, maxCandidateNodes: 1 << 20, maxValidationMs: 20_000 };
    const { outcome } = await beside(parseWith(scripted(core(), text), { schema, limits }));
    expect(outcome.data.list).toHaveLength(1500);
  });
});
