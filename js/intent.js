'use strict';
// `Intent` for JavaScript: reads plain objects, runs the executor, settles promises. The addon has every rule
// of a recognition.

const { AsyncResource } = require('node:async_hooks');
const { IntentError, fromNative, toNative } = require('./errors.js');
const { infoOf } = require('./error-facts.js');
const { readConfig } = require('./plain/intent-config.js');
const { PARSE, faultAt, readRequest } = require('./plain/request.js');
const { wellFormed } = require('./text.js');
const addon = require('./addon.js');
const {
  RESULT,
  CORE,
  ASKED,
  ANSWERED,
  ENDED,
  begin,
  act,
  isOnlyOf,
  promised,
  theHost,
} = require('./addon-tasks.js');
const { traceOf } = require('./channels.js');
const { jsonText } = require('./json.js');
const { formOf, modelRequest } = require('./model-request.js');
const { nativeExecutorOf } = require('./addon-executors.js');
const { abortCause, containedController, isAborted, onAbort } = require('./abort.js');
const { has, hide, property } = require('./properties.js');

/** The native object of each Intent of this package; other entries get it through `nativeOf`. */
const natives = new WeakMap();
const nativeOf = (intent) => natives.get(intent);
const isIntent = (value) => typeof value === 'object' && value !== null && natives.has(value);

/** Returns the native object of the Intent that a method was called on; other objects have none. */
const receiver = (self, method) => {
  const intent = nativeOf(self);
  if (intent !== undefined) return intent;
  const message = `${method} must be called on an Intent, as in intent.${method}(...).`;
  throw new IntentError('INPUT_INVALID', { message });
};

/** Makes the error for a native call that ended in an internal fault. */
const fault = (code, cause) =>
  new IntentError(code, {
    message: 'A fault inside intent-runtime ended the call; please report it.',
    cause,
  });

/** Returns whether the addon returned an error instead of an object. */
const buildOrThrow = (code, build) => {
  let built;
  try {
    built = build();
  } catch (cause) {
    throw fault(code, cause);
  }
  if (typeof built === 'string') throw fromNative(JSON.parse(built));
  return built;
};

/** Reads a member of an executor's reply; a reply that is not an object has none. */
const ofReply = (reply, key) => (reply == null ? undefined : property(reply, key));

/**
 * Rejects with an error whose stack shows the line that awaits the recognition. The addon reports the error later,
 * with no line of the caller on the stack; but in a reaction of the promise that the caller awaits, the engine knows
 * that line.
 */
const rejectAtCaller = (error) => {
  const here = {};
  Error.captureStackTrace?.(here, rejectAtCaller);
  const frames = typeof here.stack === 'string' ? here.stack.split('\n').slice(1) : [];
  if (frames.length > 0) hide(error, 'stack', [String(error), ...frames].join('\n'));
  throw error;
};

const REPLY =
  'the executor must resolve to { outcome: "complete", text } or { outcome: "refusal" | "incomplete", detail? }';

/** Suggests the most likely mistake of an executor with such a reply; the reply itself is never shown. */
const replyHint = (reply) => {
  if (typeof reply === 'string') return ', got a string: wrap it as { outcome: "complete", text }';
  if (reply === undefined) return ', got undefined: does generate return its reply?';
  if (typeof reply !== 'object' || reply === null) return '';
  try {
    if (has(reply, 'choices')) return ', got a chat completion: return readChatCompletion(it)';
    if (typeof property(reply, 'json') === 'function')
      return ', got a Response of fetch: return readChatCompletion(await it.json())';
    if (has(reply, 'output')) return ', got a response: return readCompletedResponse(it)';
    if (property(reply, 'outcome') === undefined && typeof property(reply, 'text') === 'string')
      return ', got no outcome: add outcome: "complete"';
  } catch {
    // A proxy that throws gives no suggestion.
  }
  return '';
};

/** The events that the addon can report in addition to the outcome; the numbers of src/node/observer.rs. */
const REPORT = 1;
const CORE_RESULT = 2;
const QUESTIONS = 4;
const TRACED_REPORT = 8;

const ignore = () => undefined;

/** Calls a function of the caller; an error that it throws, now or later, has no effect. */
const callContained = (call, value) => {
  try {
    Promise.resolve(call(value)).then(ignore, ignore);
  } catch {}
};

/** One recognition: asks the executor, settles the promise, listens to the caller's signal. */
class Parse {
  #executor;
  #schemas;
  #settle;
  #id;
  #signal;
  #forget;
  #controller;
  #onCore;
  #trace;
  #reported;
  #ended = false;
  #reason;
  #thrown;
  /** The async context of the caller, kept if the recognition waits; see {@link Parse.#inTurn}. */
  #scope;

  constructor(executor, schemas, trace, settle) {
    this.#executor = executor;
    this.#schemas = schemas;
    this.#trace = trace;
    this.#settle = settle;
  }

  /** Passes the core result to `onCore` as soon as it is ready. */
  onCoreResult(onCore) {
    this.#onCore = onCore;
  }

  /** Lets the caller's signal end the recognition; returns whether it was already aborted. */
  listen(request) {
    const { signal } = request;
    if (signal === undefined) return false;
    this.#signal = signal;
    try {
      this.#forget = onAbort(signal, () => act((host) => host.abort(this.#id)));
      return isAborted(signal);
    } catch (error) {
      // The addon refuses it in the documented order: a disposed instance rejects first.
      request.unread = [faultAt('request', error.message)];
      return false;
    }
  }

  begin(intent, request, aborted, reported) {
    this.#reported = reported;
    if (this.#trace === undefined) this.#begin(intent, request, aborted);
    else this.#trace.run(() => this.#begin(intent, request, aborted));
  }

  #begin(intent, { text, unread }, aborted) {
    try {
      begin(this, (host, id) => {
        this.#id = id;
        return this.#inTurn(host.parse(id, intent, text, unread, aborted, this.#wanted()));
      });
    } catch (cause) {
      this.#forget?.();
      const error = fault('MODEL_REQUEST_FAILED', cause);
      this.#trace?.settle(error);
      this.#settle.reject(error);
    }
  }

  /**
   * Handles the events of a call of this recognition. A single event of its own is handled within the caller's
   * async context. Otherwise the recognition may continue within a call of another recognition or of the addon,
   * so the context is kept.
   */
  #inTurn(events) {
    if (!isOnlyOf(events, this.#id)) this.#scope ??= new AsyncResource('INTENT_PARSE');
    return events;
  }

  #inScope(work) {
    return this.#scope === undefined ? work() : this.#scope.runInAsyncScope(work);
  }

  /** The events that the addon must report in addition to the outcome. */
  #wanted() {
    const trace = this.#trace;
    const report = this.#reported ? REPORT : 0;
    const core = this.#onCore === undefined ? 0 : CORE_RESULT;
    const questions = trace?.questions ? QUESTIONS : 0;
    return report | core | questions | (trace?.reported ? TRACED_REPORT : 0);
  }

  /** Handles an event during the recognition. */
  progress(kind, text) {
    const value = JSON.parse(text);
    if (kind === CORE) this.#inScope(() => callContained(this.#onCore, value));
    else if (kind === ASKED) this.#trace.asked(value);
    else if (kind === ANSWERED) this.#trace.answered(value);
    else if (kind === ENDED) this.#trace.ended(value);
  }

  question(call, schema, text, brief) {
    // Every behaviour of an executor must become an answer here.
    try {
      const stage = schema === null ? 'core' : 'data';
      const dataSchema = schema === null ? undefined : this.#schemas.get(schema, call);
      const request = modelRequest(stage, formOf(brief), text, dataSchema, () =>
        this.#abortSignal(),
      );
      const generate = () => this.#executor.generate(request);
      const ask = () => Promise.resolve(this.#trace ? this.#trace.ask(generate) : generate());
      this.#inScope(ask).then(
        (reply) => this.#replied(call, stage, reply),
        (thrown) => this.#threw(call, thrown),
      );
    } catch (thrown) {
      this.#threw(call, thrown);
    }
  }

  end(kind, text, thrown) {
    this.#ended = true;
    this.#forget?.();
    if (kind === RESULT) {
      this.#trace?.settle();
      this.#settle.resolve(JSON.parse(text));
    } else {
      const serialized = JSON.parse(text);
      this.#reason = fromNative(serialized, this.#causeOf(thrown, serialized.code));
      this.#trace?.settle(this.#reason);
      this.#settle.reject(this.#reason);
    }
    this.#controller?.abort(this.#reason);
  }

  /** The value that the executor threw, or the reason of the caller's signal. */
  #causeOf(thrown, code) {
    if (thrown) return { cause: this.#thrown };
    return code === 'MODEL_ABORTED' ? abortCause(this.#signal) : undefined;
  }

  /** Created at the first read, because many executors never read it. */
  #abortSignal() {
    if (this.#controller === undefined) {
      this.#controller = containedController();
      if (this.#ended) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  #replied(call, stage, reply) {
    let outcome;
    let text;
    try {
      outcome = ofReply(reply, 'outcome');
      text = ofReply(reply, outcome === 'complete' ? 'text' : 'detail');
    } catch (thrown) {
      this.#threw(call, thrown);
      return;
    }
    const known = ['complete', 'refusal', 'incomplete'].indexOf(outcome);
    if (known >= 0 && (typeof text === 'string' || (known > 0 && text === undefined))) {
      const sent = text === undefined ? undefined : wellFormed(text);
      const info = infoOf(reply);
      act((host) => this.#inTurn(host.answer(call, known, sent, info)));
      return;
    }
    const message = `${REPLY}${replyHint(reply)}.`;
    this.#answerError(call, { code: 'MODEL_OUTPUT_INVALID', stage, message, issues: [] });
  }

  #threw(call, thrown) {
    this.#thrown = thrown;
    const message = 'The executor failed; its own error is the cause of this one.';
    const foreign = { code: 'MODEL_REQUEST_FAILED', stage: 'model', message, issues: [] };
    this.#answerError(call, { ...(toNative(thrown) ?? foreign), cause: true });
  }

  #answerError(call, error) {
    act((host) => this.#inTurn(host.answerError(call, jsonText(error))));
  }
}

/** The schema texts of an instance's selections, by the addon's key; most instances have only a few. */
class Schemas {
  #texts = new Map();

  get(key, call) {
    let text = this.#texts.get(key);
    if (text === undefined) {
      if (this.#texts.size >= 128) this.#texts.clear();
      text = theHost().schema(call);
      this.#texts.set(key, text);
    }
    return text;
  }
}

class Intent {
  #executor;
  #schemas = new Schemas();
  #asksJavaScript;

  constructor(config) {
    const { json, unread, schemaText, schemaOrigin, executor, executorId } = readConfig(config);
    const standard = schemaOrigin === 'standard';
    this.#executor = executor;
    const api = nativeExecutorOf(executor);
    const id = api === undefined ? executorId : undefined;
    this.#asksJavaScript = api === undefined;
    const build = () => addon.createIntent(json, unread, schemaText, standard, id, api);
    natives.set(this, buildOrThrow('CONFIG_INVALID', build));
  }

  parse(...args) {
    return Intent.#recognise(this, 'parse', args);
  }

  parseWithReport(...args) {
    return Intent.#recognise(this, 'parseWithReport', args);
  }

  /** `self` is the value that the method was called on. */
  static #recognise(self, method, args) {
    const recognised = new Promise((resolve, reject) => {
      const intent = receiver(self, method);
      const trace = traceOf(self.#asksJavaScript);
      const parse = new Parse(self.#executor, self.#schemas, trace, { resolve, reject });
      const request = readRequest(args, PARSE);
      const aborted = parse.listen(request);
      parse.onCoreResult(request.onCore);
      parse.begin(intent, request, aborted, method === 'parseWithReport');
    });
    return recognised.then(undefined, rejectAtCaller);
  }

  async dispose() {
    const intent = receiver(this, 'dispose');
    act((host) => host.dispose(intent));
    return promised(
      (host, id) => host.idle(id, intent),
      () => undefined,
      (text) => fromNative(JSON.parse(text)),
    );
  }
}

const method = (name, value) => {
  if (typeof name === 'symbol') hide(Intent.prototype, name, value);
};
method(Symbol.dispose, function dispose() {
  this.dispose();
});
method(Symbol.asyncDispose, function asyncDispose() {
  return this.dispose();
});

module.exports = { Intent, nativeOf, isIntent, buildOrThrow, fault };
