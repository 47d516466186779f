// The inputs of all benchmarks: candidates as a model writes them, and schemas of three sizes.

export const input = 'Query order 000123, 3 items, do not modify it.';

const blockers = {
  clarificationReason: null,
  questions: [],
  confirmationReason: null,
  conditionReason: null,
};
const item = (target) => ({ action: 'query', target, requirements: [], blockers });
const core = (intents, extra = {}) => ({
  normalizedInput: 'Query order 000123 with 3 items; do not modify it.',
  primaryIntent: 'Query order 000123',
  requirements: [],
  prohibitions: ['Do not modify order 000123.'],
  intents,
  ...extra,
});

export const coreCandidate = JSON.stringify(core([item('order 000123')]));

/** A core candidate of about 200 KB: 100 intents with long requirements. */
export const largeCoreCandidate = JSON.stringify(
  core(
    Array.from({ length: 100 }, (_, i) => ({
      ...item(`order ${i}`),
      requirements: Array.from(
        { length: 10 },
        (_, k) => `${k}: ${'keep every detail; '.repeat(10)}`,
      ),
    })),
  ),
);

const source = (quote) => [{ sourceId: 'input', quote }];

export const smallSchema = {
  type: 'object',
  properties: { orderId: { type: 'string', description: 'Order id; keep leading zeros.' } },
  required: ['orderId'],
};
export const smallDataCandidate = JSON.stringify({
  data: { orderId: '000123' },
  evidence: [{ path: '/data/orderId', mode: 'exact', sources: source('000123') }],
  descriptionChecks: [
    {
      path: '/data/orderId',
      verdict: 'satisfied',
      explanation: 'stated',
      sources: source('000123'),
    },
  ],
  fieldResults: [{ path: '/data/orderId', status: 'extracted', explanation: 'stated' }],
  issues: [],
});

/** The same in the brief form: the value occurs in the input exactly. */
export const briefSmallDataCandidate = JSON.stringify({
  data: { orderId: '000123' },
  quotes: [],
  notes: [],
});

const names = Array.from({ length: 256 }, (_, i) => `field${i}`);
export const largeSchema = {
  type: 'object',
  properties: Object.fromEntries(
    names.map((name, i) => [
      name,
      i % 4 === 0
        ? { type: 'string', pattern: '^\\d{6}$' }
        : i % 4 === 1
          ? { type: 'integer', minimum: 0, maximum: 1000 }
          : i % 4 === 2
            ? { type: 'string', enum: ['000123', 'none'] }
            : { type: 'string', minLength: 1, maxLength: 64 },
    ]),
  ),
  required: names.slice(0, 64),
};
/** About 22 KB: 64 fields extracted, the rest not provided. */
export const largeDataCandidate = JSON.stringify({
  data: Object.fromEntries(names.slice(0, 64).map((name, i) => [name, i % 4 === 1 ? 3 : '000123'])),
  evidence: names.slice(0, 64).map((name, i) => ({
    path: `/data/${name}`,
    mode: i % 4 === 1 ? 'semantic' : 'exact',
    sources: source(i % 4 === 1 ? '3 items' : '000123'),
  })),
  descriptionChecks: [],
  fieldResults: names.map((name, i) => ({
    path: `/data/${name}`,
    status: i < 64 ? 'extracted' : 'not_provided',
    explanation: i < 64 ? 'ok' : 'no',
  })),
  issues: [],
});
export const briefLargeDataCandidate = JSON.stringify({
  data: JSON.parse(largeDataCandidate).data,
  quotes: [],
  notes: [],
});
