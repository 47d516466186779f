// Reports of native executors against a service with known usage, over both protocols.

import { Intent } from '@devcodex/intent-runtime';
import { createApiExecutor } from '@devcodex/intent-runtime/adapters/api';
import { fallback, retrying } from '@devcodex/intent-runtime/executors';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { core, INPUT, order, orderSchema } from './support/model.mjs';
import { chat, responses, startService, status } from './support/service.mjs';

let service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const envelopes = {
  responses: {
    make: (text) => responses(text),
    usage: (input, output) => ({ input_tokens: input, output_tokens: output }),
    refusal: () => {
      const body = responses('');
      body.output[1].content = [{ type: 'refusal', refusal: 'No.' }];
      return body;
    },
    incomplete: () =>
      responses('{', { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }),
  },
  'chat-completions': {
    make: (text) => chat(text),
    usage: (input, output) => ({ prompt_tokens: input, completion_tokens: output }),
    refusal: () => chat(null, {}, { refusal: 'No.' }),
    incomplete: () => chat('{', { finish_reason: 'length' }),
  },
};

const busy = (code, after = '0') => status(code, undefined, { 'retry-after': after });
const hang = () => {};
const cut = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '999' });
  response.write('{"id":', () => response.destroy());
};
const sum = (inputTokens, outputTokens) => ({ inputTokens, outputTokens });
const twice = (executor) => retrying(executor, { attempts: 2, maxDelayMs: 1000 });

describe.each(Object.keys(envelopes))('%s', (protocol) => {
  const { make, usage, refusal, incomplete } = envelopes[protocol];
  /** An answer with these tokens, its model and its request id. */
  const told = (body, tokens, id) => (_, response) => {
    const answer = { ...body, model: `model-${id}`, usage: tokens };
    response.writeHead(200, { 'content-type': 'application/json', 'x-request-id': `id-${id}` });
    response.end(JSON.stringify(answer));
  };
  const good = told(make(core()), usage(11, 7), 1);
  const last = told(make(order), usage(20, 3), 2);
  const first = ['core', false, 'accepted', sum(11, 7), 'model-1', 'id-1'];
  const second = ['data', false, 'accepted', sum(20, 3), 'model-2', 'id-2'];
  const without = (stage, outcome) => [stage, false, outcome, undefined, undefined, undefined];
  const two = (tokens, given) => [
    [good, told(make(order), tokens, 2)],
    [first, ['data', false, 'accepted', given, 'model-2', 'id-2']],
  ];

  // name, answers, calls, sum, and how the executor and the parse are made
  const rows = [
    ['two stages', [good, last], [first, second], sum(31, 10)],
    [
      'a repair in each stage',
      [told(make('{}'), usage(5, 1), 3), good, told(make('{}'), usage(6, 2), 4), last],
      [
        ['core', false, 'rejected', sum(5, 1), 'model-3', 'id-3'],
        ['core', true, ...first.slice(2)],
        ['data', false, 'rejected', sum(6, 2), 'model-4', 'id-4'],
        ['data', true, ...second.slice(2)],
      ],
      sum(42, 13),
    ],
    [
      'a refusal',
      [good, told(refusal(), usage(9, 2), 2)],
      [first, ['data', false, 'refusal', sum(9, 2), 'model-2', 'id-2']],
      sum(20, 9),
    ],
    [
      'an answer cut short',
      [told(incomplete(), usage(9, 2), 2)],
      [['core', false, 'incomplete', sum(9, 2), 'model-2', 'id-2']],
      sum(9, 2),
    ],
    ['no usage in one call', ...two(undefined, undefined), undefined],
    ['zero is known', ...two(usage(0, 0), sum(0, 0)), sum(11, 7)],
    ['usage in part', ...two(usage(undefined, 4), { outputTokens: 4 }), { outputTokens: 11 }],
    ['usage of strings', ...two(usage('20', '3'), undefined), undefined],
    ['negative usage', ...two(usage(-1, 3), { outputTokens: 3 }), { outputTokens: 10 }],
    ['usage with a fraction', ...two(usage(1.5, 3), { outputTokens: 3 }), { outputTokens: 10 }],
    [
      'the timeout of the parse',
      [good, hang],
      [first, without('data', 'MODEL_TIMEOUT')],
      undefined,
      { config: { timeoutMs: 2000 } },
    ],
    ['a signal', [hang], [without('core', 'MODEL_ABORTED')], undefined, { abortMs: 60 }],
    ['a closed connection', [cut], [without('core', 'MODEL_REQUEST_FAILED')], undefined],
    ['429', [busy(429)], [without('core', 'MODEL_RATE_LIMITED')], undefined],
    ['503', [busy(503)], [without('core', 'MODEL_REQUEST_FAILED')], undefined],
    ['429, retried', [busy(429), good, last], [first, second], sum(31, 10), { around: twice }],
    ['503, retried', [good, busy(503), last], [first, second], sum(31, 10), { around: twice }],
    [
      '429 with too long a pause',
      [busy(429, '60')],
      [without('core', 'MODEL_RATE_LIMITED')],
      undefined,
      { around: twice },
    ],
    [
      'fallback',
      [busy(503), good, last],
      [first, second],
      sum(31, 10),
      { around: (executor) => fallback([executor, executor]) },
    ],
  ];

  test.each(rows)('%s', async (_, answers, calls, total, how = {}) => {
    const { around = (executor) => executor, config, abortMs } = how;
    service.seen.length = 0;
    service.answers = [...answers];
    const { baseURL } = service;
    const options = { provider: 'openai', protocol, model: 'm', apiKey: 'k', baseURL };
    const executor = around(createApiExecutor(options));
    const intent = new Intent({ executor, schema: orderSchema, ...config });
    const controller = new AbortController();
    if (abortMs !== undefined) setTimeout(() => controller.abort(), abortMs);
    const request = { input: INPUT, signal: controller.signal };
    const { report } = await intent.parseWithReport(request).catch((error) => error);
    await intent.dispose();

    const facts = (call) => [
      call.stage,
      call.repair,
      call.outcome,
      call.usage,
      call.model,
      call.requestId,
    ];
    expect(report.calls.map(facts)).toEqual(calls);
    expect(report.usage).toEqual(total);
    expect('usage' in report).toBe(total !== undefined);
    expect(service.seen).toHaveLength(answers.length);
    for (const { durationMs } of report.calls) expect(durationMs).toBeGreaterThanOrEqual(0);
    const parts = report.calls.reduce((all, { durationMs }) => all + durationMs, 0);
    expect(parts).toBeLessThanOrEqual(report.durationMs + 1);
    expect(JSON.stringify(report)).not.toMatch(/000123|PROVIDER-SECRET|Query order/);
  });
});
