'use strict';
// Built-in executors. An Intent runs such an executor without returning to JavaScript; `generate` is for callers
// that wrap it.

const { hasOwn } = Object;
const tls = require('node:tls');
const { IntentError, fromNative, isIntentError } = require('../errors.js');
const { readApiConfig } = require('../plain/api-config.js');
const { isAbortSignal } = require('../plain/request.js');
const addon = require('../addon.js');
const { begin, RESULT, theHost } = require('../addon-tasks.js');
const { buildOrThrow, fault } = require('../intent.js');
const { abortedBy, onAbort, throwIfAborted } = require('../abort.js');
const { jsonText } = require('../json.js');
const { property } = require('../properties.js');
const { registerApiExecutor } = require('../addon-executors.js');
const { mistake } = require('./envelope.js');
const { askForKey } = require('./key.js');

let rootsGiven = false;

/**
 * Passes Node's root certificates to the addon once. The addon uses them if it finds none on the system, which
 * it knows only when it makes a connection, on another thread.
 */
const fallbackRoots = () => {
  if (rootsGiven) return undefined;
  rootsGiven = true;
  return [...tls.rootCertificates];
};

const invalid = (message) => new IntentError('INPUT_INVALID', { message });

const textOf = (value, what) => {
  if (typeof value !== 'string') throw invalid(`request.${what} must be a string.`);
  if (!value.isWellFormed())
    throw invalid(`request.${what} holds a lone surrogate, which no text can carry.`);
  return value;
};

const jsonOf = (value, what) => {
  let text;
  try {
    text = jsonText(value);
  } catch (cause) {
    throw new IntentError('INPUT_INVALID', {
      message: `request.${what} must be JSON, but cannot be written as such.`,
      cause,
    });
  }
  if (text === undefined) throw invalid(`request.${what} must be JSON, got undefined.`);
  return text;
};

/** Reads the question: the first of each pair wins. */
const readQuestion = (request) => {
  if (typeof request !== 'object' || request === null) throw invalid('generate takes a request.');
  const member = (key) => property(request, key);
  const instructions = textOf(member('instructions'), 'instructions');
  const [payload, input, outputSchema] = ['payload', 'input', 'outputSchema'].map(member);
  const [format, stage, signal] = ['format', 'stage', 'signal'].map(member);
  const formatMember = (key) => (format == null ? undefined : property(format, key));
  const kind = formatMember('kind');
  if (signal !== undefined && !isAbortSignal(signal))
    throw invalid('request.signal must be an AbortSignal.');
  if (payload === undefined && input === undefined) {
    throw invalid('request needs payload or input.');
  }
  const content = payload === undefined ? jsonOf(input, 'input') : textOf(payload, 'payload');
  let schema;
  if (outputSchema !== undefined) schema = jsonOf(outputSchema, 'outputSchema');
  else if (kind === 'json_schema') schema = jsonOf(formatMember('schema'), 'format.schema');
  else if (kind !== 'json_object') {
    throw invalid(
      'request needs outputSchema, or a format of kind "json_schema" or "json_object".',
    );
  }
  const given = kind === 'json_schema' ? formatMember('name') : undefined;
  const name =
    typeof given === 'string' && given.isWellFormed()
      ? given
      : `intent_${stage === 'core' || stage === 'data' ? stage : 'candidate'}`;
  // As in the data stage: any JSON object; the instructions describe it.
  const described = kind === 'json_object';
  return { instructions, payload: content, name, schema, described, signal };
};

/** Calls {@link readQuestion}, which may throw if a getter or proxy of the caller throws. */
const questionOf = (request) => {
  try {
    return readQuestion(request);
  } catch (cause) {
    if (isIntentError(cause)) throw cause;
    const message = 'the request cannot be read: something of it threw.';
    throw new IntentError('INPUT_INVALID', { message, cause });
  }
};

class ApiExecutor {
  #native;
  #keyOf;

  static #made(value) {
    return typeof value === 'object' && value !== null && #native in value;
  }

  constructor(executor, keyOf) {
    this.#native = executor;
    this.#keyOf = keyOf;
    Object.defineProperty(this, 'id', { __proto__: null, value: executor.id, enumerable: true });
    // With an `apiKey` function, each question goes through `generate`.
    if (keyOf === undefined) registerApiExecutor(this, executor);
    Object.freeze(this);
  }

  async generate(request) {
    if (!ApiExecutor.#made(this)) {
      const message =
        'generate must be called on the executor that createApiExecutor made; to wrap it, call it from an object of your own.';
      throw new IntentError('CONFIG_INVALID', { message });
    }
    const { signal, ...question } = questionOf(request);
    throwIfAborted(signal);
    if (this.#keyOf !== undefined) {
      question.key = await askForKey(this.#keyOf, signal);
      throwIfAborted(signal);
    }
    return new Promise((resolve, reject) => {
      let id;
      let forget;
      const cancel = () => {
        ignoreSignal?.();
        forget();
        theHost().cancel(id);
        reject(abortedBy(signal));
      };
      const ignoreSignal = signal && onAbort(signal, cancel);
      const end = (kind, text) => {
        ignoreSignal?.();
        if (kind === RESULT) resolve(JSON.parse(text));
        else reject(fromNative(JSON.parse(text)));
      };
      try {
        begin({ end }, (host, task, forgetTask) => {
          id = task;
          forget = forgetTask;
          return host.generate(task, this.#native, question);
        });
      } catch (cause) {
        ignoreSignal?.();
        reject(fault('MODEL_REQUEST_FAILED', cause));
      }
    });
  }
}
// An Intent recognises these executors, so `generate` must behave like the addon.
Object.freeze(ApiExecutor.prototype);

exports.createApiExecutor = (config) => {
  const { json, unread, keyOf } = readApiConfig(config);
  const executor = buildOrThrow('CONFIG_INVALID', () =>
    addon.createApiExecutor(json, unread, fallbackRoots(), keyOf !== undefined),
  );
  return new ApiExecutor(executor, keyOf);
};

const readEnvelope = (protocol, name) => (envelope) => {
  const mistaken = mistake(envelope);
  if (mistaken !== undefined)
    throw new IntentError('MODEL_REQUEST_FAILED', { message: `${name} ${mistaken}.` });
  let text;
  try {
    text = jsonText(envelope);
  } catch (cause) {
    throw new IntentError('MODEL_REQUEST_FAILED', { message: 'The response is not JSON.', cause });
  }
  let read;
  try {
    read = JSON.parse(addon.readEnvelope(protocol, text ?? 'null'));
  } catch (cause) {
    throw fault('MODEL_REQUEST_FAILED', cause);
  }
  if (hasOwn(read, 'error')) throw fromNative(read.error);
  return read.reply;
};

exports.readCompletedResponse = readEnvelope(0, 'readCompletedResponse');
exports.readChatCompletion = readEnvelope(1, 'readChatCompletion');
