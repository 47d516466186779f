// node --test examples/testing/orders.node.mjs

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IntentError } from '@devcodex/intent-runtime';
import { coreCandidate, dataCandidate, scriptedExecutor } from '@devcodex/intent-runtime/testing';
import { readOrder, schema } from './orders.mjs';

const core = coreCandidate({ intents: [{ action: 'query', target: 'order 000123' }] });
const input = 'Query order 000123.';

test('an order is read', async () => {
  const data = dataCandidate({ schema, input, data: { orderId: '000123' } });
  assert.deepEqual(await readOrder(scriptedExecutor({ core, data }), input), { orderId: '000123' });
});

test('a busy service is an error of the caller', async () => {
  const executor = scriptedExecutor([new IntentError('MODEL_RATE_LIMITED')]);
  await assert.rejects(readOrder(executor, input), { code: 'MODEL_RATE_LIMITED' });
});
