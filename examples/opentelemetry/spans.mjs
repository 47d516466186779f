// Creates OpenTelemetry spans for recognitions: one for each parse, with a child span for each question.
//
// Names and attributes follow the semantic conventions for generative AI, version 1.42.0 (in
// development): https://github.com/open-telemetry/semantic-conventions-genai. Other attributes begin with
// `intent_runtime.`. No attribute contains a text of the user or of the model.

import { AsyncLocalStorage } from 'node:async_hooks';
import { tracingChannel } from 'node:diagnostics_channel';
import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';

const question = tracingChannel('intent-runtime:question');
const parse = tracingChannel('intent-runtime:parse');

/** Returns the attributes that have a value. */
const known = (attributes) =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));

/** Returns the attributes of a question, and of its answer if there is one. */
const attributesOf = ({ stage, repair, outcome, model, requestId, usage = {} }) =>
  known({
    'gen_ai.response.model': model,
    'gen_ai.usage.input_tokens': usage.inputTokens,
    'gen_ai.usage.output_tokens': usage.outputTokens,
    'gen_ai.usage.cache_read.input_tokens': usage.cachedInputTokens,
    'gen_ai.usage.reasoning.output_tokens': usage.reasoningTokens,
    'intent_runtime.stage': stage,
    'intent_runtime.repair': repair,
    'intent_runtime.outcome': outcome,
    'intent_runtime.request_id': requestId,
  });

/** The context of the question during a call of an executor. */
const asking = new AsyncLocalStorage();

/**
 * Creates spans for every recognition of this process, until the returned function is called.
 *
 * @param {object} options
 * @param {string} options.provider - `gen_ai.provider.name`, such as `openai` or `deepseek`.
 * @param {string} [options.model] - `gen_ai.request.model`. Omit it if your instances ask several models.
 * @param {import('@opentelemetry/api').Tracer} [options.tracer]
 */
export const traceRecognitions = ({
  provider,
  model,
  tracer = trace.getTracer('intent-runtime'),
}) => {
  const request = known({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': provider,
    'gen_ai.request.model': model,
    'gen_ai.output.type': 'json',
  });
  const nameOfQuestion = model === undefined ? 'chat' : `chat ${model}`;

  // All events of one operation have the same message object; this map has the context with its span.
  const contexts = new WeakMap();
  const begin = (message, parent, name, options) => {
    const within = trace.setSpan(parent, tracer.startSpan(name, options, parent));
    contexts.set(message, within);
    return within;
  };
  /** Ends the span of an operation; only the code of an error is recorded. */
  const end = (message, attributes) => {
    const within = contexts.get(message);
    const span = within && trace.getSpan(within);
    if (span === undefined) return; // it began before the subscription
    span.setAttributes(attributes);
    if (message.error !== undefined) {
      span.setAttribute('error.type', message.error.code);
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
    span.end();
  };

  const ofParse = {
    start: (message) => begin(message, context.active(), 'intent_runtime.parse'),
    asyncEnd(message) {
      const { calls = [] } = message;
      end(message, {
        'intent_runtime.calls': calls.length,
        'intent_runtime.repairs': calls.filter(({ repair }) => repair).length,
      });
    },
  };
  const ofQuestion = {
    asyncEnd: (message) => end(message, attributesOf(message)),
  };
  const beginQuestion = (message) => {
    const parent = contexts.get(message.parse) ?? context.active();
    const attributes = { ...request, ...attributesOf(message) };
    return begin(message, parent, nameOfQuestion, { kind: SpanKind.CLIENT, attributes });
  };

  parse.subscribe(ofParse);
  question.subscribe(ofQuestion);
  question.start.bindStore(asking, beginQuestion);
  return () => {
    question.start.unbindStore(asking);
    question.unsubscribe(ofQuestion);
    parse.unsubscribe(ofParse);
  };
};

/**
 * Wraps an executor so that it runs inside the span of its question: the spans of its own requests are its
 * children. An executor of `createApiExecutor` does not need this, because its requests are made in the addon.
 */
export const insideSpans = (executor) => ({
  ...executor,
  generate: (request) =>
    context.with(asking.getStore() ?? context.active(), () => executor.generate(request)),
});
