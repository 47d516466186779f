// A model that says what a test wants it to say, and what such a test asks again and again.

import { Intent, IntentDataError, IntentError } from '@devcodex/intent-runtime';
import { expect } from 'vitest';

export const INPUT = 'Query order 000123.';

export const noBlockers = {
  clarificationReason: null,
  questions: [],
  confirmationReason: null,
  conditionReason: null,
};

/** A core candidate as an object. */
export const coreOf = (over = {}) => ({
  normalizedInput: 'Query order 000123.',
  primaryIntent: 'Query order 000123',
  requirements: [],
  prohibitions: [],
  intents: [{ action: 'query', target: 'order 000123', requirements: [], blockers: noBlockers }],
  ...over,
});
export const core = (over) => JSON.stringify(coreOf(over));

export const sources = [{ sourceId: 'input', quote: '000123' }];
const token = (name) => String(name).replaceAll('~', '~0').replaceAll('/', '~1');

/** The pointers of the leaves of a value. */
const leaves = (value, path) => {
  if (value === null || typeof value !== 'object') return [path];
  const keys = Object.keys(value);
  if (keys.length === 0) return path === '/data' ? [] : [path];
  return keys.flatMap((key) => leaves(value[key], `${path}/${token(key)}`));
};

/** A data candidate for `data`, with evidence for each leaf, as an object. */
export const dataOf = (data, { fields = Object.keys(data), described = [], ...over } = {}) => ({
  data,
  evidence: leaves(data, '/data').map((path) => ({ path, mode: 'semantic', sources })),
  descriptionChecks: described.map((path) => ({
    path,
    verdict: 'satisfied',
    explanation: 'stated',
    sources,
  })),
  fieldResults: fields.map((field) => ({
    path: `/data/${token(field)}`,
    status: Object.hasOwn(data, field) ? 'extracted' : 'not_provided',
    explanation: 'as stated',
  })),
  issues: [],
  ...over,
});
export const data = (...args) => JSON.stringify(dataOf(...args));

export const orderSchema = {
  type: 'object',
  properties: { orderId: { type: 'string' } },
  required: ['orderId'],
};
/** A schema that strict mode does not take: a description, a bound, and a field that may be left out. */
export const looseSchema = {
  type: 'object',
  properties: {
    orderId: {
      type: 'string',
      minLength: 6,
      description: 'Number of the order; keep leading zeros.',
    },
    note: { type: 'string', description: 'A remark, if there is one.' },
  },
  required: ['orderId'],
};
export const order = data({ orderId: '000123' });

export const complete = (text) => ({ outcome: 'complete', text });

/**
 * An executor that gives these answers in turn, and notes the requests. A string is the text of
 * a complete reply, a function is called with the request, anything else is the reply.
 */
export const scripted = (...answers) => {
  const requests = [];
  return {
    id: 'scripted',
    requests,
    async generate(request) {
      requests.push(request);
      const answer = answers[requests.length - 1];
      if (typeof answer === 'function') return answer(request);
      return typeof answer === 'string' ? complete(answer) : answer;
    },
  };
};

/** An executor that runs this function. */
export const executing = (generate) => ({ id: 'executing', generate });

/** One parse on an instance of its own. */
export const parseWith = async (executor, { request, ...config } = {}) => {
  const intent = new Intent({ executor, ...config });
  try {
    return await intent.parse(request ?? { input: INPUT });
  } finally {
    await intent.dispose();
  }
};

/** The typed error that a promise is rejected with. */
export const failure = async (promise, code, stage, message) => {
  const error = await promise.then(
    (value) => expect.fail(`want ${code}, got ${JSON.stringify(value).slice(0, 200)}`),
    (thrown) => thrown,
  );
  return typed(error, code, stage, message);
};

/** The typed error that a call throws. */
export const refusal = (call, code, stage, message) => {
  try {
    call();
  } catch (error) {
    return typed(error, code, stage, message);
  }
  return expect.fail(`want ${code}, nothing was thrown`);
};

const typed = (error, code, stage, message) => {
  expect(error).toBeInstanceOf(IntentError);
  expect(`${error.code}/${error.stage}`, error.message).toBe(`${code}/${stage ?? error.stage}`);
  expect(error instanceof IntentDataError).toBe(code === 'DATA_EXTRACTION_FAILED');
  if (message !== undefined) expect(error.message).toMatch(message);
  return error;
};

/** A promise with its ends outside. */
export const deferred = () => {
  const ends = {};
  ends.promise = new Promise((resolve, reject) => Object.assign(ends, { resolve, reject }));
  return ends;
};

/** Waits long enough for a macrotask and the tasks that it starts. */
export const turn = () => new Promise((resolve) => setImmediate(resolve));
