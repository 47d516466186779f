// Runs in a VM context of a test runner: its objects are of another realm than Node's own.
import { Intent, IntentError } from '@devcodex/intent-runtime';
import { createIntentBridge } from '@devcodex/intent-runtime/bridge';
import { expect, test } from 'vitest';
import { core, executor } from './candidate.mjs';

export const guest = () => {
  test('a parse', async () => {
    const intent = new Intent({ executor, limits: { maxIntentCount: 3 } });
    const result = await intent.parse({ input: 'Query order 000123.', context: [], fields: [] });
    expect(result.primaryIntent).toBe('Query order 000123');
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
  });

  test('an error is of this context', async () => {
    const intent = new Intent({ executor });
    const error = await intent.parse({ input: ' ' }).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(IntentError);
    expect(error).toBeInstanceOf(Error);
    expect(error.code).toBe('INPUT_INVALID');
  });

  test('a bridge', async () => {
    const session = createIntentBridge({ instances: { orders: new Intent({}) } }).connect();
    const { jobId, stepToken } = session.prepare({ instance: 'orders', input: 'Query it.' });
    const reply = await session.accept({ jobId, stepToken, candidateText: core });
    expect(reply.kind).toBe('result');
  });
};
