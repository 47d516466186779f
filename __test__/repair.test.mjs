// The model is asked again for a rejected candidate, with a diagnostic of all its faults (docs/concepts.md,
// "Repair").

import { describe, expect, test } from 'vitest';
import {
  core,
  coreOf,
  data,
  dataOf,
  failure,
  INPUT,
  noBlockers,
  order,
  orderSchema,
  parseWith,
  scripted,
  sources,
} from './support/model.mjs';

/** The repair that a candidate leads to. */
const repairOf = async (candidate, { schema, stage = 'core', ...config } = {}) => {
  const executor = scripted(...(stage === 'core' ? [] : [core()]), candidate, undefined);
  await parseWith(executor, { schema, ...config }).catch(() => {});
  const request = executor.requests.at(-1);
  expect(request.stage).toBe(stage);
  expect(Object.keys(request.input).at(-1)).toBe('repair');
  const { repair } = request.input;
  expect(Object.keys(repair)).toEqual(['candidate', 'diagnostic']);
  expect(repair.candidate).toBe(candidate);
  expect(Buffer.byteLength(repair.diagnostic)).toBeLessThanOrEqual(4096);
  expect(repair.diagnostic.isWellFormed()).toBe(true);
  expect(repair.diagnostic.trim()).not.toBe('');
  return repair.diagnostic;
};

describe('how often', () => {
  const schema = orderSchema;

  test('once in each stage, and the stage stays', async () => {
    const executor = scripted('{', core(), '[]', order);
    const result = await parseWith(executor, { schema });
    expect(result.data).toEqual({ orderId: '000123' });
    expect(executor.requests.map(({ stage }) => stage)).toEqual(['core', 'core', 'data', 'data']);
    expect(executor.requests.map(({ input }) => 'repair' in input)).toEqual([
      false,
      true,
      false,
      true,
    ]);
  });

  test('the faults of the second candidate are the outcome', async () => {
    const executor = scripted('{', core({ normalizedInput: '' }), core());
    const error = await failure(
      parseWith(executor),
      'MODEL_OUTPUT_INVALID',
      'core',
      /\/normalizedInput/,
    );
    expect(executor.requests.length).toBe(2);
    expect('partialResult' in error).toBe(false);
    const later = scripted(core(), '{', '{', order);
    const second = await failure(parseWith(later, { schema }), 'MODEL_OUTPUT_INVALID', 'data');
    expect(later.requests.length).toBe(3);
    expect(second.partialResult.data).toEqual({});
  });

  test('never with repairAttempts 0', async () => {
    const executor = scripted('{', core());
    await failure(parseWith(executor, { repairAttempts: 0 }), 'MODEL_OUTPUT_INVALID', 'core');
    const second = scripted(core(), '{', order);
    await failure(parseWith(second, { repairAttempts: 0, schema }), 'MODEL_OUTPUT_INVALID', 'data');
    expect([executor.requests.length, second.requests.length]).toEqual([1, 2]);
  });

  test('only for a complete candidate that is MODEL_OUTPUT_INVALID', async () => {
    const issue = dataOf(
      {},
      {
        fields: ['orderId'],
        fieldResults: [{ path: '/data/orderId', status: 'issue', explanation: 'none' }],
        issues: [
          {
            code: 'DATA_REQUIRED_MISSING',
            category: 'business_information',
            path: '/data/orderId',
            message: 'Which?',
          },
        ],
      },
    );
    for (const [answer, code] of [
      [{ outcome: 'refusal' }, 'MODEL_REFUSED'],
      [{ outcome: 'incomplete' }, 'MODEL_OUTPUT_INCOMPLETE'],
      [{ outcome: 'complete' }, 'MODEL_OUTPUT_INVALID'],
      [JSON.stringify(issue), 'DATA_EXTRACTION_FAILED'],
      ['x'.repeat(262_145), 'LIMIT_EXCEEDED'],
      [() => Promise.reject(new Error('x')), 'MODEL_REQUEST_FAILED'],
    ]) {
      const executor = scripted(core(), answer, order);
      await failure(parseWith(executor, { schema }), code);
      expect(executor.requests.length).toBe(2);
    }
  });
});

describe('the request', () => {
  test('is the stage’s own, with the repair at its end', async () => {
    const executor = scripted('{"a":"中😀\\u0000', core(), 'not json\n"\\', order);
    await parseWith(executor, { schema: orderSchema });
    const [first, firstRepair, second, secondRepair] = executor.requests;
    for (const [plain, repaired] of [
      [first, firstRepair],
      [second, secondRepair],
    ]) {
      const { repair, ...rest } = repaired.input;
      expect(JSON.stringify(rest)).toBe(plain.payload);
      expect(repaired.payload).toBe(JSON.stringify(repaired.input));
      for (const key of ['stage', 'instructions', 'format', 'outputSchema'])
        expect(repaired[key]).toEqual(plain[key]);
      expect(repair.candidate).toBe(plain === first ? '{"a":"中😀\\u0000' : 'not json\n"\\');
    }
  });

  test('that would pass maxRequestBytes is not made: the candidate’s own error is the outcome', async () => {
    const bytesOf = ({ instructions, payload, format }) =>
      Buffer.byteLength(instructions) +
      Buffer.byteLength(payload) +
      Buffer.byteLength(JSON.stringify(format.schema ?? {}));
    for (const [stage, before] of [
      ['core', []],
      ['data', [core()]],
    ]) {
      const bad = `{"x":"${'y'.repeat(20_000)}"}`;
      const good = stage === 'core' ? core() : order;
      const config = {
        schema: orderSchema,
        ...(stage === 'core' ? { request: { input: INPUT, fields: [] } } : {}),
      };
      const free = scripted(...before, bad, good);
      await parseWith(free, config);
      const limit = bytesOf(free.requests.at(-1));
      const fits = scripted(...before, bad, good);
      await parseWith(fits, { ...config, limits: { maxRequestBytes: limit } });
      const tight = scripted(...before, bad, good);
      const error = await failure(
        parseWith(tight, { ...config, limits: { maxRequestBytes: limit - 1 } }),
        'MODEL_OUTPUT_INVALID',
        stage,
        /"x"/,
      );
      expect(tight.requests.length).toBe(before.length + 1);
      expect('partialResult' in error).toBe(stage === 'data');
    }
  });
});

describe('the diagnostic', () => {
  const names = (diagnostic, ...parts) => {
    for (const part of parts) expect(diagnostic).toContain(part);
  };

  test('names every fault of a core candidate in one pass', async () => {
    const candidate = JSON.stringify({
      normalizedInput: ' ',
      primaryIntent: 7,
      requirements: ['ok', '', 3],
      prohibitions: null,
      extra: 1,
      'odd/key~': 2,
      intents: [
        {
          action: 'fetch',
          target: '',
          requirements: [],
          blockers: { ...noBlockers, questions: [{ question: '', options: ['a', ' '] }] },
        },
        {
          action: null,
          target: null,
          requirements: [],
          blockers: { ...noBlockers, clarificationReason: 'why', more: 1 },
        },
        { action: 'query', target: 1, blockers: [] },
        'intent',
        { ...coreOf().intents[0], action: null },
      ],
    });
    names(
      await repairOf(candidate),
      '/normalizedInput',
      '/primaryIntent',
      '/requirements/1',
      '/requirements/2',
      '/prohibitions',
      '"extra"',
      '"odd/key~"',
      '/intents/0/action',
      '/intents/0/target',
      '/intents/0/blockers/questions',
      '/intents/0/blockers/questions/0/question',
      '/intents/0/blockers/questions/0/options/1',
      '/intents/1/blockers',
      '"more"',
      '/intents/2/target',
      '/intents/2',
      '"requirements" is missing',
      '/intents/2/blockers',
      '/intents/3',
      '/intents/4',
    );
  });

  test('names the keys of an object when another value is in its place', async () => {
    const asks = { ...noBlockers, clarificationReason: 'Several orders.' };
    const item = (over) => ({ ...coreOf().intents[0], ...over });
    const blockers =
      '"clarificationReason", "questions", "confirmationReason" and "conditionReason"';
    for (const [candidate, says] of [
      [
        core({ intents: [item({ blockers: { ...asks, questions: ['Which order?'] } })] }),
        '/intents/0/blockers/questions/0: must be an object with the keys "question" and "options", not a string',
      ],
      [
        core({ intents: [item({ blockers: { ...asks, questions: [{ question: 'Which?' }] } })] }),
        '/intents/0/blockers/questions/0: the key "options" is missing',
      ],
      [
        core({ intents: [item({ blockers: null })] }),
        `/intents/0/blockers: must be an object with the keys ${blockers}, not null`,
      ],
      [
        core({ intents: ['query order 000123'] }),
        '/intents/0: must be an object with the keys "action", "target", "requirements" and "blockers", not a string',
      ],
    ])
      expect(await repairOf(candidate)).toContain(says);
    const evidence = await repairOf(data({ orderId: '000123' }, { evidence: ['000123'] }), {
      schema: orderSchema,
      stage: 'data',
    });
    expect(evidence).toContain(
      '/evidence/0: must be an object with the keys "path", "mode" and "sources", not a string',
    );
  });

  test('names every fault of a data candidate in one pass', async () => {
    const schema = {
      type: 'object',
      description: 'All of it.',
      properties: {
        id: { type: 'string', pattern: '^[0-9]{6}$', description: 'The id.' },
        'a/b': { type: 'object', properties: { '~': { type: 'integer', maximum: 3 } } },
        list: { type: 'array', items: { type: 'string' }, minItems: 2 },
        gone: { type: 'boolean' },
      },
      required: ['gone'],
    };
    const candidate = JSON.stringify({
      ...dataOf({ id: '12', 'a/b': { '~': 4 }, list: [true], other: 1 }, {}),
      evidence: [
        { path: '/data/id', mode: 'exact', sources },
        { path: '/data/id', mode: 'semantic', sources: [] },
        {
          path: '/data/a~1b/~0',
          mode: 'guess',
          sources: [{ sourceId: 'context:0', quote: 'x' }],
        },
        {
          path: '/data/none',
          mode: 'semantic',
          sources: [{ sourceId: 'input', quote: 'nowhere' }],
        },
        { path: '/intents', mode: 'semantic', sources: [{ sourceId: 'input', quote: ' ' }] },
      ],
      descriptionChecks: [{ path: '/data', verdict: 'fine', explanation: '', sources }],
      fieldResults: [
        { path: '/data/id', status: 'not_provided', explanation: 'e' },
        { path: '/data/a/b', status: 'extracted', explanation: 'e' },
        { path: '/data/gone', status: 'extracted', explanation: 'e' },
        { path: '/data/id', status: 'extracted', explanation: 'e' },
      ],
      issues: [
        { code: 'DATA_SOURCE_INVALID', category: 'processing', path: null, message: 'm' },
        { code: 'DATA_AMBIGUOUS', category: 'definition', path: '/x', message: ' ' },
      ],
    });
    names(
      await repairOf(candidate, { schema, stage: 'data' }),
      '"other"',
      '/evidence/0',
      '/evidence/1/path',
      '/evidence/1/sources',
      '/evidence/2/mode',
      '/evidence/2/sources/0/sourceId',
      '"context:0"',
      '/evidence/3/path',
      '/evidence/3/sources/0/quote',
      '/evidence/4/path',
      '/evidence/4/sources/0/quote',
      '/data/list/0',
      '/descriptionChecks/0/verdict',
      '/descriptionChecks/0/explanation',
      '/data/id: has a description',
      '/fieldResults/1/path',
      '/fieldResults/3/path',
      '/data/gone',
      '/data/a~1b',
      '/issues/0/code',
      '/issues/1/category',
      '/issues/1/path',
    );
  });

  test('and also the faults of the data under the schema', async () => {
    const schema = {
      type: 'object',
      properties: {
        id: { type: 'string', pattern: '^[0-9]{6}$' },
        n: { type: 'integer', minimum: 1, multipleOf: 2 },
        tags: { type: 'array', uniqueItems: true, items: { enum: ['x', 'y'] } },
        more: { type: 'object', required: ['must'], additionalProperties: false },
      },
    };
    const value = { id: '12', n: -1, tags: ['z', 'z'], more: { other: 1 } };
    const whole = dataOf(value);
    const alone = await repairOf(JSON.stringify(whole), { schema, stage: 'data' });
    const parts = ['/data/id', '/data/n', '/data/tags/0', '/data/tags', '/data/more', 'must'];
    names(alone, ...parts);
    whole.evidence.pop();
    const both = await repairOf(JSON.stringify(whole), { schema, stage: 'data' });
    names(both, ...parts, '/data/more/other: has no evidence');
  });

  test('says where JSON ends to be JSON', async () => {
    for (const [text, part] of [
      ['', /empty/],
      ['null', /object/],
      ['```json\n{}\n```', /code fence/],
      ['\ufeff{}', /byte-order mark/],
      ['{}x', /after the JSON object/],
      [core().replace('"Query order 000123."', "'x'"), /byte \d+/],
      [core().replace('[]', '[1,]'), /comma/],
      [core().replace('{', '{/* c */'), /byte 1/],
      [
        core().replace('"requirements":[]', '"requirements":[],"\\u0072equirements":[]'),
        /requirements/,
      ],
      [core().replace('[]', '[NaN]'), /byte \d+/],
      [core().replace('[]', '[01]'), /byte \d+/],
      [core().replace('[]', '["\t"]'), /byte \d+/],
      [core().replace('[]', '["\\x"]'), /byte \d+/],
    ])
      expect(await repairOf(text), text).toMatch(part);
  });

  test('names each number that a double cannot carry', async () => {
    const text = `{"data":{"a":9007199254740993,"b":[1e400,0.10000000000000001],"c":1e22}}`;
    const schema = { type: 'object', properties: { a: {}, b: {}, c: {} } };
    names(
      await repairOf(text, { schema, stage: 'data' }),
      '/data/a',
      '/data/b/0',
      '/data/b/1',
      '/data/c',
    );
  });

  test('stays within 4096 bytes, and says how much it leaves out', async () => {
    const many = core({ requirements: Array.from({ length: 2000 }, () => '') });
    const diagnostic = await repairOf(many);
    expect(Buffer.byteLength(diagnostic)).toBeGreaterThan(3500);
    expect(diagnostic).toContain('/requirements/0');
    const shown = diagnostic.match(/\/requirements\/\d+/g).length;
    expect(diagnostic).toContain(`and ${2000 - shown} more`);
    // Names that the model invents are cut, for all kinds of characters.
    const keys = Object.fromEntries(
      Array.from({ length: 100 }, (_, i) => [`${i}${'中😀\u0007'.repeat(100)}`, 1]),
    );
    const cut = await repairOf(JSON.stringify({ ...coreOf(), ...keys }));
    expect(cut).toMatch(/and \d+ more$/);
    expect(cut).not.toContain('\u0007');
  });

  test('is useful for schemas with long texts', async () => {
    const schema = {
      type: 'object',
      properties: {
        a: { enum: Array.from({ length: 500 }, (_, i) => `value ${i} ${'中'.repeat(40)}`) },
        b: { const: 'x'.repeat(20_000) },
        c: { type: 'string', pattern: `^(${'abc|'.repeat(2000)}x)$` },
        [`d${'d'.repeat(5000)}`]: { type: 'string', maxLength: 1 },
      },
    };
    const [long] = Object.keys(schema.properties).slice(-1);
    const value = { a: 'y'.repeat(30_000), b: 'z'.repeat(30_000), c: 'q', [long]: 'qq' };
    const diagnostic = await repairOf(data(value), { schema, stage: 'data' });
    names(diagnostic, '/data/a', '/data/b', '/data/c', '/data/ddd');
  });
});
