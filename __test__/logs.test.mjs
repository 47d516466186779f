// Tests the content of an error in a log: its code and facts, and none of the words of the user or the model.

import { createRequire } from 'node:module';
import { Writable } from 'node:stream';
import { format, inspect } from 'node:util';
import { Intent, IntentDataError, IntentError } from '@devcodex/intent-runtime';
import { coreCandidate, dataCandidate, scriptedExecutor } from '@devcodex/intent-runtime/testing';
import { describe, expect, test } from 'vitest';

const pino = createRequire(createRequire(import.meta.url).resolve('fastify'))('pino');

const schema = {
  type: 'object',
  properties: {
    orderId: { type: 'string', description: 'The order number.' },
    quantity: { type: 'integer', description: 'How many pieces.' },
  },
  required: ['orderId', 'quantity'],
};
const input = 'Change order SECRET000123.';
const data = { orderId: 'SECRET000123' };
const core = coreCandidate({ intents: [{ action: 'modify', target: 'order SECRET000123' }] });
const issues = [
  {
    code: 'DATA_REQUIRED_MISSING',
    category: 'business_information',
    path: '/data/quantity',
    message: 'How many of SECRET000123?',
  },
];

const failure = async (texts) => {
  const intent = new Intent({ schema, executor: scriptedExecutor(texts), repairAttempts: 0 });
  try {
    return await intent.parse({ input }).then(
      () => undefined,
      (error) => error,
    );
  } finally {
    await intent.dispose();
  }
};

/** The lines that a pino logger writes, as Fastify's does. */
const logged = (write) => {
  const lines = [];
  const stream = new Writable({
    write(chunk, _, done) {
      lines.push(String(chunk));
      done();
    },
  });
  write(pino(stream));
  return lines.join('');
};

const missing = () => failure([core, dataCandidate({ schema, input, data, issues })]);
const refused = () => failure([core, '{"data":{"orderId":"SECRET000124"}}']);

describe.each([
  ['DATA_EXTRACTION_FAILED', missing],
  ['MODEL_OUTPUT_INVALID', refused],
])('%s', (code, make) => {
  test('printed or logged, it shows its code and not what was said', async () => {
    const error = await make();
    expect(error.code).toBe(code);
    expect(JSON.stringify(error.partialResult)).toContain('SECRET');
    const printed = [
      format(error),
      inspect(error, { depth: 10 }),
      logged((log) => log.error(error)),
      logged((log) => log.error({ err: error }, 'failed')),
      inspect({ cause: new Error('outer', { cause: error }) }, { depth: 10 }),
      JSON.stringify({ ...error }),
    ];
    for (const text of printed) {
      expect(text).toContain(code);
      expect(text).not.toContain('SECRET');
    }
  });

  test('a program reads every member, and toJSON() has them', async () => {
    const error = await make();
    const json = JSON.parse(JSON.stringify(error));
    expect(json.partialResult).toEqual(error.partialResult);
    expect(json.issues).toEqual(error.issues);
    for (const key of ['issues', 'partialResult']) expect(Object.hasOwn(error, key)).toBe(true);
    expect(error).toMatchObject({ code, partialResult: { input, data: {} } });
  });
});

test('the members of the two classes that hold words', async () => {
  const error = await missing();
  expect(error).toBeInstanceOf(IntentDataError);
  expect(error).toMatchObject({ data, issues, missing: ['/data/quantity'] });
  expect(Object.keys(error)).toEqual(['code', 'stage', 'retryable', 'missing']);
  expect((await refused()).faults.join('\n')).toContain('data');
});

test('two errors that say the same are equal, and others are not', async () => {
  const [one, same, other] = [await missing(), await missing(), await refused()];
  expect(one).toEqual(same);
  expect(one).not.toEqual(other);
});

describe('an option that an error does not have', () => {
  test('is named in the message', () => {
    expect(new IntentError('MODEL_REQUEST_FAILED', { message: 'No.', htpp: 1 }).message).toBe(
      'No. (This IntentError was made with unknown option "htpp" (did you mean "http"?).)',
    );
    const long = new IntentError('MODEL_TIMEOUT', { ['x\n'.repeat(1e5)]: 1 });
    expect(long.message.length).toBeLessThan(1000);
  });

  test('members of an error, its JSON and an error as options are none', () => {
    const error = new IntentDataError('DATA_EXTRACTION_FAILED', { data: {}, missing: [] });
    const custom = Object.assign(new IntentError('MODEL_TIMEOUT'), { attempt: 3 });
    for (const options of [error, error.toJSON(), { ...error }, custom, [], () => {}])
      expect(new IntentError('MODEL_TIMEOUT', options).message).not.toContain('unknown option');
  });

  test('inherited ones are none', () => {
    Object.prototype.htpp = 1;
    try {
      expect(new IntentError('MODEL_TIMEOUT', {}).message).not.toContain('htpp');
    } finally {
      delete Object.prototype.htpp;
    }
  });
});
