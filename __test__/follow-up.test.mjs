// A dialogue: what stayed open and the user's answers make the next request.

import {
  followUp,
  Intent,
  IntentDataError,
  IntentError,
  openQuestions,
} from '@devcodex/intent-runtime';
import { createIntentBridge } from '@devcodex/intent-runtime/bridge';
import { coreCandidate, dataCandidate, scriptedExecutor } from '@devcodex/intent-runtime/testing';
import { describe, expect, test } from 'vitest';

const open = (input, ...questions) => ({
  input,
  intents: [
    { id: 'i1', status: 'ready' },
    {
      id: 'i2',
      status: 'needs_clarification',
      clarification: questions.map((question) => ({ question, options: [] })),
    },
  ],
});

const issue = (code, category, message) => ({ code, category, path: '/data/orderId', message });
const missing = issue('DATA_REQUIRED_MISSING', 'business_information', 'Which order?');
const violated = issue('DATA_CONSTRAINT_VIOLATED', 'definition', 'It has six digits.');

const failed = (issues, partialResult = { input: 'Where is it?', intents: [] }) => {
  const error = new IntentDataError('DATA_EXTRACTION_FAILED', { issues });
  error.partialResult = partialResult;
  return error;
};

const refusal = (message) =>
  expect.objectContaining({ code: 'INPUT_INVALID', message: expect.stringMatching(message) });

describe('without the request', () => {
  test('a clarification', () => {
    expect(followUp(open('Where is my order?', 'Which order?'), '000123')).toEqual({
      input: 'Where is my order?\n000123',
      context: [
        { role: 'user', content: 'Where is my order?' },
        { role: 'assistant', content: 'Which order?' },
      ],
    });
  });

  test('several questions and answers, and a second round that keeps the first', () => {
    const first = followUp(open('Ship it.', 'What?', 'Where to?'), ['The chair.', 'To Oslo.']);
    expect(first.context[1].content).toBe('What?\nWhere to?');
    const second = followUp(open(first.input, 'When?'), 'Monday.');
    expect(second.input).toBe('Ship it.\nThe chair.\nTo Oslo.\nMonday.');
  });
});

describe('openQuestions', () => {
  test('clarifications first, then what an answer can settle, each text once', () => {
    const processing = issue('DATA_SOURCE_INVALID', 'processing', 'Nothing for a user.');
    const partial = open('Where is it?', 'Which colour?', 'Which order?');
    const error = failed([violated, missing, processing, missing], partial);
    const questions = ['Which colour?', 'Which order?', 'It has six digits.'];
    expect(openQuestions(error)).toEqual(questions);
    expect(followUp(error, ['red', '000123', 'x']).context[1].content).toBe(questions.join('\n'));
  });

  test.each([
    ['DATA_CARDINALITY_MISMATCH'],
    ['DATA_VALUE_UNREPRESENTABLE'],
    ['DATA_CONSTRAINT_VIOLATED'],
    ['DATA_DESCRIPTION_UNDETERMINED'],
  ])('%s can be answered', (code) => {
    const error = failed([issue(code, 'definition', 'Please check it.')]);
    expect(openQuestions(error)).toEqual(['Please check it.']);
    expect(followUp(error, '000123').input).toBe('Where is it?\n000123');
  });

  test('nothing is open', () => {
    expect(openQuestions({ input: 'x', intents: [{ status: 'ready' }] })).toEqual([]);
    expect(openQuestions(new IntentError('MODEL_TIMEOUT'))).toEqual([]);
    expect(openQuestions(failed([]))).toEqual([]);
  });

  test.each([[undefined], [null], ['x'], [{}], [[]], [{ input: 7 }]])('%j is no outcome', (v) => {
    expect(() => openQuestions(v)).toThrow(refusal(/expected a result of parse/));
  });
});

describe('with the request', () => {
  const outcome = open('Change it.', 'How many?');
  const asked = [
    { role: 'user', content: 'Change it.' },
    { role: 'assistant', content: 'How many?' },
  ];
  const context = [{ role: 'tool', content: 'Order 000123.' }];

  test('messages stay in front', () => {
    const request = { input: 'Change it.', context };
    expect(followUp(outcome, '3', request)).toEqual({
      input: 'Change it.\n3',
      context: [...context, ...asked],
    });
    expect(request.context).toEqual([{ role: 'tool', content: 'Order 000123.' }]);
  });

  test('a text stays one', () => {
    const first = followUp(outcome, '3', { input: 'Change it.', context: 'Order 000123.' });
    expect(first.context).toBe('Order 000123.\n\nassistant: How many?');
    const second = followUp(open(first.input, 'When?'), 'Now.', first);
    expect(second).toEqual({
      input: 'Change it.\n3\nNow.',
      context: 'Order 000123.\n\nassistant: How many?\n\nassistant: When?',
    });
  });

  test.each([[''], [undefined], [[]]])('context %j is none', (none) => {
    expect(followUp(outcome, '3', { input: 'Change it.', context: none }).context).toEqual(asked);
  });

  test('many rounds repeat no message', () => {
    let request = { input: 'Change it.', context: [...context, { role: 'user', content: 'Hi.' }] };
    for (const answer of ['a1', 'a2', 'a3'])
      request = followUp(open(request.input, `q${answer}?`), answer, request);
    expect(request.input).toBe('Change it.\na1\na2\na3');
    expect(request.context.slice(2).map(({ content }) => content)).toEqual([
      ...['Change it.', 'qa1?', 'a1', 'qa2?', 'a2', 'qa3?'],
    ]);
  });

  test('fields, evidence and instance are taken over, signal and onCore are not', () => {
    const { signal } = new AbortController();
    const kept = { fields: ['orderId'], evidence: true, instance: 'orders' };
    const request = { input: 'Change it.', signal, onCore() {}, ...kept };
    expect(followUp(outcome, '3', request)).toEqual({
      input: 'Change it.\n3',
      context: asked,
      ...kept,
    });
  });

  test.each([
    ['another request', { input: 'Another.' }, /request\.input/],
    ['no plain object', 'Change it.', /request must be a plain object/],
    ['null', null, /request must be a plain object/],
    ['an unknown key', { input: 'Change it.', contxt: 'x' }, /unknown key "contxt"/],
    ['an inherited input', Object.create({ input: 'Change it.' }), /plain object/],
    [
      'a getter',
      {
        get input() {
          throw new Error('read');
        },
      },
      /not an accessor/,
    ],
    [
      'a getter in the context',
      {
        input: 'Change it.',
        context: [
          {
            role: 'user',
            get content() {
              throw new Error('read');
            },
          },
        ],
      },
      /context\[0\]\.content must be a value/,
    ],
    ['a huge context', { input: 'Change it.', context: new Array(2 ** 32 - 1) }, /at most/],
  ])('%s is refused', (_, request, message) => {
    expect(() => followUp(outcome, '3', request)).toThrow(refusal(message));
  });

  test('what everything inherits is no part of a request', () => {
    Object.prototype.context = 'of everything';
    Object.prototype.fields = ['of everything'];
    try {
      expect(Object.keys(followUp(outcome, '3', { input: 'Change it.' }))).toEqual([
        ...['input', 'context'],
      ]);
      expect(followUp(outcome, '3', { input: 'Change it.' }).context).toEqual(asked);
    } finally {
      delete Object.prototype.context;
      delete Object.prototype.fields;
    }
  });
});

test.each([
  ['an error without a partial result', new IntentError('MODEL_TIMEOUT'), 'x', /partialResult/],
  ['no result', undefined, 'x', /expected a result of parse/],
  ['nothing open', { input: 'x', intents: [{ status: 'ready' }] }, 'x', /nothing is open/],
  ['no answer', open('x', 'y?'), [], /not empty/],
  ['a blank answer', open('x', 'y?'), ['a', ' '], /answers\[1\]/],
  ['an answer that is no text', open('x', 'y?'), 7, /answers must be/],
  ['an answer too many', open('x', 'y?'), ['a', 'b'], /answers has 2 texts, and 1 questions/],
  ['an answer too few', open('x', 'y?', 'z?'), ['a'], /answers has 1 texts, and 2 questions/],
  ['too many questions', open('x', ...Array(10_001).keys()), 'a', /at most 10000/],
])('%s is refused', (_, outcome, answers, message) => {
  expect(() => followUp(outcome, answers)).toThrow(refusal(message));
});

describe('a whole dialogue', () => {
  const schema = {
    type: 'object',
    properties: {
      orderId: { type: 'string', pattern: '^\\d{6}$', description: 'The order number.' },
      quantity: { type: 'integer', minimum: 1, description: 'How many pieces.' },
    },
    required: ['orderId', 'quantity'],
  };
  const core = coreCandidate({ intents: [{ action: 'modify', target: 'the order' }] });
  const fault = (code, category, field, message) => ({
    ...{ code, category, path: `/data/${field}`, message },
  });
  const many = fault('DATA_REQUIRED_MISSING', 'business_information', 'quantity', 'How many?');
  const zero = fault('DATA_CONSTRAINT_VIOLATED', 'definition', 'quantity', 'At least one.');

  /** Answers each round with what `rounds` says of it, in the words of its own request. */
  const model = (rounds) => ({
    id: 'model',
    async generate({ stage, input: { currentInput: input, context } }) {
      const text =
        stage === 'core' ? core : dataCandidate({ schema, input, context, ...rounds.shift() });
      return { outcome: 'complete', text };
    },
  });
  const failure = (intent, request) =>
    intent.parse(request).then(
      () => undefined,
      (error) => error,
    );

  test.each([
    ['a text', 'Order 000123 has a problem.'],
    ['messages', [{ role: 'assistant', content: 'Order 000123 has a problem.' }]],
  ])('a value is quoted from the first context, %s, after a typo', async (_, context) => {
    const orderId = { orderId: '000123' };
    const executor = model([
      { data: orderId, issues: [many] },
      { data: orderId, issues: [zero] },
      { data: { ...orderId, quantity: 3 }, quotes: { '/quantity': '3' } },
    ]);
    const intent = new Intent({ schema, executor });
    let request = { input: 'Change it.', context, evidence: true };
    for (const answer of ['0 pieces', '3 pieces'])
      request = followUp(await failure(intent, request), [answer], request);
    const { input, data, evidence } = await intent.parse(request);
    expect(data).toEqual({ orderId: '000123', quantity: 3 });
    expect(evidence[0].spans[0]).toMatchObject({ source: 'context:0', quote: '000123' });
    // Positions are those of the whole input.
    const [{ source, start, end }] = evidence[1].spans;
    expect([source, input.slice(start, end)]).toEqual(['input', '3']);
    await intent.dispose();
  });

  test('an error that went through JSON, in another process or of a bridge', async () => {
    const input = 'Change order 000123.';
    const issues = { schema, input, data: { orderId: '000123' }, issues: [many] };
    const executor = scriptedExecutor([core, dataCandidate(issues)]);
    const intent = new Intent({ schema, executor });
    const error = await failure(intent, { input });
    const kept = JSON.parse(JSON.stringify({ outcome: error, request: { input } }));
    expect(kept.outcome).not.toBeInstanceOf(Error);
    expect(openQuestions(kept.outcome)).toEqual(['How many?']);
    expect(followUp(kept.outcome, '3', kept.request)).toEqual(followUp(error, '3', { input }));

    const session = createIntentBridge({ instances: { orders: intent } }).connect();
    const request = { instance: 'orders', input };
    let reply = session.prepare(request);
    for (const candidateText of [core, dataCandidate(issues)])
      reply = await session.accept({
        jobId: reply.jobId,
        stepToken: reply.stepToken,
        candidateText,
      });
    const next = session.prepare(followUp(reply.error, '3', request));
    expect(next.kind).toBe('task');
    await intent.dispose();
  });
});
