// A dialogue: what stayed open and the user's answers make the next request.

import { expect, test } from 'vitest';
import { followUp, IntentDataError, IntentError } from '../js/index.js';

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

test('a missing field', () => {
  const issue = (category, message) => ({
    code: category === 'definition' ? 'DATA_CONSTRAINT_VIOLATED' : 'DATA_REQUIRED_MISSING',
    category,
    path: '/data/orderId',
    message,
  });
  const error = new IntentDataError('DATA_EXTRACTION_FAILED', {
    issues: [issue('business_information', 'Which order?'), issue('definition', 'Too long.')],
  });
  error.partialResult = { input: 'Where is it?', intents: [] };
  const { input, context } = followUp(error, '000123');
  expect(input).toBe('Where is it?\n000123');
  expect(context[1]).toEqual({ role: 'assistant', content: 'Which order?' });
});

test.each([
  ['an error without a partial result', new IntentError('MODEL_TIMEOUT'), 'x', /partialResult/],
  ['no result', undefined, 'x', /followUp takes/],
  ['nothing open', { input: 'x', intents: [{ status: 'ready' }] }, 'x', /nothing is open/],
  ['no answer', open('x', 'y?'), [], /not empty/],
  ['a blank answer', open('x', 'y?'), ['a', ' '], /answers\[1\]/],
  ['an answer that is no text', open('x', 'y?'), 7, /answers must be/],
])('%s is refused', (_, outcome, answers, message) => {
  expect(() => followUp(outcome, answers)).toThrow(
    expect.objectContaining({ code: 'INPUT_INVALID', message: expect.stringMatching(message) }),
  );
});
