// One session that any client has to get through: two stages, a repair of each, a replay, a
// cancellation, and mistakes that are tool results.

import { expect } from 'vitest';
import { core, data, ordersConfig, submission } from './mcp.mjs';

/** The text of a configuration with the instance that {@link goRound} uses. */
export const sessionConfig = `export default { instances: { orders: ${JSON.stringify(ordersConfig)} } };`;

export const input = '查询订单 000123';

/** Goes through it; `call(name, args)` gives a tool's reply, `structuredContent`. */
export const goRound = async (call) => {
  const accept = (task, text) => call('intent_accept', submission(task, text));
  const prepare = (args) => call('intent_prepare', { instance: 'orders', input, ...args });

  const first = await prepare({ context: [{ role: 'user', content: '你好' }] });
  expect(first).toMatchObject({
    kind: 'task',
    stage: 'core',
    format: { kind: 'json_schema', name: 'intent_core' },
  });
  expect(JSON.parse(first.payload)).toMatchObject({
    structuredLanguage: 'zh-CN',
    currentInput: input,
  });

  const rejected = '{"normalizedInput":""}';
  const repair = await accept(first, rejected);
  expect(repair).toMatchObject({ kind: 'task', stage: 'core', jobId: first.jobId });
  expect(repair.stepToken).not.toBe(first.stepToken);
  expect(JSON.parse(repair.payload)).toHaveProperty('repair');
  expect(await accept(first, rejected)).toEqual(repair);
  expect((await accept(first, core)).error.code).toBe('BRIDGE_STEP_CONFLICT');

  const second = await accept(repair, core);
  expect(second).toMatchObject({ kind: 'task', stage: 'data', format: { kind: 'json_object' } });
  const mend = await accept(second, data('999999'));
  expect(mend).toMatchObject({ kind: 'task', stage: 'data' });
  expect(JSON.parse(mend.payload)).toHaveProperty('repair');

  const end = await accept(mend, data());
  expect(end.kind).toBe('result');
  expect(end.result).toMatchObject({
    input,
    data: { orderId: '000123' },
    intents: [{ id: 'i1', action: 'query' }],
  });
  expect(await accept(mend, data())).toEqual(end);
  expect(await call('intent_cancel', { jobId: first.jobId })).toEqual(end);

  const unwanted = await prepare({ fields: [] });
  const cancelled = await call('intent_cancel', {
    jobId: unwanted.jobId,
    outcome: 'refusal',
    detail: 'no',
  });
  expect(cancelled.error).toMatchObject({ code: 'MODEL_REFUSED', stage: 'core' });
  expect((await accept(unwanted)).error.code).toBe('BRIDGE_STEP_CONFLICT');

  expect((await prepare({ instance: 'none' })).error.code).toBe('INPUT_INVALID');
  expect((await prepare({ fields: ['nope'] })).error.code).toBe('UNKNOWN_FIELD');
  expect(
    (await call('intent_accept', { jobId: 'x', stepToken: 'y', candidateText: core })).error.code,
  ).toBe('BRIDGE_JOB_NOT_FOUND');
};
