import { coreCandidate, dataCandidate, scriptedExecutor } from '@devcodex/intent-runtime/testing';
import { expect, test } from 'vitest';
import { readOrder, schema } from './orders.mjs';

const core = coreCandidate({ intents: [{ action: 'modify', target: 'order' }] });

test('vitest: an order is read', async () => {
  const input = 'Change order 000123 to three pieces.';
  const data = dataCandidate({ schema, input, data: { orderId: '000123', quantity: 3 } });
  const executor = scriptedExecutor([core, data]);
  expect(await readOrder(executor, input)).toEqual({ orderId: '000123', quantity: 3 });
  expect(executor.requests.map(({ stage }) => stage)).toEqual(['core', 'data']);
});

test('vitest: what is missing is asked for', async () => {
  const input = 'Change my order.';
  const issues = [
    { code: 'DATA_REQUIRED_MISSING', path: '/data/orderId', message: 'Which order?' },
  ];
  const executor = scriptedExecutor([core, dataCandidate({ schema, input, issues })]);
  expect(await readOrder(executor, input)).toEqual({ ask: ['Which order?'] });
});
