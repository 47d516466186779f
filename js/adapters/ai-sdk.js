'use strict';
// Makes executors from language models of the Vercel AI SDK (https://ai-sdk.dev). They are recognised only
// by their shape: `LanguageModelV2` (AI SDK 5), `V3` (6) and `V4` (7) of `@ai-sdk/provider`.

const { throwIfAborted } = require('../abort.js');
const { IntentError, isIntentError } = require('../errors.js');
const { blank, kind, readMembers } = require('../plain/objects.js');
const { Refusal, refused } = require('../plain/refusal.js');
const { quoted } = require('../text.js');
const { readChatCompletion } = require('./api.js');

const VERSIONS = ['v2', 'v3', 'v4'];

// -----------------------------------------------------------------------------------------------
// Options

/** Reads a property of the caller's model, whose getters may throw. */
const ofModel = (model, name) => {
  try {
    return model[name];
  } catch (cause) {
    throw new Refusal(`model.${name} cannot be read: it threw`, { cause });
  }
};

const checkModel = (model) => {
  if ((typeof model !== 'object' && typeof model !== 'function') || model === null) {
    const hint =
      typeof model === 'string' ? '; call a provider with the name, as in openai(name)' : '';
    throw new Refusal(`model must be a language model of the AI SDK, got ${kind(model)}${hint}`);
  }
  const version = ofModel(model, 'specificationVersion');
  if (!VERSIONS.includes(version)) {
    const got = typeof version === 'string' ? quoted(version) : kind(version);
    const hint = version === 'v1' ? '; it is of AI SDK 4, update the provider package' : '';
    throw new Refusal(
      `model.specificationVersion must be one of ${VERSIONS.map(quoted).join(', ')}, got ${got}${hint}`,
    );
  }
  for (const name of ['provider', 'modelId']) {
    const text = ofModel(model, name);
    if (typeof text !== 'string' || !text.isWellFormed())
      throw new Refusal(`model.${name} must be a string, got ${kind(text)}`);
  }
  if (typeof ofModel(model, 'doGenerate') !== 'function')
    throw new Refusal('model.doGenerate must be a function');
};

/** Makes a frozen copy. */
const readProviderOptions = (given) => {
  if (given === undefined) return {};
  let copy;
  try {
    copy = JSON.parse(JSON.stringify(given));
  } catch (cause) {
    throw new Refusal('options.providerOptions must be JSON', { cause });
  }
  const plain = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!plain(copy))
    throw new Refusal(`options.providerOptions must be an object, got ${kind(given)}`);
  for (const [name, options] of Object.entries(copy))
    if (!plain(options))
      throw new Refusal(`options.providerOptions[${quoted(name)}] must be an object of options`);
  return copy;
};

const readOptions = (model, given) => {
  try {
    checkModel(model);
    const known = blank({ temperature: 0, maxOutputTokens: 0, providerOptions: 0 });
    const options = readMembers(given ?? {}, 'options', known);
    const { temperature, maxOutputTokens } = options;
    if (temperature !== undefined && !Number.isFinite(temperature))
      throw new Refusal(`options.temperature must be a number, got ${kind(temperature)}`);
    if (
      maxOutputTokens !== undefined &&
      !(Number.isSafeInteger(maxOutputTokens) && maxOutputTokens > 0)
    )
      throw new Refusal('options.maxOutputTokens must be a positive safe integer');
    return { ...options, providerOptions: readProviderOptions(options.providerOptions) };
  } catch (thrown) {
    throw refused(thrown, 'CONFIG_INVALID', 'options');
  }
};

// -----------------------------------------------------------------------------------------------
// The question

/**
 * The user's schema often does not fit the strict mode of OpenAI and others. These packages use strict mode
 * unless this option is `false`; each reads only its own key.
 */
const NOT_STRICT = Object.fromEntries(
  ['openai', 'azure', 'openaiCompatible', 'groq'].map((name) => [
    name,
    { strictJsonSchema: false },
  ]),
);

const providerOptionsOf = (stage, given) => {
  if (stage !== 'data') return given;
  const merged = { ...NOT_STRICT };
  for (const [name, options] of Object.entries(given))
    merged[name] = { ...merged[name], ...options };
  return merged;
};

/** Reads a request: the first of each pair wins, as for an executor of `createApiExecutor`. */
const questionOf = (request) => {
  const { stage, instructions, payload, input, outputSchema, format } = request;
  return {
    stage,
    instructions,
    payload: payload ?? JSON.stringify(input),
    schema: outputSchema ?? format?.schema,
    name: format?.name ?? (stage === undefined ? 'candidate' : `intent_${stage}`),
  };
};

/** Makes the call options. If a model says that it does not send a schema, it is appended to the instructions. */
const callOptions = (model, request, { temperature, maxOutputTokens, providerOptions }) => {
  const { stage, instructions, payload, schema, name } = questionOf(request);
  const unseen = schema !== undefined && model.supportsStructuredOutputs === false;
  const system = unseen
    ? `${instructions}\n\nOutput schema (JSON Schema): ${JSON.stringify(schema)}`
    : instructions;
  return {
    prompt: [
      { role: 'system', content: system },
      { role: 'user', content: [{ type: 'text', text: payload }] },
    ],
    responseFormat: schema === undefined ? { type: 'json' } : { type: 'json', schema, name },
    providerOptions: providerOptionsOf(stage, providerOptions),
    ...(temperature !== undefined && { temperature }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(request.signal !== undefined && { abortSignal: request.signal }),
  };
};

// -----------------------------------------------------------------------------------------------
// The answer

const failed = (message, more) => new IntentError('MODEL_REQUEST_FAILED', { message, ...more });

/** V2 has plain numbers; V3 and V4 have a total and its parts. */
const usageOf = (usage) => {
  const { inputTokens: input, outputTokens: output } = usage ?? {};
  const counts = {
    inputTokens: input?.total ?? input,
    outputTokens: output?.total ?? output,
    cachedInputTokens: input?.cacheRead ?? usage?.cachedInputTokens,
    reasoningTokens: output?.reasoning ?? usage?.reasoningTokens,
  };
  const known = Object.entries(counts).filter(([, n]) => Number.isSafeInteger(n) && n >= 0);
  return known.length > 0 ? { usage: Object.fromEntries(known) } : {};
};

/** Returns the text; reasoning, sources and files are ignored. */
const textOf = ({ content, structuredOutputText }) => {
  if (!Array.isArray(content)) throw failed("The model's result has no content.");
  if (content.some(({ type }) => type === 'tool-call'))
    throw failed('The model calls a tool, but none was offered.');
  if (typeof structuredOutputText === 'string') return structuredOutputText;
  return content
    .filter(({ type }) => type === 'text')
    .map(({ text }) => text)
    .join('');
};

/** The facts of a call for the report: tokens, the model that answered, the service's id of the request. */
const callFacts = ({ usage, response }) => {
  const model = response?.modelId;
  const requestId = requestIdOf(response?.headers);
  return {
    ...usageOf(usage),
    ...(typeof model === 'string' && { model }),
    ...(requestId !== undefined && { requestId }),
  };
};

const replyOf = (result) => {
  const { finishReason } = result;
  const reason = typeof finishReason === 'string' ? finishReason : finishReason?.unified;
  const facts = callFacts(result);
  if (reason === 'length') return { outcome: 'incomplete', detail: 'length', ...facts };
  if (reason === 'content-filter')
    return { outcome: 'refusal', detail: 'content-filter', ...facts };
  const text = textOf(result);
  if (reason !== 'stop') {
    const got = typeof reason === 'string' ? quoted(reason) : kind(reason);
    throw failed(`The model's finishReason must be "stop", got ${got}.`);
  }
  if (text === '') throw failed("The model's result has no text.");
  return { outcome: 'complete', text: unwrapped(text), ...facts };
};

/** Removes a block of thinking and a code fence from a text, by the rule for Chat Completions. */
const unwrapped = (text) => {
  // A lone surrogate is a fault of the candidate, which the check reports.
  if (!text.isWellFormed()) return text;
  const message = { role: 'assistant', content: text };
  return readChatCompletion({ choices: [{ message, finish_reason: 'stop' }] }).text;
};

// -----------------------------------------------------------------------------------------------
// Failures. An error of the AI SDK contains the request and the service's body, so it is never used as a
// cause. Of the body, only the three words are used that services put there for programs.

const WORD = /^[A-Za-z0-9_.-]{1,64}$/;

const header = (headers, ...names) => {
  for (const name of names) {
    const value = headers?.[name];
    if (typeof value === 'string') return value;
  }
  return undefined;
};

/** Reads seconds or a date, which is compared with the service's own clock (RFC 9110, section 10.2.3). */
const retryAfterMs = (headers) => {
  const precise = Number(header(headers, 'retry-after-ms') ?? Number.NaN);
  if (precise >= 0) return precise;
  const value = header(headers, 'retry-after');
  if (value === undefined) return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const now = Date.parse(header(headers, 'date') ?? '');
  const then = Date.parse(value);
  if (Number.isNaN(then)) return undefined;
  return Math.max(0, then - (Number.isNaN(now) ? Date.now() : now));
};

const wordsOf = (error) => {
  let body = error.data;
  try {
    body ??= JSON.parse(error.responseBody);
  } catch {
    // A body that is not JSON has no such words.
  }
  const reported = (Array.isArray(body) ? body[0] : body)?.error;
  const words = ['type', 'code', 'param']
    .map((name) => [name, reported?.[name]])
    .filter(([, word]) => typeof word === 'string' && WORD.test(word));
  return Object.fromEntries(words);
};

const requestIdOf = (headers) => header(headers, 'x-request-id', 'request-id');

/** Makes the `error.http` of a failed call. */
const httpOf = (error) => ({
  status: error.statusCode,
  requestId: requestIdOf(error.responseHeaders),
  retryAfterMs: retryAfterMs(error.responseHeaders),
  ...wordsOf(error),
});

const CODES = { 401: 'MODEL_AUTH_FAILED', 403: 'MODEL_AUTH_FAILED', 429: 'MODEL_RATE_LIMITED' };

const serviceFailed = (error) => {
  const http = httpOf(error);
  const { status } = http;
  const words = ['type', 'code', 'param'].flatMap((name) =>
    http[name] ? [`${name} ${http[name]}`] : [],
  );
  const detail = words.length > 0 ? ` (${words.join(', ')})` : '';
  const mend =
    status === 400 || status === 422
      ? ' If it refuses the schema, switch structured output off or change it with providerOptions of the provider package.'
      : '';
  return new IntentError(CODES[status] ?? 'MODEL_REQUEST_FAILED', {
    message: `The model service answered HTTP ${status}${detail}.${mend}`,
    http,
  });
};

/** The SDK marks its errors with registered symbols, so that several copies of it recognise each other's. */
const isSdkError = (thrown, name) =>
  thrown[Symbol.for(name === undefined ? 'vercel.ai.error' : `vercel.ai.error.${name}`)] === true;

const failureOf = (thrown) => {
  if (typeof thrown !== 'object' || thrown === null || isIntentError(thrown)) return thrown;
  if (!isSdkError(thrown)) return thrown;
  if (isSdkError(thrown, 'AI_APICallError')) {
    if (Number.isInteger(thrown.statusCode) && thrown.statusCode >= 300)
      return serviceFailed(thrown);
    if (thrown.statusCode === undefined)
      return failed('The model service could not be reached, or the connection broke.', {
        retryable: thrown.isRetryable === true,
      });
  }
  if (isSdkError(thrown, 'AI_LoadAPIKeyError'))
    return new IntentError('MODEL_AUTH_FAILED', {
      message:
        'The provider package of the AI SDK found no API key. Pass it one, or set its environment variable.',
    });
  const name = typeof thrown.name === 'string' && WORD.test(thrown.name) ? thrown.name : 'an error';
  return failed(`The provider package of the AI SDK failed with ${name}.`);
};

// -----------------------------------------------------------------------------------------------

exports.fromLanguageModel = (model, options) => {
  const read = readOptions(model, options);
  const generate = async (request) => {
    const signal = request.signal;
    throwIfAborted(signal);
    let result;
    try {
      result = await model.doGenerate(callOptions(model, request, read));
    } catch (thrown) {
      throwIfAborted(signal);
      throw failureOf(thrown);
    }
    return replyOf(result);
  };
  return Object.freeze({ id: `ai-sdk:${model.provider}:${model.modelId}`, generate });
};
