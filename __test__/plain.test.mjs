import { createRequire } from 'node:module';
import { runInNewContext } from 'node:vm';
import { DEFAULT_LIMITS, Intent, IntentError } from '@devcodex/intent-runtime';
import { createApiExecutor } from '@devcodex/intent-runtime/adapters/api';
import { createIntentBridge } from '@devcodex/intent-runtime/bridge';
import { serveIntentMcp } from '@devcodex/intent-runtime/mcp';
import { Type } from '@sinclair/typebox';
import { type } from 'arktype';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import * as zm from 'zod/mini';
import { bomb, boom, notPlain, revoked, throws } from './support/not-plain.mjs';

const require = createRequire(import.meta.url);
const { readConfig } = require('../js/plain/intent-config.js');
const { readSchema } = require('../js/plain/schema.js');
const { readBridgeConfig, readMcpConfig } = require('../js/plain/service-config.js');
const { ownedIntents } = require('../js/owned-intents.js');
const { readApiConfig } = require('../js/plain/api-config.js');
const { wellFormed } = require('../js/text.js');

const LONE = 'a\ud800b';
const executor = { id: 'x', generate() {} };

/** The one typed error that a reading ends in. */
function refusal(read) {
  try {
    read();
  } catch (error) {
    expect(error).toBeInstanceOf(IntentError);
    expect(error.message).toMatch(/\.$/);
    return error;
  }
  throw new Error('nothing was thrown');
}
const expectRefusal = (read, code, stage, message) => {
  const error = refusal(read);
  expect([error.code, error.stage]).toEqual([code, stage]);
  if (message instanceof RegExp) expect(error.message).toMatch(message);
  else expect(error.message).toBe(message);
  return error;
};
const configInvalid = (config, message) =>
  expectRefusal(() => new Intent(config), 'CONFIG_INVALID', 'config', message);
const unsupported = (schema, message) =>
  expectRefusal(() => new Intent({ schema }), 'SCHEMA_UNSUPPORTED', 'config', message);

const refusedServing = async (config, message) =>
  expectRefusal(
    await serveIntentMcp(config).then(
      () => () => {},
      (error) => () => {
        throw error;
      },
    ),
    'CONFIG_INVALID',
    'config',
    message,
  );

describe('plain objects', () => {
  const ok = (config) => expect(JSON.parse(readConfig(config).json).language).toBe('en');

  test('of any realm, with a prototype or none', () => {
    ok({ language: 'en' });
    ok(Object.assign(Object.create(null), { language: 'en' }));
    ok(runInNewContext('({ language: "en", limits: { maxInputBytes: undefined } })'));
    ok(runInNewContext('({ language: "en", limits: {} })'));
    ok(runInNewContext('Object.assign(Object.create(null), { language: "en" })'));
    ok(Object.freeze({ language: 'en' }));
    ok(new Proxy({ language: 'en' }, {}));
    ok({ language: 'en', schema: undefined, executor: undefined, limits: undefined });
    expect(readConfig(undefined)).toEqual(readConfig({}));
  });

  test('and nothing else', async () => {
    for (const value of notPlain) {
      configInvalid(value, /^config( must be a plain object, got |: unknown key| cannot be read)/);
      configInvalid({ limits: value }, /^(limits( must|: unknown key)|config cannot be read)/);
      expectRefusal(() => createIntentBridge(value), 'CONFIG_INVALID', 'config', /^config/);
      await refusedServing(value, /^config/);
      expectRefusal(() => createApiExecutor(value), 'CONFIG_INVALID', 'config', /^config/);
    }
    configInvalid(runInNewContext('new (class {})()'), /an instance of a class/);
    configInvalid(runInNewContext('[]'), /an array/);
  });

  test('no unknown key, even one holding undefined, no symbol, none hidden', () => {
    configInvalid(
      { langauge: undefined },
      'config: unknown key "langauge" (did you mean "language"?).',
    );
    configInvalid({ qqqqqq: 1 }, 'config: unknown key "qqqqqq".');
    configInvalid(
      { limits: { maxInputByte: 1 } },
      'limits: unknown key "maxInputByte" (did you mean "maxInputBytes"?).',
    );
    configInvalid(JSON.parse('{"__proto__": {}}'), /unknown key "__proto__"/);
    configInvalid({ toString: 1 }, /unknown key "toString"/);
    configInvalid({ constructor: 1 }, /unknown key "constructor"/);
    configInvalid({ [Symbol('mark')]: 1 }, /symbols as keys, got Symbol\(mark\)/);
    configInvalid(
      Object.defineProperty({}, 'language', { value: 'en' }),
      'language must be enumerable.',
    );
    configInvalid(
      { [`bad\n\u202e${'x'.repeat(500)}`]: 1 },
      /^config: unknown key "bad\\u000a\\u202ex{95}…"/,
    );
    configInvalid({ [LONE]: 1 }, /unknown key "a\ufffdb"/);
  });

  test('no accessor is called', () => {
    configInvalid(
      {
        get language() {
          throw boom;
        },
      },
      'language must be a value, not an accessor.',
    );
    configInvalid(
      {
        limits: {
          get maxJobs() {
            throw boom;
          },
          maxInputBytes: 1,
        },
      },
      /^limits: unknown key "maxJobs"/,
    );
    configInvalid(
      { limits: Object.defineProperty({}, 'maxInputBytes', { get: throws, enumerable: true }) },
      'limits.maxInputBytes must be a value, not an accessor.',
    );
  });

  test('what a proxy throws is the cause of the typed error', () => {
    expect(configInvalid(bomb(), 'config cannot be read: something of it threw.').cause).toBe(boom);
    expect(unsupported(bomb(), 'schema cannot be read: something of it threw.').cause).toBe(boom);
  });

  test('a polluted Object.prototype adds nothing', () => {
    Object.prototype.language = 'xx';
    try {
      expect(readConfig({}).json).toBe('{}');
    } finally {
      delete Object.prototype.language;
    }
  });
});

describe('configuration', () => {
  test('scalars cross as they are, for the native side to judge', () => {
    const limits = { maxInputBytes: 0 };
    const config = { language: 5, timeoutMs: 1e300, repairAttempts: 'x', limits, executor };
    const read = readConfig(config);
    expect(JSON.parse(read.json)).toEqual({
      language: 5,
      timeoutMs: 1e300,
      repairAttempts: 'x',
      limits,
    });
    expect(read).toMatchObject({ schemaText: undefined, schemaOrigin: undefined, executor });
    expect(JSON.parse(readConfig({ language: ['en', 'x'], timeoutMs: { a: 1 } }).json)).toEqual({
      language: [],
      timeoutMs: {},
    });
    expect(readConfig({ limits: { ...DEFAULT_LIMITS } }).json).toBe(
      JSON.stringify({ limits: DEFAULT_LIMITS }),
    );
    expect(JSON.parse(readConfig({ timeoutMs: null }).json)).toEqual({ timeoutMs: null });
  });

  test('what JSON cannot carry is refused in the same words', () => {
    configInvalid(
      { limits: { maxInputBytes: Number.NaN } },
      'limits.maxInputBytes must be a positive safe integer, got NaN.',
    );
    configInvalid(
      { limits: { maxValidationMs: Number.POSITIVE_INFINITY } },
      'limits.maxValidationMs must be an integer from 1 to 2147483647, got Infinity.',
    );
    configInvalid({ repairAttempts: 1n }, 'repairAttempts must be 0 or 1, got a bigint.');
    configInvalid(
      { timeoutMs: Symbol('x') },
      'timeoutMs must be an integer from 0 to 2147483647, got a symbol.',
    );
    configInvalid({ language: () => 'en' }, 'language must be a string, got a function.');
    configInvalid(
      { language: new String('en') },
      'language must be a string, got an instance of String.',
    );
    configInvalid({ language: LONE }, 'language holds a lone surrogate, which no text can carry.');
    configInvalid({ limits: null }, 'limits must be a plain object, got null.');
  });

  test('executors of any class', () => {
    class Executor {
      #id = 'private';
      get id() {
        return this.#id;
      }
      get capabilities() {
        return {
          nativeJsonSchema: true,
          nativeJsonObject: false,
          isolatedTurn: true,
          supportsAbort: true,
        };
      }
      generate() {}
    }
    const instance = new Executor();
    expect(readConfig({ executor: instance }).executor).toBe(instance);
    const callable = Object.assign(() => {}, { id: 'f', generate() {} });
    expect(readConfig({ executor: callable }).executor).toBe(callable);
    expect(readConfig({ executor: { ...executor, capabilities: undefined } }).executor.id).toBe(
      'x',
    );
    expect(readConfig({ executor: Object.freeze({ ...executor }) }).executor.id).toBe('x');
  });

  test('executors that are none', () => {
    for (const [value, message] of [
      [null, /^executor must be an object \{ id: .* got null\.$/],
      ['x', /got a string\.$/],
      [
        [],
        'executor.id must be a string, got undefined; an executor is an object { id: "name", generate(request) { … } }.',
      ],
      [
        { id: 5, generate() {} },
        'executor.id must be a string, got a number; an executor is an object { id: "name", generate(request) { … } }.',
      ],
      [{ id: LONE, generate() {} }, /^executor\.id holds a lone surrogate/],
      [{ id: 'x' }, 'executor.generate must be a function, got undefined.'],
      [{ id: 'x', generate: {} }, 'executor.generate must be a function, got an object.'],
      [{ ...executor, capabilities: null }, /^executor\.capabilities must be a plain object/],
      [{ ...executor, capabilities: {} }, /nativeJsonSchema must be a boolean, got undefined/],
    ])
      configInvalid({ executor: value }, message);
    const all = {
      nativeJsonSchema: true,
      nativeJsonObject: true,
      isolatedTurn: true,
      supportsAbort: true,
    };
    for (const name of Object.keys(all)) {
      const { [name]: _, ...missing } = all;
      configInvalid(
        { executor: { ...executor, capabilities: missing } },
        new RegExp(`${name} must be a boolean`),
      );
      configInvalid(
        { executor: { ...executor, capabilities: { ...all, [name]: 1 } } },
        /must be a boolean, got a number/,
      );
    }
    configInvalid(
      { executor: { ...executor, capabilities: { ...all, more: true } } },
      /unknown key "more"/,
    );
    expectRefusal(
      () =>
        new Intent({ executor: { ...executor, capabilities: { ...all, supportsAbort: false } } }),
      'HOST_CAPABILITY_UNSUPPORTED',
      'config',
      /supportsAbort is false/,
    );
    for (const name of ['id', 'generate', 'capabilities']) {
      const throwing = Object.defineProperty({ ...executor }, name, { get: throws });
      expect(
        configInvalid({ executor: throwing }, `executor.${name} cannot be read: it threw.`).cause,
      ).toBe(boom);
    }
    configInvalid({ executor: bomb() }, /executor\.id cannot be read/);
    configInvalid({ executor: revoked() }, /executor\.id cannot be read/);
  });
});

describe('schemas', () => {
  const object = (properties, more) => ({ type: 'object', properties, ...more });

  test('JSON goes through as it stands', () => {
    const shared = { type: 'string' };
    for (const schema of [
      {},
      object({ a: shared, b: shared, c: { anyOf: [shared, shared] } }, { required: ['a'] }),
      object({ 1: {}, a: { default: [null, true, -0, 1e21, 'x\n"\u2028😀', { '': {} }] } }),
      object(
        JSON.parse('{"__proto__":{"type":"string"},"constructor":{},"toString":{},"toJSON":{}}'),
      ),
      Object.freeze(object(Object.freeze({}))),
      Object.assign(Object.create(null), object({})),
    ])
      expect(readSchema(schema)).toEqual({ text: JSON.stringify(schema), origin: 'json' });
    const foreign = runInNewContext('({ type: "object", properties: { a: { enum: ["x"] } } })');
    expect(readSchema(foreign).text).toBe(JSON.stringify(foreign));
  });

  test('symbols and what is not enumerable are no part of it', () => {
    const schema = object({ a: { type: 'string', [Symbol('kind')]: 'String' } });
    Object.defineProperty(schema, '~kind', { value: () => {} });
    Object.defineProperty(schema, 'hidden', { get: throws });
    expect(readSchema(schema).text).toBe('{"type":"object","properties":{"a":{"type":"string"}}}');
  });

  test('what is no JSON is refused with its path', () => {
    for (const [value, got] of [
      [undefined, 'undefined'],
      [Number.NaN, 'NaN'],
      [Number.NEGATIVE_INFINITY, '-Infinity'],
      [1n, 'a bigint'],
      [Symbol('x'), 'a symbol'],
      [() => {}, 'a function'],
      [new Date(), 'an instance of Date'],
      [/x/, 'an instance of RegExp'],
      [new Map(), 'an instance of Map'],
      [new String('x'), 'an instance of String'],
    ]) {
      unsupported(
        object({ a: { default: value } }),
        `schema.properties.a.default: must be a JSON value, got ${got}.`,
      );
      unsupported(
        object({ a: { enum: ['x', value] } }),
        `schema.properties.a.enum[1]: must be a JSON value, got ${got}.`,
      );
    }
    unsupported(
      object({ 'a.b': { 订单: LONE } }),
      'schema.properties["a.b"].订单: holds a lone surrogate, which no text can carry.',
    );
    unsupported(object({ [LONE]: {} }), /the key holds a lone surrogate/);
    unsupported(
      object({ a: { toJSON: () => 'x' } }),
      /a\.toJSON: must be a JSON value, got a function/,
    );
    unsupported(
      object({ a: Object.defineProperty({}, 'toJSON', { value: throws }) }),
      /method toJSON/,
    );
  });

  test('accessors are not called', () => {
    unsupported(
      object({ a: Object.defineProperty({}, 'type', { get: throws, enumerable: true }) }),
      'schema.properties.a.type: must be a value, not an accessor.',
    );
    const list = Object.defineProperty(['x'], 0, { get: throws, enumerable: true });
    unsupported(object({}, { required: list }), /schema\.required\[0\] must be a value/);
  });

  test('arrays are their elements and nothing else', () => {
    unsupported(
      object({}, { required: new Array(4294967295) }),
      /schema\.required has a hole at index 0/,
    );
    unsupported(
      object({}, { required: Object.assign(['a'], { more: 1 }) }),
      /keys besides its elements/,
    );
    // biome-ignore lint/suspicious/noSparseArray: it is what is tested
    unsupported(object({ a: { enum: ['x', , 'y'] } }), /enum has a hole at index 1/);
  });

  test('what is no object', () => {
    for (const value of [null, true, false, 1, 'x', 1n, Symbol('x'), () => {}, []])
      unsupported(value, /^schema must be an object, got /);
    for (const value of [new Date(), new (class {})()])
      unsupported(value, /^schema: must be a JSON value, got an instance of (?:Date|a class)\.$/);
    expectRefusal(() => new Intent({ schema: null }), 'SCHEMA_UNSUPPORTED', 'config', /got null/);
    unsupported(revoked(), /cannot be read/);
  });

  test('cycles, depth and graphs that unfold', () => {
    const cycle = object({});
    cycle.properties.a = { items: cycle };
    unsupported(cycle, 'schema.properties.a.items: holds itself; JSON cannot carry a cycle.');
    const list = [];
    list.push([list]);
    unsupported({ default: list }, /schema\.default\[0\]\[0\]: holds itself/);

    let deep = {};
    for (let i = 0; i < 100_000; i++) deep = { items: deep };
    expectRefusal(
      () => new Intent({ schema: deep }),
      'LIMIT_EXCEEDED',
      'config',
      /limits\.maxSchemaDepth/,
    );
    let fits = {};
    for (let i = 0; i < 511; i++) fits = { items: fits };
    expect(readSchema(fits).text).toBe(JSON.stringify(fits));

    let dag = { type: 'string' };
    for (let i = 0; i < 100; i++) dag = { anyOf: [dag, dag] };
    const before = performance.now();
    expectRefusal(
      () => new Intent({ schema: dag }),
      'LIMIT_EXCEEDED',
      'config',
      'The schema exceeds limits.maxSchemaBytes (131072).',
    );
    expectRefusal(
      () => new Intent({ schema: dag, limits: { maxSchemaBytes: 1000 } }),
      'LIMIT_EXCEEDED',
      'config',
      'The schema exceeds limits.maxSchemaBytes (1000).',
    );
    expect(performance.now() - before).toBeLessThan(5000);
    // The native side counts a text that is just beyond the limit.
    const large = object({ a: { description: 'x'.repeat(200_000) } });
    expect(readSchema(large).text).toBe(JSON.stringify(large));
  });

  test('long paths are cut', () => {
    let deep = { default: undefined };
    for (let i = 0; i < 100; i++) deep = { properties: { ['long name '.repeat(30)]: deep } };
    expect(unsupported(deep, /undefined/).message.length).toBeLessThan(500);
  });
});

describe('schema libraries', () => {
  const Zod = z.object({
    orderId: z.string().describe('Order id.'),
    currency: z.string().default('EUR'),
    token: z.jwt().optional(),
  });

  test('Zod gives its input schema in Draft-7', () => {
    const { text, origin } = readSchema(Zod);
    expect(origin).toBe('standard');
    expect(JSON.parse(text)).toEqual(z.toJSONSchema(Zod, { target: 'draft-07', io: 'input' }));
    expect(JSON.parse(text).required).toEqual(['orderId']);
    expect(readConfig({ schema: Zod })).toMatchObject({
      schemaText: text,
      schemaOrigin: 'standard',
    });
  });

  test('a JSON Schema that Zod made says itself what it means', () => {
    const made = z.toJSONSchema(Zod, { io: 'output' });
    expect('~standard' in made).toBe(true);
    expect(readSchema(made)).toEqual({ text: JSON.stringify(made), origin: 'standard' });
  });

  test('ArkType, a function', () => {
    const { text, origin } = readSchema(type({ orderId: 'string', 'count?': 'number.integer' }));
    expect(origin).toBe('standard');
    expect(JSON.parse(text)).toMatchObject({
      type: 'object',
      properties: { orderId: { type: 'string' }, count: { type: 'integer' } },
      required: ['orderId'],
    });
  });

  test('TypeBox', () => {
    const schema = Type.Object({ orderId: Type.String(), count: Type.Optional(Type.Integer()) });
    expect(readSchema(schema)).toEqual({ text: JSON.stringify(schema), origin: 'json' });
  });

  test('any object or function with ~standard.jsonSchema.input', () => {
    const seen = [];
    const jsonSchema = {
      input(options) {
        seen.push([this === jsonSchema, options]);
        return { type: 'object', properties: {} };
      },
    };
    const standard = { version: 1, vendor: 'own', jsonSchema };
    class Lazy {
      get '~standard'() {
        return standard;
      }
    }
    for (const schema of [
      { '~standard': standard },
      new Lazy(),
      Object.assign(() => {}, { '~standard': standard }),
    ])
      expect(readSchema(schema)).toEqual({
        text: '{"type":"object","properties":{}}',
        origin: 'standard',
      });
    expect(seen).toEqual(Array(3).fill([true, { target: 'draft-07' }]));
  });

  test('one that throws or gives no JSON', () => {
    const of = (input) => ({ '~standard': { version: 1, vendor: 'own', jsonSchema: { input } } });
    const advice = '; use types that JSON carries, such as a text with a format for a date.';
    expect(
      unsupported(of(throws), `schema cannot be written as JSON Schema: boom${advice}`).cause,
    ).toBe(boom);
    expect(
      unsupported(
        z.object({ at: z.date() }),
        /Date cannot be represented in JSON Schema; use types that JSON carries, such as z\.iso\.date\(\)/,
      ).cause,
    ).toBeInstanceOf(Error);
    unsupported(
      of(() => {
        throw undefined;
      }),
      /its ~standard\.jsonSchema threw; use types that JSON carries/,
    );
    unsupported(
      of(() => {
        throw bomb();
      }),
      /its ~standard\.jsonSchema threw; use types that JSON carries/,
    );
    unsupported(
      of(() => undefined),
      'schema must be an object, got undefined.',
    );
    unsupported(
      of(async () => ({})),
      'schema: must be a JSON value, got an instance of Promise.',
    );
    unsupported(
      of(() => ({ default: 1n })),
      /schema\.default: must be a JSON value, got a bigint/,
    );
    unsupported(
      Object.defineProperty({}, '~standard', { get: throws, enumerable: true }),
      /boom\.$/,
    );
  });

  test('one that only validates is told what is needed', () => {
    unsupported(
      zm.object({ a: zm.string() }),
      /^schema is a Standard Schema \(vendor "zod"\) without ~standard\.jsonSchema; pass its JSON Schema/,
    );
    for (const standard of [
      undefined,
      null,
      1,
      {},
      { jsonSchema: null },
      { jsonSchema: { input: 1 } },
    ])
      unsupported({ '~standard': standard }, /without ~standard\.jsonSchema/);
  });
});

describe('the other entries', () => {
  const bridge = (config) => readBridgeConfig(config, ownedIntents());
  const bad = (config, message) =>
    expectRefusal(() => createIntentBridge(config), 'CONFIG_INVALID', 'config', message);

  test('bridges', () => {
    const [a, b] = [new Intent(), new Intent()];
    const instances = JSON.parse('{"__proto__":0,"a b":0}');
    Object.defineProperty(instances, '__proto__', { value: a, enumerable: true });
    instances['a b'] = b;
    expect(bridge({ instances, maxJobs: 1.5, jobTtlMs: undefined })).toEqual({
      instances: [
        ['__proto__', a],
        ['a b', b],
      ],
      json: '{"maxJobs":1.5}',
      unread: [],
    });
    bad(undefined, 'config must be a plain object, got undefined.');
    bad({}, 'instances must be a plain object of Intents by name, got undefined.');
    bad({ instances: {} }, 'instances must hold at least one Intent.');
    bad({ instances: { a, b: { lang: 'en' } } }, /^instances\.b: config: unknown key "lang"/);
    bad(
      { instances: { 'a b': undefined } },
      'instances["a b"] must be an Intent of this package or its configuration, got undefined.',
    );
    bad({ instances: [a] }, /got an array/);
    bad({ instances: new Map([['a', a]]) }, /an instance of Map/);
    bad(
      { instances: Object.defineProperty({}, 'a', { get: throws, enumerable: true }) },
      'instances.a must be a value, not an accessor.',
    );
    bad({ instances: { [Symbol('x')]: a } }, /symbols as keys/);
    bad({ instances: { [LONE]: a } }, /the name holds a lone surrogate/);
    bad(
      { instances: { a }, maxJobs: Number.NaN },
      'maxJobs must be an integer from 1 to 2147483647, got NaN.',
    );
    bad(
      { instances: { a }, jobTtlMs: 1n },
      'jobTtlMs must be an integer from 0 to 2147483647, got a bigint.',
    );
    bad({ instances: { a }, maxJob: 1 }, 'config: unknown key "maxJob" (did you mean "maxJobs"?).');
    bad({ instances: { a }, transport: undefined }, /unknown key "transport"/);
    bad({ instances: bomb() }, /cannot be read/);
  });

  test('MCP', async () => {
    class Transport {
      async start() {}
      async send() {}
      async close() {}
    }
    const transport = new Transport();
    const instances = { a: new Intent() };
    expect(readMcpConfig({ instances, transport }, ownedIntents())).toEqual({
      instances: [['a', instances.a]],
      json: '{}',
      unread: [],
      transport,
    });
    expect(readMcpConfig({ instances, transport: undefined }, ownedIntents()).transport).toBe(
      undefined,
    );
    for (const [value, message] of [
      [null, 'transport must be an MCP transport, got null.'],
      [{}, 'transport.start must be a function, got undefined.'],
      [{ start() {}, send: 1 }, 'transport.send must be a function, got a number.'],
      [bomb(), 'config cannot be read: something of it threw.'],
    ])
      await refusedServing({ instances, transport: value }, message);
  });

  test('API executors; no message shows a value', () => {
    const config = { provider: 'openai', model: 'm', apiKey: 'sk-secret', baseURL: undefined };
    expect(readApiConfig(config).json).toBe(
      '{"provider":"openai","model":"m","apiKey":"sk-secret"}',
    );
    const keyOf = () => 'sk-secret';
    expect(readApiConfig({ ...config, apiKey: keyOf })).toEqual({
      json: '{"provider":"openai","model":"m"}',
      unread: [],
      keyOf,
    });
    for (const apiKey of [
      'sk-secret\ud800',
      12345n,
      Symbol('sk-secret'),
      new String('sk-secret'),
    ]) {
      const error = expectRefusal(
        () => createApiExecutor({ ...config, apiKey }),
        'CONFIG_INVALID',
        'config',
        /^apiKey /,
      );
      expect(JSON.stringify(error) + error.stack).not.toMatch(/sk-secret|12345/);
    }
    expectRefusal(
      () => createApiExecutor({ ...config, baseUrl: 'x' }),
      'CONFIG_INVALID',
      'config',
      'config: unknown key "baseUrl" (did you mean "baseURL"?).',
    );
    expectRefusal(
      () => createApiExecutor({ ...config, maxOutputTokens: Number.NaN }),
      'CONFIG_INVALID',
      'config',
      'maxOutputTokens must be a positive safe integer, got NaN.',
    );
  });
});

describe('candidates with lone surrogates', () => {
  test('are spelled so that they stay invalid', () => {
    for (const [text, spelled] of [
      ['', ''],
      ['{"a":"😀 中"}', '{"a":"😀 中"}'],
      ['\ud800', '\\u{d800}'],
      ['\udfff', '\\u{dfff}'],
      ['\udc00\ud800', '\\u{dc00}\\u{d800}'],
      ['\ud800\ud83d\ude00', '\\u{d800}😀'],
      ['\ud83d\ude00\ude00', '😀\\u{de00}'],
      ['\\\ud800', '\\u{d800}'],
      ['\\\\\ud800', '\\\\\\u{d800}'],
      ['\\\\\\\ud800', '\\\\\\u{d800}'],
    ]) {
      expect(wellFormed(text)).toBe(spelled);
      expect(spelled.isWellFormed()).toBe(true);
    }
  });

  test('whatever stands around them, JSON.parse refuses the text as well', () => {
    const around = ['', '\\', '\\\\', '\\\\\\', '"', 'u', 'd800', '{', '\\ud800', '😀'];
    for (const before of around)
      for (const after of around)
        for (const unit of ['\ud800', '\udbff', '\udc00', '\udfff']) {
          const text = wellFormed(`{"a":"${before}${unit}${after}"}`);
          expect(text.isWellFormed()).toBe(true);
          expect(() => JSON.parse(text)).toThrow(SyntaxError);
        }
  });

  test('in linear time', () => {
    const before = performance.now();
    expect(wellFormed(`${'\\'.repeat(1e6)}\ud800`)).toHaveLength(1e6 + 8);
    expect(wellFormed('\ud800'.repeat(1e5))).toHaveLength(8e5);
    expect(performance.now() - before).toBeLessThan(3000);
  });
});
