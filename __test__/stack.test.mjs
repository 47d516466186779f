// A rejection shows where parse was called.

import { expect, test } from 'vitest';
import { Intent } from '../js/index.js';

const intent = new Intent({
  executor: {
    id: 'late',
    async generate() {
      await new Promise((resolve) => setTimeout(resolve, 5));
      throw new Error('x');
    },
  },
});

const rejected = async (promise) => {
  try {
    await promise;
  } catch (error) {
    return error;
  }
};

async function theCaller(request) {
  return await intent.parse(request);
}

async function theReporter() {
  return await intent.parseWithReport({ input: ' ' });
}

test.each([
  ['of a model call', { input: 'x' }],
  ['of a request', { input: ' ' }],
])('%s', async (_, request) => {
  const { stack, code, message } = await rejected(theCaller(request));
  const [head, first] = stack.split('\n');
  expect(head).toBe(`IntentError [${code}]: ${message}`);
  expect(first).toContain('theCaller');
  expect(stack).toContain('stack.test.mjs');
  expect(stack).not.toContain('js/intent.js');
});

test('parseWithReport, too', async () => {
  const error = await theReporter().catch((thrown) => thrown);
  expect(error.stack.split('\n')[1]).toContain('theReporter');
});
