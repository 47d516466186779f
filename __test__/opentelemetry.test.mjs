// The spans of examples/opentelemetry, by the official SDK with an exporter in memory.

import { Intent, IntentError } from '@devcodex/intent-runtime';
import { createApiExecutor } from '@devcodex/intent-runtime/adapters/api';
import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node';
import * as conventions from '@opentelemetry/semantic-conventions/incubating';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { insideSpans, traceRecognitions } from '../examples/opentelemetry/spans.mjs';
import { serve } from './docs/stand-in.mjs';
import { core, failure, INPUT, order, orderSchema } from './support/model.mjs';
import { runNode } from './support/process.mjs';
import { chat, startService, status } from './support/service.mjs';

const exporter = new InMemorySpanExporter();
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
provider.register();
const tracer = trace.getTracer('test');
afterAll(() => provider.shutdown());

const CONVENTIONS = new Set(Object.values(conventions));
const DETAIL = 'SECRET words of the model';
const TEXTS = ['000123', 'Query', 'SECRET'];

const after = [];
beforeEach(() => {
  exporter.reset();
  after.push(traceRecognitions({ provider: 'openai', model: 'm-1' }));
});
afterEach(async () => {
  for (const undo of after.splice(0).reverse()) await undo();
});

const intentOf = (executor, config) => {
  const intent = new Intent({ executor, schema: orderSchema, ...config });
  after.push(() => intent.dispose());
  return intent;
};

const usage = { inputTokens: 11, outputTokens: 7 };
const never = () => new Promise(() => {});

/** An executor of JavaScript that gives these replies, each with a span of its own request. */
const inJavaScript = (...replies) => {
  const rest = [...replies];
  return insideSpans({
    id: 'scripted',
    async generate() {
      const request = tracer.startSpan('POST');
      try {
        const reply = rest.shift();
        if (typeof reply === 'function') return await reply();
        return typeof reply === 'string'
          ? { outcome: 'complete', text: reply, usage, model: 'm-1-0613', requestId: 'req-1' }
          : reply;
      } finally {
        request.end();
      }
    },
  });
};

/** The same by an executor of the addon. */
const inTheAddon = async (...replies) => {
  const service = await startService();
  after.push(() => service.close());
  const of = (reply) => (typeof reply === 'string' ? { ...chat(reply), model: 'm-1-0613' } : reply);
  service.answers.push(
    ...replies.map((reply) =>
      typeof reply === 'function' ? reply : status(200, of(reply), { 'x-request-id': 'req-1' }),
    ),
  );
  const { baseURL } = service;
  const options = { provider: 'openai', protocol: 'chat-completions', model: 'm-1', baseURL };
  return createApiExecutor(options);
};

const KINDS = [
  ['an executor of JavaScript', inJavaScript, { outcome: 'refusal', detail: DETAIL, usage }],
  ['an executor of the addon', inTheAddon, chat(null, {}, { refusal: DETAIL })],
];

/** The spans that ended: those of recognitions, each with its questions in order. */
const trees = () => {
  const spans = exporter.getFinishedSpans();
  const below = (parent) =>
    spans.filter((span) => span.parentSpanContext?.spanId === parent.spanContext().spanId);
  const recognitions = spans.filter(({ name }) => name === 'intent_runtime.parse');
  return recognitions.map((parse) => ({
    parse,
    questions: below(parse).map((question) => ({ question, requests: below(question) })),
  }));
};
const of = (span, name) => span.attributes[`intent_runtime.${name}`];
const stages = (questions) =>
  questions.map(({ question }) => [
    of(question, 'stage'),
    of(question, 'repair'),
    of(question, 'outcome'),
  ]);

/** No text of the user or the model anywhere in what is exported; names are those of the conventions. */
afterEach(() => {
  for (const { attributes, name, events, status, links } of exporter.getFinishedSpans()) {
    const told = JSON.stringify({ attributes, name, events, status, links });
    for (const text of TEXTS) expect(told).not.toContain(text);
    for (const key of Object.keys(attributes))
      expect(CONVENTIONS.has(key) || key.startsWith('intent_runtime.'), key).toBe(true);
  }
});

describe.each(KINDS)('%s', (_, executor, refusal) => {
  test('one span for a parse, one below it for each question', async () => {
    const intent = intentOf(await executor(core(), '{}', order));
    await intent.parse({ input: INPUT });
    const [{ parse, questions }, ...others] = trees();
    expect(others).toEqual([]);
    expect(exporter.getFinishedSpans().filter(({ name }) => name !== 'POST')).toHaveLength(4);
    expect(parse.kind).toBe(SpanKind.INTERNAL);
    expect(parse.parentSpanContext).toBeUndefined();
    expect(parse.status.code).toBe(SpanStatusCode.UNSET);
    expect(parse.attributes).toEqual({ 'intent_runtime.calls': 3, 'intent_runtime.repairs': 1 });
    expect(stages(questions)).toEqual([
      ['core', false, 'accepted'],
      ['data', false, 'rejected'],
      ['data', true, 'accepted'],
    ]);
    for (const { question } of questions) {
      expect(question.name).toBe('chat m-1');
      expect(question.kind).toBe(SpanKind.CLIENT);
      expect(question.status.code).toBe(SpanStatusCode.UNSET);
      expect(question.ended).toBe(true);
    }
    expect(questions[2].question.attributes).toEqual({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'm-1',
      'gen_ai.output.type': 'json',
      'gen_ai.response.model': 'm-1-0613',
      'gen_ai.usage.input_tokens': 11,
      'gen_ai.usage.output_tokens': 7,
      'intent_runtime.stage': 'data',
      'intent_runtime.repair': true,
      'intent_runtime.outcome': 'accepted',
      'intent_runtime.request_id': 'req-1',
    });
  });

  test('a parse that fails has its error code', async () => {
    const intent = intentOf(await executor(core(), refusal));
    await failure(intent.parse({ input: INPUT }), 'MODEL_REFUSED');
    const [{ parse, questions }] = trees();
    expect(parse.status).toEqual({ code: SpanStatusCode.ERROR });
    expect(parse.attributes['error.type']).toBe('MODEL_REFUSED');
    expect(stages(questions)).toEqual([
      ['core', false, 'accepted'],
      ['data', false, 'refusal'],
    ]);
    // A refusal is an answer: the question itself did not fail.
    expect(questions[1].question.status.code).toBe(SpanStatusCode.UNSET);
    expect(questions[1].question.attributes).not.toHaveProperty(['error.type']);
    expect(questions[1].question.attributes['gen_ai.usage.output_tokens']).toBe(7);
  });

  test('a question without an answer has an error, too', async () => {
    const limited = () => Promise.reject(new IntentError('MODEL_RATE_LIMITED'));
    const intent = intentOf(await executor(executor === inJavaScript ? limited : status(429)));
    await failure(intent.parse({ input: INPUT }), 'MODEL_RATE_LIMITED');
    const [{ parse, questions }] = trees();
    expect(questions).toHaveLength(1);
    for (const span of [parse, questions[0].question]) {
      expect(span.status).toEqual({ code: SpanStatusCode.ERROR });
      expect(span.attributes['error.type']).toBe('MODEL_RATE_LIMITED');
    }
    expect(questions[0].question.attributes).not.toHaveProperty(['gen_ai.usage.input_tokens']);
  });

  test('a parse that is aborted, timed out or disposed of ends all its spans', async () => {
    const ends = {
      MODEL_ABORTED: ({ controller }) => controller.abort(),
      MODEL_TIMEOUT: () => {},
      INSTANCE_DISPOSED: ({ intent }) => intent.dispose(),
    };
    for (const [code, stop] of Object.entries(ends)) {
      exporter.reset();
      const controller = new AbortController();
      const intent = intentOf(await executor(core(), never), {
        timeoutMs: code === 'MODEL_TIMEOUT' ? 300 : 0,
      });
      const onCore = () => setTimeout(() => stop({ controller, intent }), 20);
      const { signal } = controller;
      await failure(intent.parse({ input: INPUT, signal, onCore }), code);
      const [{ parse, questions }] = trees();
      expect(stages(questions)).toEqual([
        ['core', false, 'accepted'],
        ['data', false, code],
      ]);
      expect(parse.attributes['error.type']).toBe(code);
      expect(questions[1].question.attributes['error.type']).toBe(code);
    }
  });

  test('a request that is refused has a span without questions', async () => {
    const intent = intentOf(await executor());
    await failure(intent.parse({ input: ' ' }), 'INPUT_INVALID');
    const [{ parse, questions }] = trees();
    expect(questions).toEqual([]);
    expect(parse.attributes).toEqual({
      'error.type': 'INPUT_INVALID',
      'intent_runtime.calls': 0,
      'intent_runtime.repairs': 0,
    });
  });

  test('parses at the same time keep their own parents', async () => {
    const intents = await Promise.all(
      Array.from({ length: 20 }, async () => intentOf(await executor(core(), '{}', order))),
    );
    await Promise.all(
      intents.map((intent, i) => {
        const caller = tracer.startSpan('caller', { attributes: { 'intent_runtime.caller': i } });
        return context.with(trace.setSpan(context.active(), caller), async () => {
          await intent.parse({ input: INPUT });
          caller.end();
        });
      }),
    );
    const callers = exporter.getFinishedSpans().filter(({ name }) => name === 'caller');
    const found = trees();
    expect(found).toHaveLength(20);
    const parents = found.map(({ parse }) => parse.parentSpanContext.spanId).sort();
    expect(parents).toEqual(callers.map((caller) => caller.spanContext().spanId).sort());
    for (const { parse, questions } of found) {
      expect(stages(questions).map(([stage, repair]) => [stage, repair])).toEqual([
        ['core', false],
        ['data', false],
        ['data', true],
      ]);
      for (const { question, requests } of questions) {
        expect(question.spanContext().traceId).toBe(parse.spanContext().traceId);
        expect(requests).toHaveLength(executor === inJavaScript ? 1 : 0);
      }
    }
  });
});

test('parses of one instance that wait for each other keep their own parents', async () => {
  const generate = async ({ stage }) => {
    tracer.startSpan('POST').end();
    return { outcome: 'complete', text: stage === 'core' ? core() : order };
  };
  const intent = intentOf(insideSpans({ id: 'e', generate }), {
    limits: { maxConcurrentParses: 2, maxQueuedParses: 18 },
  });
  await Promise.all(
    Array.from({ length: 20 }, () =>
      tracer.startActiveSpan('caller', async (caller) => {
        await intent.parse({ input: INPUT });
        caller.end();
      }),
    ),
  );
  const found = trees();
  expect(new Set(found.map(({ parse }) => parse.parentSpanContext.spanId)).size).toBe(20);
  for (const { questions } of found) {
    expect(questions.map(({ requests }) => requests.length)).toEqual([1, 1]);
  }
});

test('after it was stopped nothing is made, and a parse that went on ends nothing twice', async () => {
  const stop = after.pop();
  let release;
  const held = new Promise((resolve) => {
    release = resolve;
  });
  const intent = intentOf(
    inJavaScript(async () => {
      await held;
      return { outcome: 'complete', text: core() };
    }),
    { schema: undefined },
  );
  const running = intent.parse({ input: INPUT });
  stop();
  release();
  await running;
  await intentOf(inJavaScript(core(), order)).parse({ input: INPUT });
  expect(trees()).toEqual([]);
});

test('main.mjs prints its spans', { timeout: 60_000 }, async () => {
  const standIn = await serve();
  after.push(() => standIn.close());
  const env = { INTENT_BASE_URL: standIn.url, INTENT_MODEL: 'm', INTENT_API_KEY: 'k' };
  const ran = await runNode(['examples/opentelemetry/main.mjs', 'Query order 000123.'], { env });
  expect([ran.stderr, ran.code]).toEqual(['', 0]);
  for (const part of ["name: 'chat m'", "name: 'intent_runtime.parse'", "'query'"])
    expect(ran.stdout).toContain(part);
});
