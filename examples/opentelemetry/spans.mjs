// Spans of OpenTelemetry for recognitions: one for each parse, and one below it for each question.
//
// Names and attributes follow the semantic conventions for generative AI, version 1.42.0 (in
// development): https://github.com/open-telemetry/semantic-conventions-genai. What they have no name
// for begins with `intent_runtime.`. No attribute holds a text of the user or of the model.

import { AsyncLocalStorage } from 'node:async_hooks';
import { tracingChannel } from 'node:diagnostics_channel';
import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';

const question = tracingChannel('intent-runtime:question');
const parse = tracingChannel('intent-runtime:parse');

/** The attributes that have a value. */
const known = (attributes) =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));

/** What is known of a question, and of its answer once there is one. */
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

/** The context of the question that an executor is asked in. */
const asking = new AsyncLocalStorage();

/**
 * Makes spans of every recognition of this process, until the function that it returns is called.
 *
 * @param {object} options
 * @param {string} options.provider - `gen_ai.provider.name`, such as `openai` or `deepseek`.
 * @param {string} [options.model] - `gen_ai.request.model`. Leave it out where instances ask several models.
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

  // All events of one operation carry the same message; here is the context with its span.
  const contexts = new WeakMap();
  const begin = (message, parent, name, options) => {
    const within = trace.setSpan(parent, tracer.startSpan(name, options, parent));
    contexts.set(message, within);
    return within;
  };
  /** Ends the span of an operation; an error is told by its code alone. */
  const end = (message, attributes) => {
    const within = contexts.get(message);
    const span = within && trace.getSpan(within);
    if (span === undefined) return; // it began before anybody listened
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
 * The same executor, run inside the span of its question: the spans of its own requests stand below
 * it. An executor of `createApiExecutor` needs none: its requests are made in the addon.
 */
export const insideSpans = (executor) => ({
  ...executor,
  generate: (request) =>
    context.with(asking.getStore() ?? context.active(), () => executor.generate(request)),
});
