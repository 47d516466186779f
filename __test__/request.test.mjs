// The requests of `parse`, the order of their checks, and every limit at exactly the limit and one beyond it
// (docs/api.md, docs/limits.md).

import { DEFAULT_LIMITS, Intent } from '@devcodex/intent-runtime';
import { describe, expect, test } from 'vitest';
import {
  complete,
  core,
  coreOf,
  data,
  dataOf,
  deferred,
  executing,
  failure,
  INPUT,
  noBlockers,
  order,
  orderSchema,
  parseWith,
  refusal,
  scripted,
  sources,
  turn,
} from './support/model.mjs';

const LONE = 'a\ud800';
const parse = (request, config = {}, executor = scripted(core(), order)) =>
  parseWith(executor, { ...config, request });

describe('the order of checks', () => {
  // Each request has all the faults of those that follow it.
  const limits = { maxInputBytes: 8, maxContextMessages: 1 };
  const worst = { input: ' ', fields: 'no array', context: [1, 2] };
  const faults = [
    ['shape', { ...worst, extra: 1 }, 'INPUT_INVALID', /unknown key "extra"/],
    ['a signal is part of the shape', { ...worst, signal: {} }, 'INPUT_INVALID', /signal/],
    ['input', worst, 'INPUT_INVALID', 'input must contain non-whitespace text.'],
    ['size', { ...worst, input: 'x'.repeat(9) }, 'LIMIT_EXCEEDED', /maxInputBytes \(8\)/],
    ["fields' type", { ...worst, input: 'x' }, 'INPUT_INVALID', /fields/],
    ['context', { ...worst, input: 'x', fields: ['none'] }, 'INPUT_INVALID', /context\[0\]/],
    [
      "the context's size",
      { input: 'x', fields: ['none'], context: [1, 2].map(() => ({ role: 'user', content: '' })) },
      'LIMIT_EXCEEDED',
      /maxContextMessages \(1\)/,
    ],
    ["fields' names", { input: 'x', fields: ['none'] }, 'UNKNOWN_FIELD', /"none"/],
  ];
  for (const [name, request, code, message] of faults) {
    test(name, async () => {
      // Without an executor, and with no room for a parse: both come later.
      const none = new Intent({ schema: orderSchema, limits });
      const pattern = typeof message === 'string' ? new RegExp(`^${message}$`) : message;
      await failure(none.parse(request), code, 'input', pattern);
      const executor = scripted(core());
      await failure(parse(request, { schema: orderSchema, limits }, executor), code, 'input');
      expect(executor.requests.length).toBe(0);
      // A disposed instance says so before anything else.
      await none.dispose();
      await failure(none.parse(request), 'INSTANCE_DISPOSED', 'input');
    });
  }

  test('then the executor, then the concurrency limit', async () => {
    const none = new Intent({ limits: { maxConcurrentParses: 1 } });
    await failure(none.parse({ input: 'x' }), 'EXECUTOR_NOT_CONFIGURED', 'input');
    const waits = deferred();
    const intent = new Intent({
      executor: executing(() => waits.promise),
      limits: { maxConcurrentParses: 1 },
    });
    const first = intent.parse({ input: 'x' });
    await failure(intent.parse({ input: 'x' }), 'LIMIT_EXCEEDED', 'input', /maxConcurrentParses/);
    await failure(intent.parse({ input: ' ' }), 'INPUT_INVALID', 'input');
    // An aborted signal too: it ends a parse, and this one does not begin.
    await failure(
      intent.parse({ input: 'x', signal: AbortSignal.abort() }),
      'LIMIT_EXCEEDED',
      'input',
    );
    await failure(
      none.parse({ input: 'x', signal: AbortSignal.abort() }),
      'EXECUTOR_NOT_CONFIGURED',
    );
    waits.resolve(complete(core()));
    await first;
    await intent.dispose();
  });

  test('parse takes exactly one argument, never throws, and has no other `this`', async () => {
    const intent = new Intent({ executor: scripted(core()) });
    await failure(intent.parse(), 'INPUT_INVALID', 'input', /exactly one argument/);
    await failure(intent.parse({ input: 'x' }, undefined), 'INPUT_INVALID', 'input', /got 2/);
    for (const request of [undefined, null, 'x', 1, [], () => {}, new Map(), Promise.resolve({})]) {
      await failure(intent.parse(request), 'INPUT_INVALID', 'input');
    }
    const { parse: bare } = intent;
    for (const self of [undefined, null, {}, Object.create(intent)]) {
      let promise;
      expect(() => {
        promise = bare.call(self, { input: 'x' });
      }).not.toThrow();
      await failure(promise, 'INPUT_INVALID', 'input', /^parse must be called on an Intent/);
    }
    expect((await intent.parse({ input: 'x' })).intents).toHaveLength(1);
    const { dispose: bareDispose } = intent;
    for (const self of [undefined, null, {}, Object.create(intent)])
      await failure(bareDispose.call(self), 'INPUT_INVALID', 'input', /^dispose must be called/);
    await intent.dispose();
  });

  test('what is blank, and what is not', async () => {
    for (const blank of ['', ' ', '\n\r\t\v\f', '\ufeff', '\u00a0\u2003\u3000\u2028\u2029']) {
      await failure(
        parse({ input: blank }),
        'INPUT_INVALID',
        'input',
        /^input must contain non-whitespace text\.$/,
      );
    }
    for (const text of ['\u0085', '\u200b', '\0', '\u2060', '\ud83d\ude00', ' x ']) {
      const executor = scripted(core());
      expect((await parse({ input: text }, {}, executor)).input).toBe(text);
      expect(executor.requests[0].input.currentInput).toBe(text);
    }
  });
});

describe('fields', () => {
  const schema = {
    type: 'object',
    properties: {
      b: { type: 'string' },
      a: { type: 'string' },
      1: { type: 'string' },
    },
  };
  const selected = async (fields) => {
    const executor = scripted(core(), (request) => {
      return complete(data({}, { fields: request.input.selectedFields }));
    });
    await parse({ input: INPUT, fields }, { schema }, executor);
    return executor.requests[1]?.input.selectedFields;
  };

  test('none is all in the order of the schema, [] is no data stage', async () => {
    // JavaScript itself puts integer-like keys first.
    expect(await selected(undefined)).toEqual(['1', 'b', 'a']);
    expect(await selected([])).toBeUndefined();
    expect(await selected(['a'])).toEqual(['a']);
    expect(await selected(['a', 'b', 'a', '1', 'b'])).toEqual(['a', 'b', '1']);
  });

  test('without a schema there are none', async () => {
    for (const config of [{}, { schema: {} }, { schema: { type: 'object', properties: {} } }]) {
      const executor = scripted(core());
      expect((await parse({ input: INPUT }, config, executor)).data).toEqual({});
      expect(executor.requests.length).toBe(1);
      const none = failure(
        parse({ input: INPUT, fields: ['a'] }, config),
        'UNKNOWN_FIELD',
        'input',
      );
      expect((await none).message).toContain('"a"');
    }
  });

  test('inherited and strange names are unknown, by name', async () => {
    for (const name of ['', 'c', 'A', 'toString', '__proto__', 'constructor', ' a', 'a '])
      await failure(parse({ input: INPUT, fields: ['a', name] }, { schema }), 'UNKNOWN_FIELD');
    for (const fields of ['a', { 0: 'a', length: 1 }, new Set(['a']), [1], [null], [['a']], null])
      await failure(
        parse({ input: INPUT, fields }, { schema }),
        'INPUT_INVALID',
        'input',
        /fields/,
      );
    const sparse = ['a'];
    sparse[2] = 'b';
    await failure(parse({ input: INPUT, fields: sparse }, { schema }), 'INPUT_INVALID', 'input');
    const long = await failure(
      parse({ input: INPUT, fields: [`\n${'x'.repeat(10_000)}`] }, { schema }),
      'UNKNOWN_FIELD',
    );
    expect(long.message.length).toBeLessThan(250);
    expect(long.message).not.toContain('\n');
  });
});

describe('context', () => {
  const contextOf = async (context) => {
    const executor = scripted(core());
    await parse({ input: INPUT, context }, {}, executor);
    return executor.requests[0].input.context;
  };

  test('becomes entries with ids', async () => {
    expect(await contextOf(undefined)).toEqual([]);
    expect(await contextOf('')).toEqual([]);
    expect(await contextOf([])).toEqual([]);
    expect(await contextOf(' ')).toEqual([
      { sourceId: 'context:0', role: 'background', content: ' ' },
    ]);
    expect(
      await contextOf([
        { role: 'user', content: '' },
        { content: 'b', role: 'assistant' },
        Object.assign(Object.create(null), { role: 'tool', content: '{"x":1}' }),
      ]),
    ).toEqual([
      { sourceId: 'context:0', role: 'user', content: '' },
      { sourceId: 'context:1', role: 'assistant', content: 'b' },
      { sourceId: 'context:2', role: 'tool', content: '{"x":1}' },
    ]);
  });

  test('and nothing else is one', async () => {
    const good = { role: 'user', content: 'x' };
    for (const context of [
      null,
      1,
      {},
      good,
      [null],
      ['x'],
      [[good]],
      [good, { role: 'system', content: 'x' }],
      [{ role: 'background', content: 'x' }],
      [{ role: 'toString', content: 'x' }],
      [{ role: 'user' }],
      [{ content: 'x' }],
      [{ role: 'user', content: null }],
      [{ role: 'user', content: ['x'] }],
      [{ ...good, name: undefined }],
      [Object.create(good)],
    ]) {
      await failure(parse({ input: INPUT, context }), 'INPUT_INVALID', 'input', /context/);
    }
  });
});

describe('lone surrogates are refused, and never replaced', () => {
  test('in a request', async () => {
    for (const [request, what] of [
      [{ input: LONE }, /^input holds a lone surrogate/],
      [{ input: '\udc00' }, /^input/],
      [{ input: 'x', context: LONE }, /^context/],
      [{ input: 'x', context: [{ role: 'user', content: LONE }] }, /^context\[0\]\.content/],
      [{ input: 'x', context: [{ role: LONE, content: '' }] }, /^context\[0\]\.role/],
      [{ input: 'x', fields: [LONE] }, /^fields\[0\]/],
    ])
      await failure(parse(request), 'INPUT_INVALID', 'input', what);
  });

  test('in a configuration and a schema', () => {
    refusal(() => new Intent({ language: LONE }), 'CONFIG_INVALID', 'config', /language/);
    refusal(
      () => new Intent({ executor: { id: LONE, generate() {} } }),
      'CONFIG_INVALID',
      'config',
      /executor\.id/,
    );
    for (const part of [
      { properties: { [LONE]: {} } },
      { properties: { a: { description: LONE } } },
      { properties: { a: { enum: [LONE] } } },
      { properties: { a: { pattern: LONE } } },
      { properties: {}, required: [LONE] },
      { properties: {}, 'x-note': { [LONE]: 1 } },
    ])
      refusal(
        () => new Intent({ schema: { type: 'object', ...part } }),
        'SCHEMA_UNSUPPORTED',
        'config',
        /surrogate/,
      );
  });

  test('in a candidate, raw or escaped or half and half, in values and in keys', async () => {
    const high = '\ud83d';
    const low = '\ude00';
    for (const [spelling, fine] of [
      [high, false],
      [low, false],
      [low + high, false],
      ['\\ud83d', false],
      ['\\uDE00', false],
      ['\\ude00\\ud83d', false],
      [`${high}\\ude00`, false],
      [`\\ud83d${low}`, false],
      [`\\\\ud83d${low}`, false],
      ['\\ud83d\\\\ude00', false],
      ['\\ud83dx\\ude00', false],
      ['\\ud83d\\u0000', false],
      [`\\${high}`, false],
      ['\\ud83d\\ude00', true],
      [high + low, true],
      ['\\\\ud83d', true],
      ['\ufffd', true],
      ['\\u{d83d}', false],
    ]) {
      for (const text of [
        core().replace('Query order 000123.', spelling),
        core().replace('"requirements":[]', `"requirements":["${spelling}"]`),
      ]) {
        const executor = scripted(text, text);
        const parsing = parse({ input: INPUT }, {}, executor);
        if (fine) {
          const result = await parsing;
          const read = JSON.parse(`"${spelling}"`);
          expect([result.normalizedInput, ...result.requirements]).toContain(read);
        } else {
          await failure(parsing, 'MODEL_OUTPUT_INVALID', 'core');
          expect(executor.requests.length).toBe(2);
        }
      }
      if (!fine) {
        const key = core().replace('"requirements"', `"${spelling}":1,"requirements"`);
        await failure(parse({ input: INPUT }, {}, scripted(key, key)), 'MODEL_OUTPUT_INVALID');
      }
      // Nothing of it stops the repair from being carried out.
      const mended = scripted(core().replace('Query', spelling), core());
      expect((await parse({ input: INPUT }, {}, mended)).intents).toHaveLength(1);
    }
  });
});

describe('every limit, at exactly the limit and one past it', () => {
  const chars = (n) => '中'.repeat(Math.floor(n / 3)) + 'x'.repeat(n % 3);
  const at = async (limits, request, config = {}, answers = [core(), order]) =>
    parseWith(scripted(...answers), { ...config, limits, request });
  const over = async (name, value, stage, ...rest) => {
    const error = await failure(at({ [name]: value }, ...rest), 'LIMIT_EXCEEDED', stage);
    expect(error.message).toContain(`limits.${name} (${value})`);
    return error;
  };

  test('maxInputBytes', async () => {
    for (const bytes of [64, 65, 66]) {
      const input = chars(bytes);
      expect((await at({ maxInputBytes: bytes }, { input })).input).toBe(input);
      await over('maxInputBytes', bytes - 1, 'input', { input });
    }
    const { maxInputBytes } = DEFAULT_LIMITS;
    expect((await at({}, { input: chars(maxInputBytes) })).input).toBe(chars(maxInputBytes));
    await failure(at({}, { input: chars(maxInputBytes + 1) }), 'LIMIT_EXCEEDED', 'input');
  });

  test('maxContextBytes counts the normalised array, as JSON', async () => {
    const text = 'quote " backslash \\ control \u0001 \n line \u2028 emoji 😀 /';
    for (const context of [
      text,
      [{ role: 'user', content: '' }],
      Array.from({ length: 12 }, (_, i) => ({
        role: ['user', 'assistant', 'tool'][i % 3],
        content: text.repeat(i),
      })),
    ]) {
      const normalised =
        typeof context === 'string'
          ? [{ sourceId: 'context:0', role: 'background', content: context }]
          : context.map(({ role, content }, i) => ({ sourceId: `context:${i}`, role, content }));
      const bytes = Buffer.byteLength(JSON.stringify(normalised));
      await at({ maxContextBytes: bytes }, { input: INPUT, context });
      await over('maxContextBytes', bytes - 1, 'input', { input: INPUT, context });
    }
    for (const context of [undefined, '', []])
      await at({ maxContextBytes: 1 }, { input: INPUT, context });
  });

  test('maxContextMessages', async () => {
    const messages = (n) => Array.from({ length: n }, () => ({ role: 'user', content: 'x' }));
    for (const n of [1, 7]) {
      await at({ maxContextMessages: n }, { input: INPUT, context: messages(n) });
      await over('maxContextMessages', n, 'input', { input: INPUT, context: messages(n + 1) });
    }
    await at({}, { input: INPUT, context: messages(100) });
    await failure(at({}, { input: INPUT, context: messages(101) }), 'LIMIT_EXCEEDED', 'input');
  });

  const constructed = (name, value, schema) => {
    new Intent({ schema, limits: { [name]: value } });
    if (value === 1) return;
    const error = refusal(
      () => new Intent({ schema, limits: { [name]: value - 1 } }),
      'LIMIT_EXCEEDED',
      'config',
    );
    expect(error.message).toContain(`limits.${name} (${value - 1})`);
  };

  test('maxSchemaBytes counts the snapshot, not what is dropped of it', () => {
    const schema = {
      type: 'object',
      properties: { 名: { type: 'string', description: '"\\\u0001😀' } },
    };
    const bytes = Buffer.byteLength(JSON.stringify(schema));
    constructed('maxSchemaBytes', bytes, schema);
    constructed('maxSchemaBytes', bytes, { ...schema, $id: 'urn:x', _label: chars(500) });
    const large = {
      type: 'object',
      properties: { a: { description: 'x'.repeat(131_072) } },
    };
    refusal(() => new Intent({ schema: large }), 'LIMIT_EXCEEDED', 'config', /maxSchemaBytes/);
  });

  test('maxSchemaDepth counts schema nodes', () => {
    let node = { type: 'string' };
    for (let i = 1; i < 8; i++) {
      node =
        i % 2
          ? { type: 'array', items: node }
          : { type: 'object', properties: { a: node }, 'x-deep': { a: { b: { c: {} } } } };
    }
    const schema = { type: 'object', properties: { root: node } };
    constructed('maxSchemaDepth', 8, schema);
    const deeper = { type: 'object', properties: { root: { type: 'array', items: node } } };
    refusal(
      () => new Intent({ schema: deeper }),
      'LIMIT_EXCEEDED',
      'config',
      /maxSchemaDepth \(8\)/,
    );
    constructed('maxSchemaDepth', 9, deeper);
    constructed('maxSchemaDepth', 1, { type: 'object', properties: { a: {} } });
    for (const part of [
      { allOf: [{ type: 'string' }] },
      { not: { type: 'null' } },
      { items: [{}, {}] },
      { patternProperties: { a: {} } },
      { dependencies: { a: {} } },
      { contains: {} },
      { propertyNames: {} },
    ])
      constructed('maxSchemaDepth', 2, { type: 'object', properties: { a: part } });
  });

  test('maxSchemaProperties counts every `properties`', () => {
    const some = (n) => Object.fromEntries(Array.from({ length: n }, (_, i) => [`p${i}`, {}]));
    constructed('maxSchemaProperties', 7, {
      type: 'object',
      properties: {
        a: { type: 'object', properties: some(3) },
        b: { type: 'array', items: { type: 'object', properties: some(2) } },
        // A name and a value, not keywords.
      },
      'x-properties': { properties: some(9) },
    });
    new Intent({ schema: { type: 'object', properties: some(256) } });
    refusal(
      () => new Intent({ schema: { type: 'object', properties: some(257) } }),
      'LIMIT_EXCEEDED',
      'config',
      /maxSchemaProperties \(256\)/,
    );
  });

  test('maxRequestBytes counts instructions, payload and the schema of the format', async () => {
    const bytesOf = ({ instructions, payload, format }) =>
      Buffer.byteLength(instructions) +
      Buffer.byteLength(payload) +
      Buffer.byteLength(JSON.stringify(format.schema ?? {}));
    const request = { input: 'Query 000123, 中文 😀 "quoted".' };
    const config = { schema: orderSchema };
    const executor = scripted(core(), order);
    await parseWith(executor, { ...config, request });
    const [first, second] = executor.requests.map(bytesOf);
    const larger = Math.max(first, second);
    await at({ maxRequestBytes: larger }, request, config);
    if (second > first) {
      const error = await over('maxRequestBytes', second - 1, 'data', request, config);
      expect(error.partialResult.data).toEqual({});
    }
    const early = scripted(core(), order);
    await failure(
      parseWith(early, { ...config, request, limits: { maxRequestBytes: first - 1 } }),
      'LIMIT_EXCEEDED',
      'core',
      /maxRequestBytes/,
    );
    expect(early.requests.length).toBe(0);
    const alone = { ...request, fields: [] };
    await at({ maxRequestBytes: first }, alone, config);
    const none = await over('maxRequestBytes', first - 1, 'core', alone, config);
    expect('partialResult' in none).toBe(false);
  });

  test('maxOutputBytes', async () => {
    const text = core({ normalizedInput: '中文😀' });
    const bytes = Buffer.byteLength(text);
    await at({ maxOutputBytes: bytes }, undefined, {}, [text]);
    const error = await over('maxOutputBytes', bytes - 1, 'core', undefined, {}, [text, text]);
    expect('partialResult' in error).toBe(false);
    const padded = order + ' '.repeat(bytes);
    const size = Buffer.byteLength(padded);
    const config = { schema: orderSchema };
    await at({ maxOutputBytes: size }, undefined, config, [core(), padded]);
    const late = await over('maxOutputBytes', size - 1, 'data', undefined, config, [
      core(),
      padded,
      order,
    ]);
    expect(late.partialResult.data).toEqual({});
  });

  test('maxCandidateDepth and maxCandidateNodes', async () => {
    // { intents: [ { blockers: { questions: [ { options: [] } ] } } ] }
    const deep = core({
      intents: [
        {
          action: null,
          target: null,
          requirements: [],
          blockers: {
            ...noBlockers,
            clarificationReason: 'r',
            questions: [{ question: 'q', options: [] }],
          },
        },
      ],
    });
    await at({ maxCandidateDepth: 7 }, undefined, {}, [deep]);
    await over('maxCandidateDepth', 6, 'core', undefined, {}, [deep, core()]);
    const count = (value) =>
      1 +
      (value !== null && typeof value === 'object'
        ? Object.values(value).reduce((sum, member) => sum + count(member), 0)
        : 0);
    const nodes = count(coreOf());
    await at({ maxCandidateNodes: nodes }, undefined, {}, [core()]);
    await over('maxCandidateNodes', nodes - 1, 'core', undefined, {}, [core(), core()]);
    const dataNodes = count(dataOf({ orderId: '000123' }));
    const most = Math.max(nodes, dataNodes);
    await at({ maxCandidateNodes: most }, undefined, { schema: orderSchema });
    if (dataNodes > nodes)
      await over('maxCandidateNodes', dataNodes - 1, 'data', undefined, { schema: orderSchema });
    // Refused without recursion, independent of the rest of the text.
    for (const deep of ['['.repeat(200_000), `{"a":`.repeat(40_000), '[[],'.repeat(50_000)])
      await failure(at({}, undefined, {}, [`{"a":${deep}`, core()]), 'LIMIT_EXCEEDED', 'core');
    // Of what is no object nothing else is read.
    await failure(at({}, undefined, {}, ['[['.repeat(1e5), '[']), 'MODEL_OUTPUT_INVALID', 'core');
  });

  test('maxIntentCount', async () => {
    const intents = (n) => Array.from({ length: n }, () => coreOf().intents[0]);
    const text = (n) => core({ intents: intents(n) });
    expect((await at({ maxIntentCount: 3 }, undefined, {}, [text(3)])).intents[2].id).toBe('i3');
    await over('maxIntentCount', 3, 'core', undefined, {}, [text(4), core()]);
    expect((await at({}, undefined, {}, [text(100)])).intents).toHaveLength(100);
    await failure(at({}, undefined, {}, [text(101)]), 'LIMIT_EXCEEDED', 'core');
  });

  test('maxEvidenceEntries, for evidence and for descriptionChecks', async () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'array', items: { type: 'integer', description: 'd' } } },
    };
    const value = { a: [1, 2, 3] };
    const described = ['/data/a/0', '/data/a/1', '/data/a/2'];
    const good = data(value, { described });
    await at({ maxEvidenceEntries: 3 }, undefined, { schema }, [core(), good]);
    await over('maxEvidenceEntries', 2, 'data', undefined, { schema }, [core(), good, good]);
    const checks = data(value, { described: [...described, '/data'] });
    await at({ maxEvidenceEntries: 4 }, undefined, { schema }, [core(), checks]);
    await over('maxEvidenceEntries', 3, 'data', undefined, { schema }, [core(), checks, good]);
  });

  test('maxIssueCount, with those of verdicts', async () => {
    const issue = {
      code: 'DATA_AMBIGUOUS',
      category: 'business_information',
      path: '/data/orderId',
      message: 'm',
    };
    const verdict = { path: '/data', verdict: 'violated', explanation: 'no', sources };
    const text = data(
      {},
      {
        fields: [],
        fieldResults: [{ path: '/data/orderId', status: 'issue', explanation: 'e' }],
        issues: [issue, issue],
        descriptionChecks: [verdict],
      },
    );
    const error = await failure(
      at({ maxIssueCount: 3 }, undefined, { schema: orderSchema }, [core(), text]),
      'DATA_EXTRACTION_FAILED',
      'data',
    );
    expect(error.issues.map(({ code }) => code)).toEqual([
      'DATA_CONSTRAINT_VIOLATED',
      'DATA_AMBIGUOUS',
      'DATA_AMBIGUOUS',
    ]);
    const limit = await over('maxIssueCount', 2, 'data', undefined, { schema: orderSchema }, [
      core(),
      text,
      order,
    ]);
    expect(limit.issues).toEqual([]);
    expect(limit.partialResult.data).toEqual({});
  });

  test('maxConcurrentParses', async () => {
    const waits = deferred();
    const intent = new Intent({
      executor: executing(() => waits.promise),
      limits: { maxConcurrentParses: 3 },
    });
    const running = [1, 2, 3].map(() => intent.parse({ input: INPUT }));
    const error = await failure(intent.parse({ input: INPUT }), 'LIMIT_EXCEEDED', 'input');
    expect(error.message).toContain('limits.maxConcurrentParses (3)');
    waits.resolve(complete(core()));
    expect(await Promise.all(running)).toHaveLength(3);
    await intent.dispose();
  });

  test('maxSchemaCacheEntries changes no answer', async () => {
    const properties = { a: { type: 'string' }, b: { type: 'string' }, c: { type: 'string' } };
    const schema = { type: 'object', properties };
    let stage = 0;
    const executor = executing(({ input, outputSchema }) => {
      if (stage++ % 2 === 0) return complete(core());
      expect(Object.keys(outputSchema.properties.data.properties)).toEqual(input.selectedFields);
      const found = Object.fromEntries(input.selectedFields.map((field) => [field, '000123']));
      return complete(data(found));
    });
    const intent = new Intent({ executor, schema, limits: { maxSchemaCacheEntries: 1 } });
    for (let i = 0; i < 3; i++) {
      for (const fields of [['a'], ['b', 'a'], ['c'], undefined, ['a', 'b']]) {
        const result = await intent.parse({ input: INPUT, fields });
        expect(Object.keys(result.data)).toEqual(fields ?? ['a', 'b', 'c']);
      }
    }
    await intent.dispose();
  });

  test('values that no limit takes', () => {
    for (const name of Object.keys(DEFAULT_LIMITS)) {
      new Intent({ limits: { [name]: 1 } });
      new Intent({ limits: { [name]: undefined } });
      const most = name === 'maxValidationMs' ? 2147483647 : Number.MAX_SAFE_INTEGER;
      new Intent({ limits: { [name]: most } });
      for (const value of [
        name === 'maxQueuedParses' ? -2 : 0,
        -1,
        1.5,
        most + 1,
        Number.NaN,
        Infinity,
        '1',
        null,
        1n,
        [],
        {},
      ]) {
        refusal(
          () => new Intent({ limits: { [name]: value } }),
          'CONFIG_INVALID',
          'config',
          new RegExp(`limits\\.${name} must be (a positive|0 or a positive|an integer from 1)`),
        );
      }
    }
  });
});

describe('the signal of one parse', () => {
  /** Counts what listens to a signal. */
  const counted = () => {
    const controller = new AbortController();
    const { signal } = controller;
    const listeners = new Set();
    const { addEventListener, removeEventListener } = signal;
    let most = 0;
    signal.addEventListener = function (type, listener, options) {
      listeners.add(listener);
      most = Math.max(most, listeners.size);
      return addEventListener.call(this, type, listener, options);
    };
    signal.removeEventListener = function (type, listener, options) {
      listeners.delete(listener);
      return removeEventListener.call(this, type, listener, options);
    };
    return { controller, signal, listeners, most: () => most };
  };

  test('leaves no listener behind, however a parse ends', async () => {
    const { signal, listeners, most } = counted();
    const never = () => new Promise(() => {});
    for (const [config, request] of [
      [{ executor: scripted(core()) }, {}],
      [{ executor: scripted('x', 'y') }, {}],
      [{ executor: executing(() => Promise.reject(new Error('x'))) }, {}],
      [{ executor: executing(never), timeoutMs: 5 }, {}],
      [{}, {}],
      [{ executor: scripted(core()) }, { input: ' ' }],
      [{ executor: scripted(core()) }, { fields: ['none'] }],
      [{ executor: scripted(core()) }, { extra: 1 }],
    ]) {
      const intent = new Intent(config);
      await intent.parse({ input: INPUT, signal, ...request }).catch(() => {});
      expect(listeners.size).toBe(0);
      await intent.dispose();
    }
    const intent = new Intent({ executor: executing(never) });
    const parsing = failure(intent.parse({ input: INPUT, signal }), 'INSTANCE_DISPOSED', 'core');
    expect(listeners.size).toBe(1);
    intent.dispose();
    await parsing;
    expect(listeners.size).toBe(0);
    expect(most()).toBe(1);
  });

  test('leaves its handlers alone', async () => {
    const { controller, signal } = counted();
    const handler = () => {};
    signal.onabort = handler;
    await parse({ input: INPUT, signal });
    expect(signal.onabort).toBe(handler);
    controller.abort();
  });

  test('that is aborted already asks no model; the stage is core', async () => {
    const executor = scripted(core());
    const error = await failure(
      parse({ input: INPUT, signal: AbortSignal.abort() }, {}, executor),
      'MODEL_ABORTED',
      'core',
    );
    expect(executor.requests.length).toBe(0);
    expect('partialResult' in error).toBe(false);
    // A bad request is still one.
    await failure(parse({ input: ' ', signal: AbortSignal.abort() }), 'INPUT_INVALID', 'input');
  });

  test('ends that one parse only, at its stage, at once', async () => {
    const controllers = [1, 2, 3].map(() => new AbortController());
    const held = [];
    let calls = 0;
    const executor = executing(({ stage }) => {
      calls++;
      if (stage === 'core') return complete(core());
      const waits = deferred();
      held.push(waits);
      return waits.promise;
    });
    const intent = new Intent({ executor, schema: orderSchema });
    const parses = controllers.map(({ signal }) => intent.parse({ input: INPUT, signal }));
    while (held.length < 3) await turn();
    controllers[1].abort();
    const error = await failure(parses[1], 'MODEL_ABORTED', 'data');
    expect(error.partialResult.intents).toHaveLength(1);
    for (const waits of held) waits.resolve(complete(order));
    expect((await parses[0]).data).toEqual({ orderId: '000123' });
    expect((await parses[2]).data).toEqual({ orderId: '000123' });
    expect(calls).toBe(6);
    await intent.dispose();
  });

  test('may be shared by many parses, and by AbortSignal.any and timeout', async () => {
    const controller = new AbortController();
    const intent = new Intent({
      executor: executing(() => new Promise(() => {})),
      limits: { maxConcurrentParses: 200 },
    });
    const parses = Array.from({ length: 100 }, () =>
      intent.parse({ input: INPUT, signal: controller.signal }),
    );
    const any = AbortSignal.any([controller.signal, AbortSignal.timeout(60_000)]);
    parses.push(intent.parse({ input: INPUT, signal: any }));
    const timed = intent.parse({ input: INPUT, signal: AbortSignal.timeout(5) });
    await failure(timed, 'MODEL_ABORTED', 'core');
    controller.abort();
    for (const parsing of parses) await failure(parsing, 'MODEL_ABORTED', 'core');
    await intent.dispose();
  });

  test('what is none is INPUT_INVALID', async () => {
    for (const signal of [null, {}, true, new AbortController(), new EventTarget(), 'abort']) {
      const error = await failure(parse({ input: INPUT, signal }), 'INPUT_INVALID', 'input');
      expect(error.message).toContain('signal');
    }
  });

  test('a stand-in for one whose methods throw harms nobody', async () => {
    const throws = () => {
      throw new Error('trap');
    };
    const signal = { aborted: false, addEventListener() {}, removeEventListener: throws };
    expect((await parse({ input: INPUT, signal })).intents).toHaveLength(1);
    const failing = { aborted: false, addEventListener: throws, removeEventListener() {} };
    const intent = new Intent({ executor: scripted(core(), core()) });
    await intent.parse({ input: INPUT, signal: failing }).then(
      () => {},
      (error) => expect(error.code).toMatch(/INPUT_INVALID|MODEL_REQUEST_FAILED/),
    );
    expect((await intent.parse({ input: INPUT })).intents).toHaveLength(1);
    await intent.dispose();
  });
});
