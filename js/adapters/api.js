'use strict';
// Built-in executors. An Intent that is given one runs it without coming back to JavaScript;
// `generate` is for callers that wrap it.

const tls = require('node:tls');
const { IntentError, fromNative, isIntentError } = require('../errors.js');
const { isAbortSignal, readApiConfig } = require('../plain.js');
const { native, begin, RESULT, theHost } = require('../host.js');
const { builtOr, fault } = require('../intent.js');
const { onAbort } = require('../abort.js');
const { registerApiExecutor } = require('../native-executors.js');
const { mistake } = require('./envelope.js');
const { askForKey } = require('./key.js');

let rootsGiven = false;

/**
 * Node's own roots, which the addon uses where it finds none on the system. Whether it does is seen
 * only when a connection is made, on another thread; so they are handed over once.
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
    text = JSON.stringify(value);
  } catch (cause) {
    throw new IntentError('INPUT_INVALID', { message: `request.${what} is no JSON.`, cause });
  }
  if (text === undefined) throw invalid(`request.${what} is no JSON.`);
  return text;
};

/** What is asked: the first of each pair wins. */
const readQuestion = (request) => {
  if (typeof request !== 'object' || request === null) throw invalid('generate takes a request.');
  const instructions = textOf(request.instructions, 'instructions');
  const { payload, input, format, outputSchema, stage, signal } = request;
  if (signal !== undefined && !isAbortSignal(signal))
    throw invalid('request.signal must be an AbortSignal.');
  if (payload === undefined && input === undefined) {
    throw invalid('request needs payload or input.');
  }
  const content = payload === undefined ? jsonOf(input, 'input') : textOf(payload, 'payload');
  let schema;
  if (outputSchema !== undefined) schema = jsonOf(outputSchema, 'outputSchema');
  else if (format?.kind === 'json_schema') schema = jsonOf(format.schema, 'format.schema');
  else if (format?.kind !== 'json_object') {
    throw invalid(
      'request needs outputSchema, or a format of kind "json_schema" or "json_object".',
    );
  }
  const name =
    format?.kind === 'json_schema' && typeof format.name === 'string' && format.name.isWellFormed()
      ? format.name
      : `intent_${stage === 'core' || stage === 'data' ? stage : 'candidate'}`;
  // As in the data stage: any JSON object, which the instructions describe.
  const described = format?.kind === 'json_object';
  return { instructions, payload: content, name, schema, described, signal };
};

/** {@link readQuestion}, where something of the caller's may throw. */
const questionOf = (request) => {
  try {
    return readQuestion(request);
  } catch (cause) {
    if (isIntentError(cause)) throw cause;
    const message = 'the request cannot be read: something of it threw.';
    throw new IntentError('INPUT_INVALID', { message, cause });
  }
};

/** What an aborted signal rejects with: its reason where that is an error of ours. */
const aborted = (signal) =>
  isIntentError(signal.reason)
    ? signal.reason
    : new IntentError('MODEL_ABORTED', { message: 'the call was aborted.', cause: signal.reason });

class ApiExecutor {
  #native;
  #keyOf;

  static #made(value) {
    return typeof value === 'object' && value !== null && #native in value;
  }

  constructor(executor, keyOf) {
    this.#native = executor;
    this.#keyOf = keyOf;
    Object.defineProperty(this, 'id', { value: executor.id, enumerable: true });
    // With a function to ask, each question comes through `generate`.
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
    if (signal?.aborted) throw aborted(signal);
    if (this.#keyOf !== undefined) {
      question.key = await askForKey(this.#keyOf, signal, () => aborted(signal));
      if (signal?.aborted) throw aborted(signal);
    }
    return new Promise((resolve, reject) => {
      let id;
      let forget;
      const giveUp = () => {
        ignoreSignal?.();
        forget();
        theHost().giveUp(id);
        reject(aborted(signal));
      };
      const ignoreSignal = signal && onAbort(signal, giveUp);
      const end = (event) => {
        ignoreSignal?.();
        if (event.kind === RESULT) resolve(JSON.parse(event.text));
        else reject(fromNative(JSON.parse(event.text)));
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
// What Intent recognises must do what the addon does.
Object.freeze(ApiExecutor.prototype);

exports.createApiExecutor = (config) => {
  const { json, keyOf } = readApiConfig(config);
  const executor = builtOr('CONFIG_INVALID', () =>
    native.createApiExecutor(json, fallbackRoots(), keyOf !== undefined),
  );
  return new ApiExecutor(executor, keyOf);
};

const readEnvelope = (protocol, name) => (envelope) => {
  const mistaken = mistake(envelope);
  if (mistaken !== undefined)
    throw new IntentError('MODEL_REQUEST_FAILED', { message: `${name} ${mistaken}.` });
  let text;
  try {
    text = JSON.stringify(envelope);
  } catch (cause) {
    throw new IntentError('MODEL_REQUEST_FAILED', { message: 'the envelope is no JSON.', cause });
  }
  let read;
  try {
    read = JSON.parse(native.readEnvelope(protocol, text ?? 'null'));
  } catch (cause) {
    throw fault('MODEL_REQUEST_FAILED', cause);
  }
  if (read.error !== undefined) throw fromNative(read.error);
  return read.reply;
};

exports.readCompletedResponse = readEnvelope(0, 'readCompletedResponse');
exports.readChatCompletion = readEnvelope(1, 'readChatCompletion');
