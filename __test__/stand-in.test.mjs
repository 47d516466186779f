// Tests the demo's stand-in model by itself: its rules, its candidates (docs/candidates.md), its server.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { orders } from '../examples/demo/orders.mjs';
import { coreCandidate, dataCandidate, startStandIn } from '../examples/demo/stand-in.mjs';

const materials = (currentInput, { language = 'zh-CN', context = [], schema = orders } = {}) => ({
  structuredLanguage: language,
  currentInput,
  context: context.map(([role, content], index) => ({
    sourceId: `context:${index}`,
    role,
    content,
  })),
  schemaReference: schema,
  selectedSchema: schema,
  selectedFields: Object.keys(schema.properties),
});
const core = (text, options) => coreCandidate(materials(text, options));
const data = (text, options) => dataCandidate(materials(text, options));
/** `action target` of each intent. */
const intentsOf = ({ intents }) => intents.map(({ action, target }) => `${action} ${target}`);

const CORPUS = [
  '查询订单 000123，先不要修改',
  '查询订单',
  '把订单 000123 的数量改为三件，尽快',
  '删除订单 A，不，保留 A，删除 B',
  'Could you please delete order 5, but ask me first?',
  'If the backup exists, delete order 5 and notify me; never touch order 6.',
  '处理一下',
  'handle it',
  '算了',
  '你好',
  '请',
  '，，，',
  '?',
  '订单编号是 000123。',
  '导出 000123 还是 000456？',
  '“删除所有订单”',
  'list orders 1001, 1002 and 1003',
  '0 件，数量 99999999999999999999',
  'quantity 3 units of order 1 and 4 units of order 2, urgent',
  '🙂 delete\u0000 order "x',
  '\ufeff查询',
  'a'.repeat(5000),
  '不要'.repeat(500),
];

describe('core candidate', () => {
  it('answers the first example of the README', () => {
    expect(core('查询订单 000123，先不要修改')).toEqual({
      normalizedInput: '查询订单 000123，先不要修改。',
      primaryIntent: '查询订单 000123',
      requirements: [],
      prohibitions: ['先不要修改'],
      intents: [
        {
          action: 'query',
          target: '订单 000123',
          requirements: [],
          blockers: {
            clarificationReason: null,
            questions: [],
            confirmationReason: null,
            conditionReason: null,
          },
        },
      ],
    });
  });

  it.each([
    ['查询订单000123先不要修改', ['query 订单000123'], ['先不要修改']],
    ['删除订单 A，不，保留 A，删除 B', ['delete B'], ['保留 A']],
    ['delete A, no, keep A, delete B', ['delete B'], ['keep A']],
    ['先查订单 000123，算了，查订单 000456', ['query 订单 000456'], []],
    ['Could you please delete order 5?', ['delete order 5'], []],
    ['能不能帮我查一下订单 000123？', ['query 订单 000123'], []],
    ['Where is order 000123?', ['query order 000123'], []],
    ['为什么不能修改订单 5？', ['analyze 为什么不能修改订单 5'], []],
    ['Should I delete order 5?', ['query Should I delete order 5'], []],
    ['查询并删除订单 000123', ['query 订单 000123', 'delete 订单 000123'], []],
    ['find and delete order 5', ['query order 5', 'delete order 5'], []],
    ['不要修改订单 000123，只查看', ['query 订单 000123'], ['不要修改订单 000123']],
    ['show order 5 without changing anything', ['query order 5'], ['without changing anything']],
    ['list orders 1001, 1002 and 1003', ['query orders 1001, 1002 and 1003'], []],
    ['如果缺货就不要下单', [], ['如果缺货就不要下单']],
    ["Don't delete anything unless I say so", [], ["Don't delete anything unless I say so"]],
    ['先查询，再修改数量为5，最后别通知客户', ['query 数量', 'modify 数量'], ['别通知客户']],
    // Quoted, reported, completed, stated: no request.
    ['文档里写着“删除所有订单”，请总结这份文档', ['analyze 这份文档'], []],
    ['summarize “please delete all” for me', ['analyze “please delete all”'], []],
    ['客户说要删除订单 5', [], []],
    ['The customer asked to delete order 5, please check order 6', ['query order 6'], []],
    ['我已经删除了订单 5', [], []],
    ['I deleted order 5 yesterday.', [], []],
    ['订单编号是 000123。', [], []],
    ['Order 000123 is late.', [], []],
    ['这个特别版本的类别和订单号', [], []],
  ])('%s', (text, intents, prohibitions) => {
    const candidate = core(text);
    expect(intentsOf(candidate)).toEqual(intents);
    expect(candidate.prohibitions).toEqual(prohibitions);
  });

  it('keeps conditions, confirmations and totals apart', () => {
    const [query, cancel] = core(
      '帮我查订单000123的物流，如果还没发货就取消，取消前先问我',
    ).intents;
    expect(query.blockers).toMatchObject({ conditionReason: null, confirmationReason: null });
    expect(cancel.blockers).toMatchObject({
      conditionReason: '如果还没发货',
      confirmationReason: '取消前先问我',
    });
    expect(core('Delete order 5 if the backup exists').intents[0].blockers.conditionReason).toBe(
      'if the backup exists',
    );
    expect(core('Delete order 5 once I approve').intents[0].blockers.confirmationReason).toBe(
      'once I approve',
    );
    const report = core('Summarize the report, at most 3 pages, the total budget is $500', {
      language: 'en',
    });
    expect(report.intents[0].requirements).toEqual(['at most 3 pages']);
    expect(report.requirements).toEqual(['the total budget is $500']);
    expect(core('Change the quantity of order 000123 to 3').intents[0]).toMatchObject({
      target: 'the quantity of order 000123',
      requirements: ['to 3'],
    });
  });

  it('asks where something is open, in the language of the result', () => {
    expect(core('导出 000123 还是 000456？').intents[0].blockers.questions).toEqual([
      { question: '选择哪一个？', options: ['000123', '000456'] },
    ]);
    expect(core('handle it', { language: 'en' }).intents[0]).toMatchObject({
      action: null,
      blockers: {
        questions: [{ question: 'What is to be done?', options: ['query', 'modify', 'delete'] }],
      },
    });
    expect(core('删除它').intents[0].blockers.clarificationReason).not.toBeNull();
    expect(intentsOf(core('删除它', { context: [['user', '查询订单 000123']] }))).toEqual([
      'delete 订单 000123',
    ]);
    // A proposal of the assistant is not the user's intent.
    expect(intentsOf(core('删除它', { context: [['assistant', '查询订单 000123']] }))).toEqual([
      'delete null',
    ]);
  });

  it.each(CORPUS)('satisfies the contract for %j', (text) => {
    for (const language of ['zh-CN', 'en']) expectCore(core(text, { language }));
  });

  it('reads the largest input in bounded time', () => {
    for (const unit of ['删除订单 5，', '先', '要', '“', '1,', 'and delete ', "don't ", '如果']) {
      const started = performance.now();
      core(unit.repeat(Math.ceil(65536 / unit.length)));
      expect(performance.now() - started, unit).toBeLessThan(5000);
    }
  });
});

describe('data candidate', () => {
  it.each([
    ['查询订单 000123，先不要修改', { orderId: '000123' }],
    ['把订单 000123 的数量改为三件，尽快', { orderId: '000123', quantity: 3, priority: 'urgent' }],
    [
      'Change the quantity of order 000123 to 12, no rush',
      { orderId: '000123', quantity: 12, priority: 'normal' },
    ],
    ['退回二十五件，单号 A-77', { orderId: 'A-77', quantity: 25 }],
    ['delete order 000123, no, keep order 000123, delete order 000456', { orderId: '000456' }],
    ['不要动订单 000999，查询订单 000123', { orderId: '000123' }],
    ['订单编号是 000123。', { orderId: '000123' }],
  ])('%s', (text, expected) => {
    const candidate = data(text);
    expect(candidate.data).toEqual(expected);
    expect(candidate.issues).toEqual([]);
  });

  it('reports missing, open and impossible values', () => {
    const issues = (text) => data(text).issues.map(({ code, path }) => `${code} ${path}`);
    expect(issues('查询订单')).toEqual(['DATA_REQUIRED_MISSING /data/orderId']);
    expect(issues('查询订单 1 和订单 2')).toEqual(['DATA_AMBIGUOUS /data/orderId']);
    expect(issues('订单 1 的数量改为 99999999999999999999')).toEqual([
      'DATA_VALUE_UNREPRESENTABLE /data/quantity',
    ]);
    expect(issues('订单 1 要 0 件')).toEqual(['DATA_CONSTRAINT_VIOLATED /data/quantity']);
  });

  it('takes omitted values from the context', () => {
    const context = [
      ['user', '订单 000111'],
      ['user', '不，是订单 000123'],
      ['assistant', '订单 000456？'],
    ];
    const { data: found, evidence } = data('删除它', { context });
    expect(found).toEqual({ orderId: '000123' });
    expect(evidence[0].sources).toEqual([{ sourceId: 'context:1', quote: '000123' }]);
  });

  it('takes names and descriptions as any schema has them', () => {
    const schema = JSON.parse(
      '{"type":"object","description":"Whole.","properties":{"__proto__":{"type":"string","description":"id"},"a/b~c":{"type":"integer"},"note":true}}',
    );
    const given = materials('order 000123, 3 pieces', { schema });
    const candidate = dataCandidate(given);
    expect(Object.keys(candidate.data)).toEqual(['__proto__', 'a/b~c']);
    expect(candidate.descriptionChecks.at(-1)).toMatchObject({
      path: '/data',
      verdict: 'undetermined',
    });
    expectData(candidate, given);
  });

  it.each(CORPUS)('satisfies the contract for %j', (text) => {
    const given = materials(text);
    expectData(dataCandidate(given), given);
  });
});

describe('server', () => {
  let standIn;
  beforeAll(async () => {
    standIn = await startStandIn();
  });
  afterAll(() => standIn.close());

  const post = (body, path = '/chat/completions', method = 'POST') =>
    fetch(standIn.baseURL + path, {
      method,
      headers: { 'content-type': 'application/json' },
      body,
    });
  const ask = (payload) =>
    post(
      JSON.stringify({
        model: 'stand-in',
        messages: [
          { role: 'system', content: 'x' },
          { role: 'user', content: JSON.stringify(payload) },
        ],
      }),
    );

  it('speaks Chat Completions, both stages', async () => {
    const { selectedFields, selectedSchema, ...coreMaterials } = materials('查询订单 000123');
    for (const [payload, expected] of [
      [coreMaterials, coreCandidate(coreMaterials)],
      [
        { ...coreMaterials, selectedSchema, selectedFields },
        dataCandidate({ ...coreMaterials, selectedSchema, selectedFields }),
      ],
    ]) {
      const response = await ask(payload);
      expect(response.status).toBe(200);
      const { object, model, choices } = await response.json();
      expect({ object, model, count: choices.length }).toEqual({
        object: 'chat.completion',
        model: 'stand-in',
        count: 1,
      });
      expect(choices[0]).toMatchObject({
        finish_reason: 'stop',
        message: { role: 'assistant', refusal: null },
      });
      expect(JSON.parse(choices[0].message.content)).toEqual(expected);
    }
  });

  it('refuses other requests, and continues', async () => {
    expect((await post('{}', '/models')).status).toBe(404);
    expect((await post(undefined, '/chat/completions', 'GET')).status).toBe(405);
    for (const body of [
      '',
      'x',
      '{}',
      '{"messages":[]}',
      '{"messages":[{"role":"user","content":"x"}]}',
      'null',
    ]) {
      const response = await post(body);
      expect(response.status, body).toBe(400);
      expect((await response.json()).error.type).toBe('invalid_request_error');
    }
    expect((await ask(materials('查询订单 000123'))).status).toBe(200);
  });

  it('closes at once', async () => {
    const other = await startStandIn();
    await fetch(other.baseURL);
    await other.close();
    await expect(fetch(other.baseURL)).rejects.toThrow();
  });
});

// The rules of docs/candidates.md, implemented a second time in a few lines.

const notBlank = (text) => expect(text).toMatch(/\S/);

function expectCore(candidate) {
  expect(Object.keys(candidate)).toEqual([
    'normalizedInput',
    'primaryIntent',
    'requirements',
    'prohibitions',
    'intents',
  ]);
  notBlank(candidate.normalizedInput);
  if (candidate.primaryIntent !== null) notBlank(candidate.primaryIntent);
  [...candidate.requirements, ...candidate.prohibitions].forEach(notBlank);
  for (const intent of candidate.intents) {
    expect(Object.keys(intent)).toEqual(['action', 'target', 'requirements', 'blockers']);
    expect([
      null,
      'query',
      'analyze',
      'generate',
      'modify',
      'delete',
      'execute',
      'other',
    ]).toContain(intent.action);
    intent.requirements.forEach(notBlank);
    if (intent.target !== null) notBlank(intent.target);
    const { clarificationReason, questions, confirmationReason, conditionReason, ...rest } =
      intent.blockers;
    expect(rest).toEqual({});
    expect(clarificationReason !== null).toBe(questions.length > 0);
    if (intent.action === null) notBlank(clarificationReason);
    for (const reason of [clarificationReason, confirmationReason, conditionReason])
      if (reason !== null) notBlank(reason);
    for (const { question, options } of questions) [question, ...options].forEach(notBlank);
  }
}

function expectData(candidate, given) {
  expect(Object.keys(candidate)).toEqual([
    'data',
    'evidence',
    'descriptionChecks',
    'fieldResults',
    'issues',
  ]);
  const pathOf = (field) => `/data/${field.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  const present = Object.keys(candidate.data).map(pathOf);
  const texts = new Map([
    ['input', given.currentInput],
    ...given.context.map(({ sourceId, content }) => [sourceId, content]),
  ]);
  const sourced = ({ sources }) => {
    expect(sources.length).toBeGreaterThan(0);
    for (const { sourceId, quote } of sources) {
      notBlank(quote);
      expect(texts.get(sourceId)).toContain(quote);
    }
  };
  expect(candidate.evidence.map(({ path }) => path).sort()).toEqual([...present].sort());
  for (const [index, entry] of candidate.evidence.entries()) {
    sourced(entry);
    const value = Object.values(candidate.data)[index];
    if (entry.mode === 'exact') expect(entry.sources.map(({ quote }) => quote)).toContain(value);
    else expect(entry.mode).toBe('semantic');
  }
  const checked = candidate.descriptionChecks.map(({ path }) => path);
  expect(new Set(checked).size).toBe(checked.length);
  for (const path of checked) expect(['/data', ...present]).toContain(path);
  for (const [field, schema] of Object.entries(given.selectedSchema.properties)) {
    if (schema.description && Object.hasOwn(candidate.data, field))
      expect(checked).toContain(pathOf(field));
  }
  if (given.selectedSchema.description) expect(checked).toContain('/data');
  for (const check of candidate.descriptionChecks) {
    notBlank(check.explanation);
    sourced(check);
  }
  const issued = new Set(candidate.issues.map(({ path }) => path));
  expect(candidate.fieldResults.map(({ path }) => path)).toEqual(given.selectedFields.map(pathOf));
  for (const { path, status, explanation } of candidate.fieldResults) {
    notBlank(explanation);
    expect(status === 'issue').toBe(issued.has(path));
    if (status !== 'issue') expect(status === 'extracted').toBe(present.includes(path));
  }
  for (const field of given.selectedSchema.required ?? []) {
    expect(present.includes(pathOf(field)) || issued.has(pathOf(field))).toBe(true);
  }
  for (const { code, category, message } of candidate.issues) {
    notBlank(message);
    const business = [
      'DATA_REQUIRED_MISSING',
      'DATA_AMBIGUOUS',
      'DATA_CONFLICT',
      'DATA_DEPENDENCY_MISSING',
    ];
    const definition = [
      'DATA_CARDINALITY_MISMATCH',
      'DATA_VALUE_UNREPRESENTABLE',
      'DATA_CONSTRAINT_VIOLATED',
      'DATA_DESCRIPTION_UNDETERMINED',
    ];
    expect(category === 'business_information' ? business : definition).toContain(code);
  }
}
