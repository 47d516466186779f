// Objects of callers are read once: what answers differently the second time changes nothing, and what
// throws gives the one typed error.

import { Intent, IntentError } from '@devcodex/intent-runtime';
import { createApiExecutor } from '@devcodex/intent-runtime/adapters/api';
import { describe, expect, test } from 'vitest';
import { core } from './hosts/candidate.mjs';

const request = { input: 'Query order 000123.', fields: [] };
const complete = async () => ({ outcome: 'complete', text: core });

/** A getter that gives `value` once and throws `thrown` from then on. */
const once = (key, value, thrown, others = {}) => {
  let reads = 0;
  return Object.defineProperty({ ...others }, key, {
    enumerable: true,
    get: () => {
      if (reads++ > 0) throw thrown;
      return value;
    },
  });
};

describe('a getter that throws the second time', () => {
  test.each([null, undefined, 'text', new Error('boom')])(
    'the id of an executor (%s)',
    (thrown) => {
      const executor = once('id', 'x', thrown, { generate: complete });
      expect(() => new Intent({ executor })).not.toThrow();
    },
  );

  test.each(['outcome', 'text'])('%s of a reply', async (key) => {
    const reply = { outcome: 'complete', text: core };
    const generate = async () => once(key, reply[key], null, reply);
    const intent = new Intent({ executor: { id: 'x', generate } });
    expect((await intent.parse(request)).primaryIntent).toBe('Query order 000123');
  });

  test('the schema of a Standard Schema', () => {
    const json = { type: 'object', properties: { a: { type: 'string' } } };
    const standard = { version: 1, vendor: 'v', jsonSchema: { input: () => json } };
    const schema = once('~standard', standard, null);
    expect(() => new Intent({ schema })).not.toThrow();
  });
});

/** Makes an object with the shape of a signal that throws when `key` is read. */
const throwing = (key, thrown) =>
  new Proxy(AbortSignal.abort('why'), {
    get(signal, name) {
      if (name === key) throw thrown;
      const value = Reflect.get(signal, name);
      return typeof value === 'function' ? value.bind(signal) : value;
    },
  });

describe('a signal that throws', () => {
  const api = createApiExecutor({ provider: 'openai', model: 'm', apiKey: 'k' });
  const asked = { instructions: 'i', payload: 'p', format: { kind: 'json_object' } };

  test.each(['aborted', 'addEventListener', 'reason'])('%s, in parse', async (key) => {
    for (const thrown of [null, new Error('boom')]) {
      const intent = new Intent({ executor: { id: 'x', generate: complete } });
      const error = await intent
        .parse({ ...request, signal: throwing(key, thrown) })
        .then(expect.fail, (rejected) => rejected);
      expect(error).toBeInstanceOf(IntentError);
      expect(['INPUT_INVALID', 'MODEL_ABORTED']).toContain(error.code);
    }
  });

  test.each(['aborted', 'addEventListener', 'reason'])('%s, in generate', async (key) => {
    for (const thrown of [null, new Error('boom')]) {
      const error = await api
        .generate({ ...asked, signal: throwing(key, thrown) })
        .then(expect.fail, (rejected) => rejected);
      expect(error).toBeInstanceOf(IntentError);
      expect(['INPUT_INVALID', 'MODEL_ABORTED']).toContain(error.code);
    }
  });
});

describe('why a parse was aborted is its cause', () => {
  const silent = { id: 'x', generate: () => new Promise(() => {}) };

  test.each([
    ['an error', new Error('why')],
    ['a text', 'why'],
    ['nothing', undefined],
  ])('%s', async (_, reason) => {
    for (const before of [true, false]) {
      const controller = new AbortController();
      if (before) controller.abort(reason);
      const running = new Intent({ executor: silent }).parse({
        ...request,
        signal: controller.signal,
      });
      if (!before) controller.abort(reason);
      const error = await running.then(expect.fail, (rejected) => rejected);
      expect(error.code).toBe('MODEL_ABORTED');
      expect(error.cause).toBe(controller.signal.reason);
      expect(error.toJSON()).not.toHaveProperty('cause');
    }
  });
});
