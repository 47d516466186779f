// Names and values pass unchanged: unusual keys are own properties, numbers keep their value or are refused,
// language tags are canonical (docs/concepts.md, docs/api.md).

import { Intent } from '@devcodex/intent-runtime';
import { createIntentBridge } from '@devcodex/intent-runtime/bridge';
import { describe, expect, test } from 'vitest';
import {
  core,
  data,
  failure,
  INPUT,
  noBlockers,
  parseWith,
  refusal,
  scripted,
} from './support/model.mjs';

describe('names that objects have already', () => {
  const NAMES = [
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'valueOf',
    'toJSON',
    'then',
    'a.b',
    'a/b',
    'a~b',
    '~0',
    '',
    ' ',
    '$invalid',
    '$ref',
    'type',
    'properties',
    'length',
    '0',
    '名前',
    '\u0000',
    '😀',
  ];
  /** Makes an object with own properties of any name. */
  const own = (entries) => {
    const object = {};
    for (const [key, value] of entries)
      Object.defineProperty(object, key, {
        value,
        enumerable: true,
        writable: true,
        configurable: true,
      });
    return object;
  };
  const schema = {
    type: 'object',
    properties: own(
      NAMES.map((name) => [
        name,
        { type: 'object', properties: own([[name, { type: 'string' }]]), required: [name] },
      ]),
    ),
    required: NAMES,
  };
  const value = own(NAMES.map((name) => [name, own([[name, '000123']])]));

  const check = (found) => {
    expect(Object.getPrototypeOf(found)).toBe(Object.prototype);
    expect(Object.keys(found).sort()).toEqual([...NAMES].sort());
    for (const name of NAMES) {
      const property = Object.getOwnPropertyDescriptor(found, name);
      expect(property).toMatchObject({ enumerable: true, writable: true });
      const inner = property.value;
      expect(Object.getPrototypeOf(inner)).toBe(Object.prototype);
      expect(Object.getOwnPropertyDescriptor(inner, name).value).toBe('000123');
      expect(Object.keys(inner)).toEqual([name]);
    }
  };
  const unchanged = () => {
    expect({}.polluted).toBeUndefined();
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect({}.toString()).toBe('[object Object]');
    expect(Object.getOwnPropertyNames(Object.prototype)).toHaveLength(12);
  };

  test('are own properties of schema, materials and result', async () => {
    const executor = scripted(core(), data(value));
    const result = await parseWith(executor, { schema });
    check(result.data);
    const [, second] = executor.requests;
    expect(second.input.selectedFields.sort()).toEqual([...NAMES].sort());
    for (const seen of [
      second.input.schemaReference.properties,
      second.input.selectedSchema.properties,
      second.outputSchema.properties.data.properties,
    ]) {
      expect(Object.keys(seen).sort()).toEqual([...NAMES].sort());
      expect(Object.getPrototypeOf(seen)).toBe(Object.prototype);
      expect(Object.hasOwn(seen, '__proto__')).toBe(true);
    }
    unchanged();
  });

  test('one by one as fields', async () => {
    for (const name of NAMES) {
      const executor = scripted(core(), data(own([[name, own([[name, '000123']])]])));
      const result = await parseWith(executor, {
        schema,
        request: { input: INPUT, fields: [name] },
      });
      expect(Object.keys(result.data)).toEqual([name]);
      expect(Object.keys(result.data[name] ?? {})).toEqual([name]);
    }
    unchanged();
  });

  test('are required, checked and named like any other', async () => {
    const without = own(NAMES.slice(1).map((name) => [name, own([[name, '000123']])]));
    const text = data(without, { fields: NAMES });
    await failure(
      parseWith(scripted(core(), text, text), { schema }),
      'MODEL_OUTPUT_INVALID',
      'data',
      /\/data\/__proto__/,
    );
    const wrong = data(own([...Object.entries(value), ['__proto__', own([['x', 1]])]]));
    await failure(
      parseWith(scripted(core(), wrong, wrong), { schema }),
      'MODEL_OUTPUT_INVALID',
      'data',
    );
  });

  test('in a candidate that means harm', async () => {
    const harm = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}';
    for (const text of [
      core().replace('{', `${harm},`),
      core().replace('"blockers":{', `"blockers":${harm},`),
    ])
      await failure(parseWith(scripted(text, text)), 'MODEL_OUTPUT_INVALID', 'core', /__proto__/);
    const free = { type: 'object', properties: { a: { type: 'object' } } };
    const value = JSON.parse(`{"a":${harm}}}`);
    const result = await parseWith(scripted(core(), data(value)), { schema: free });
    expect(Object.hasOwn(result.data.a, '__proto__')).toBe(true);
    expect(result.data.a.polluted).toBeUndefined();
    unchanged();
  });

  test('through a bridge, and as names of instances', async () => {
    const intent = new Intent({ schema });
    for (const name of ['__proto__', 'constructor', 'a.b', '']) {
      const bridge = createIntentBridge({ instances: own([[name, intent]]) });
      const session = bridge.connect();
      expect(session.prepare({ instance: 'toString', input: INPUT }).error.code).toBe(
        'INPUT_INVALID',
      );
      const task = session.prepare({ instance: name, input: INPUT });
      const step = ({ jobId, stepToken }, candidateText) => ({ jobId, stepToken, candidateText });
      const second = await session.accept(step(task, core()));
      const { result } = await session.accept(step(second, data(value)));
      check(result.data);
      bridge.close();
    }
    await intent.dispose();
    unchanged();
  });
});

describe('numbers', () => {
  const schema = { type: 'object', properties: { n: {} } };
  const read = async (text, config = {}) => {
    const candidate = data({ n: 0 }).replace('"n":0', `"n":${text}`);
    const result = await parseWith(scripted(core(), candidate, candidate), { schema, ...config });
    return result.data.n;
  };

  test('that pass have the value that JavaScript reads', async () => {
    for (const text of [
      '0',
      '-0',
      '-0.0',
      '1.0',
      '1e2',
      '1E+2',
      '100e-2',
      '0.1',
      '1e-7',
      '0.000001',
      '123.456',
      '9007199254740991',
      '-9007199254740991',
      '9007199254740991.0',
      '2251799813685248.5',
      '5e-324',
      '2.2250738585072014e-308',
      '0.1e1',
      '0e999',
      '-0e-999',
      `0.${'0'.repeat(50)}1`,
      `1.${'0'.repeat(400)}`,
    ]) {
      const found = await read(text);
      expect(Object.is(found, JSON.parse(text)), `${text} gave ${found}`).toBe(true);
    }
  });

  test('that JavaScript would change are refused', async () => {
    for (const text of [
      '9007199254740992',
      '9007199254740993',
      '-9007199254740992',
      '9.007199254740993e15',
      '1e16',
      '1e22',
      '123e65',
      '123456789.123456789',
      '0.10000000000000001',
      '0.1000000000000000055511151231257827',
      '1e400',
      '-1e400',
      '1e-400',
      '4.9e-324',
      '3e-324',
      '1e999999999999999999999',
      '1'.repeat(1000),
      `0.${'1'.repeat(1000)}`,
      '2251799813685248.25',
      '+1',
      '.5',
      '1.',
      '01',
      '-',
      '1e',
      '0x10',
      'NaN',
      'Infinity',
      '1_000',
    ])
      await failure(read(text), 'MODEL_OUTPUT_INVALID', 'data');
  });

  test('are validated by the schema unchanged', async () => {
    const integer = { type: 'object', properties: { n: { type: 'integer' } } };
    for (const text of ['1.0', '1e2', '-0', '100e-2'])
      expect(await read(text, { schema: integer })).toBe(JSON.parse(text));
    await failure(read('1.5', { schema: integer }), 'MODEL_OUTPUT_INVALID', 'data');
    const cents = { type: 'object', properties: { n: { multipleOf: 0.01 } } };
    for (const text of ['19.99', '0.07', '1.1', '4.35', '-1000000.01', '0', '1e2', '8.2e-1'])
      expect(await read(text, { schema: cents })).toBe(JSON.parse(text));
    for (const text of ['19.995', '0.001', '1e-7'])
      await failure(read(text, { schema: cents }), 'MODEL_OUTPUT_INVALID', 'data');
    const same = { type: 'object', properties: { n: { enum: [1, { a: 0 }, [0.5]] } } };
    expect(await read('1.0', { schema: same })).toBe(1);
    expect(await read('100e-2', { schema: same })).toBe(1);
  });
});

describe('texts', () => {
  test('come back to the letter', async () => {
    const odd = '\u0000\u001f\u007f\u0085\u2028\u2029\ufeff\ufffd\uffff😀e\u0301é"\\/<>&\r\n\t';
    const candidate = core({
      normalizedInput: odd,
      requirements: [odd],
      intents: [{ action: 'other', target: odd, requirements: [odd], blockers: noBlockers }],
    });
    const executor = scripted(candidate);
    const result = await parseWith(executor, { request: { input: odd, context: odd } });
    expect([result.input, result.normalizedInput, ...result.requirements]).toEqual([odd, odd, odd]);
    expect(result.intents[0]).toEqual({
      id: 'i1',
      action: 'other',
      target: odd,
      requirements: [odd],
      status: 'ready',
    });
    expect(executor.requests[0].input.context[0].content).toBe(odd);
    // Payloads are what JSON.stringify writes.
    const [{ payload, input }] = executor.requests;
    expect(payload).toBe(JSON.stringify(input));
  });

  test('are compared without normalisation', async () => {
    const schema = { type: 'object', properties: { name: { type: 'string' } } };
    const exact = (quote, value = quote) =>
      data(
        { name: value },
        {
          evidence: [
            { path: '/data/name', mode: 'exact', sources: [{ sourceId: 'input', quote }] },
          ],
        },
      );
    const request = { input: 'caf\u00e9 and e\u0301' };
    for (const quote of ['caf\u00e9', 'e\u0301', 'e'])
      expect((await parseWith(scripted(core(), exact(quote)), { schema, request })).data.name).toBe(
        quote,
      );
    // The last one occurs in the input, but a combining mark alone is not a letter.
    for (const quote of ['cafe\u0301', 'e\u0301 ', 'CAF\u00c9', 'caf', ' \u00e9', '\u0301']) {
      const text = exact(quote, quote === 'caf' ? 'cafe' : quote);
      await failure(
        parseWith(scripted(core(), text, text), { schema, request }),
        'MODEL_OUTPUT_INVALID',
        'data',
      );
    }
  });
});

describe('language', () => {
  test('is canonical in the payload', async () => {
    for (const [tag, canonical] of [
      ['en', 'en'],
      ['EN-us', 'en-US'],
      ['zh-CN', 'zh-CN'],
      ['zh-hans-cn', 'zh-Hans-CN'],
      ['iw', 'he'],
      ['i-klingon', 'tlh'],
      ['zh-cmn-Hans-CN', 'cmn-Hans-CN'],
      ['sl-IT-nedis', 'sl-IT-nedis'],
      ['de-DE-1996', 'de-DE-1996'],
      ['es-419', 'es-419'],
      ['en-u-ca-buddhist', 'en-u-ca-buddhist'],
      ['sr-Latn-x-private', 'sr-Latn-x-private'],
    ]) {
      const executor = scripted(core());
      await parseWith(executor, { language: tag });
      expect(executor.requests[0].input.structuredLanguage, tag).toBe(canonical);
    }
  });

  test('that is no registered one is refused, by name', () => {
    for (const tag of [
      '',
      ' ',
      'und',
      'mul',
      'zxx',
      'qaa',
      'qtz',
      'x-private',
      'xx',
      'en-',
      'en--US',
      'en_US',
      'en-UK',
      'en-Qqqq',
      'en-US-US',
      'de-1996-1996',
      'en-a-bbb',
      'en-u',
      'en-t',
      'en-u-',
      'e',
      'abcdefghi',
      'english',
      '中文',
      'en\0',
      'en ',
      'a'.repeat(1e6),
      `en-${'u-ca-'.repeat(1e4)}`,
    ]) {
      const error = refusal(() => new Intent({ language: tag }), 'CONFIG_INVALID', 'config');
      expect(error.message).toMatch(/^language/);
      expect(error.message.length).toBeLessThan(400);
    }
    for (const language of [null, 1, ['en'], new String('en'), {}])
      refusal(() => new Intent({ language }), 'CONFIG_INVALID', 'config', /^language must be/);
  });
});
