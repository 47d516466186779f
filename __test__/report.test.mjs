// The report of a recognition, through the public entry: calls, outcomes, tokens.

import { Intent, IntentError } from '@devcodex/intent-runtime';
import { afterEach, expect, test } from 'vitest';
import { core } from './hosts/candidate.mjs';

const sources = [{ sourceId: 'input', quote: '000123' }];
const data = (id = '000123') =>
  JSON.stringify({
    data: { id },
    evidence: [{ path: '/data/id', mode: 'exact', sources }],
    descriptionChecks: [],
    fieldResults: [{ path: '/data/id', status: 'extracted', explanation: 'It is named.' }],
    issues: [],
  });
const schema = { type: 'object', properties: { id: { type: 'string' } } };
const input = 'Query order 000123.';
const usage = { inputTokens: 10, outputTokens: 4, cachedInputTokens: 0, reasoningTokens: 1 };
const complete = (text, info = { usage }) => ({ outcome: 'complete', text, ...info });

const intents = [];
afterEach(() => Promise.all(intents.splice(0).map((intent) => intent.dispose())));

/** An Intent whose model gives these replies; a function is called, and its error thrown. */
const answering = (replies, config = {}) => {
  const rest = [...replies];
  const generate = async () => {
    const reply = rest.shift();
    return typeof reply === 'function' ? reply() : reply;
  };
  const intent = new Intent({ executor: { id: 'scripted', generate }, ...config });
  intents.push(intent);
  return intent;
};

const outcomes = ({ calls }) => calls.map(({ stage, repair, outcome }) => [stage, repair, outcome]);
const failed = async (intent, request = { input }) => {
  const error = await intent.parse(request).then(
    () => undefined,
    (thrown) => thrown,
  );
  expect(error).toBeInstanceOf(IntentError);
  return error;
};

test('two stages, with a repair in each', async () => {
  const intent = answering(
    [
      complete('{}', { usage, model: 'm-1', requestId: 'r-1' }),
      complete(core),
      complete(data('999999')),
      complete(data()),
    ],
    { schema },
  );
  const { result, report } = await intent.parseWithReport({ input });
  expect(result.data).toEqual({ id: '000123' });
  expect(outcomes(report)).toEqual([
    ['core', false, 'rejected'],
    ['core', true, 'accepted'],
    ['data', false, 'rejected'],
    ['data', true, 'accepted'],
  ]);
  const [first, second] = report.calls;
  expect(first).toMatchObject({ usage, model: 'm-1', requestId: 'r-1' });
  expect(first.faults).toContain('(root): the key "intents" is missing');
  expect(first.faults).toHaveLength(5);
  expect(Object.keys(second)).toEqual(['stage', 'repair', 'outcome', 'durationMs', 'usage']);
  expect(report.usage).toEqual({
    inputTokens: 40,
    outputTokens: 16,
    cachedInputTokens: 0,
    reasoningTokens: 4,
  });
  for (const call of report.calls)
    expect(report.durationMs).toBeGreaterThanOrEqual(call.durationMs);
});

test('parse gives the result alone, and parseWithReport the same result', async () => {
  const plain = await answering([complete(core)]).parse({ input });
  const { result } = await answering([complete(core)]).parseWithReport({ input });
  expect(result).toEqual(plain);
});

test('a sum is absent if a call did not report its number', async () => {
  const told = { inputTokens: 1, outputTokens: 2 };
  const sum = async (...usages) => {
    const [a, b] = usages.map((of) => (of === undefined ? {} : { usage: of }));
    const intent = answering([complete(core, a), complete(data(), b)], { schema });
    return (await intent.parseWithReport({ input })).report;
  };
  expect((await sum(told, told)).usage).toEqual({ inputTokens: 2, outputTokens: 4 });
  expect((await sum(told, { outputTokens: 0 })).usage).toEqual({ outputTokens: 2 });
  for (const unknown of [undefined, null, 7, {}, { inputTokens: -1, outputTokens: '2' }])
    expect('usage' in (await sum(told, unknown)), JSON.stringify(unknown)).toBe(false);
});

test('an error has its report', async () => {
  const faults = await failed(answering([complete('{}'), complete('[]')]));
  expect(faults.code).toBe('MODEL_OUTPUT_INVALID');
  expect(outcomes(faults.report)).toEqual([
    ['core', false, 'rejected'],
    ['core', true, 'rejected'],
  ]);
  expect(faults.report.calls[1].faults).toEqual(faults.faults);

  for (const outcome of ['refusal', 'incomplete']) {
    const { report } = await failed(answering([complete(core), { outcome, usage }], { schema }));
    expect(outcomes(report)).toEqual([
      ['core', false, 'accepted'],
      ['data', false, outcome],
    ]);
    expect(report.usage.inputTokens).toBe(20);
  }

  const thrown = await failed(
    answering([
      () => {
        throw new IntentError('MODEL_RATE_LIMITED');
      },
    ]),
  );
  expect(outcomes(thrown.report)).toEqual([['core', false, 'MODEL_RATE_LIMITED']]);

  const long = await failed(answering([complete(core)], { limits: { maxOutputBytes: 2 } }));
  expect(outcomes(long.report)).toEqual([['core', false, 'LIMIT_EXCEEDED']]);
});

test('the outcome of a call is the reason of its end', async () => {
  const never = () => new Promise(() => {});
  const late = await failed(answering([complete(core), never], { schema, timeoutMs: 50 }));
  expect(outcomes(late.report)).toEqual([
    ['core', false, 'accepted'],
    ['data', false, 'MODEL_TIMEOUT'],
  ]);
  const controller = new AbortController();
  const intent = answering([
    () => {
      controller.abort();
      return never();
    },
  ]);
  const aborted = await failed(intent, { input, signal: controller.signal });
  expect(outcomes(aborted.report)).toEqual([['core', false, 'MODEL_ABORTED']]);
});

test('a parse that failed before a question has no call', async () => {
  const { report } = await failed(answering([]), { input: ' ' });
  expect(report.calls).toEqual([]);
  expect('usage' in report).toBe(false);
  const aborted = await failed(answering([]), { input, signal: AbortSignal.abort() });
  expect(aborted.report.calls).toEqual([]);
});

test('a report is not printed, and not part of toJSON', async () => {
  const error = await failed(answering([complete('{}'), complete('{}')]));
  expect(Object.keys(error)).not.toContain('report');
  expect(JSON.stringify(error)).not.toContain('durationMs');
});

test('called without its object it rejects', async () => {
  const { parseWithReport } = Intent.prototype;
  await expect(parseWithReport.call({}, { input })).rejects.toMatchObject({
    code: 'INPUT_INVALID',
    message: expect.stringContaining('parseWithReport'),
  });
});
