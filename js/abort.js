'use strict';
// Signals, on both sides of a call: those of callers, which end it, and those that executors are
// given, which tell them that it has ended.
//
// However many calls one signal can end, it has one listener of ours (Node.js takes more than ten
// for a leak and says so), and none once these calls have ended.

const { IntentError, isIntentError } = require('./errors.js');
const { has } = require('./own.js');

/** @type {WeakMap<object, Watch>} */
const watches = new WeakMap();

/** What a signal of a caller's says, which may be of a library and may throw. */
const ask = (signal, what) => {
  try {
    return what(signal);
  } catch (cause) {
    const message = 'signal must be an AbortSignal; something of it threw.';
    throw new IntentError('INPUT_INVALID', { message, cause });
  }
};

class Watch {
  #signal;
  #ends = new Set();

  /** @throws {IntentError} `INPUT_INVALID`, where that which stands in for a signal throws. */
  constructor(signal) {
    this.#signal = signal;
    ask(signal, () => signal.addEventListener('abort', this));
    watches.set(signal, this);
  }

  /** The signal fired (the EventListener interface). */
  handleEvent() {
    for (const end of [...this.#ends]) end();
  }

  add(end) {
    this.#ends.add(end);
  }

  delete(end) {
    if (!this.#ends.delete(end) || this.#ends.size > 0) return;
    watches.delete(this.#signal);
    try {
      this.#signal.removeEventListener('abort', this);
    } catch {
      // The call has ended already.
    }
  }
}

/** Calls `end` when the signal fires, until the function that is returned is called. */
const onAbort = (signal, end) => {
  const watch = watches.get(signal) ?? new Watch(signal);
  watch.add(end);
  return () => watch.delete(end);
};

/**
 * Whether a caller's signal was aborted.
 *
 * @throws {IntentError} `INPUT_INVALID`, where that which stands in for a signal throws.
 */
const isAborted = (signal) => ask(signal, ({ aborted }) => aborted === true);

/** The options of an error that says that this signal was aborted: its reason is the cause. */
const abortCause = (signal) => {
  try {
    return has(signal, 'reason') ? { cause: signal.reason } : undefined;
  } catch {
    return undefined;
  }
};

/** What a call on an aborted signal rejects with: the signal's reason where that is an error of ours. */
const abortedBy = (signal) => {
  const options = abortCause(signal);
  if (isIntentError(options?.cause)) return options.cause;
  return new IntentError('MODEL_ABORTED', { message: 'the call was aborted.', ...options });
};

/** Throws {@link abortedBy} where there is a signal and it was aborted. */
const throwIfAborted = (signal) => {
  if (signal != null && isAborted(signal)) throw abortedBy(signal);
};

// -----------------------------------------------------------------------------------------------
// Signals for executors

const ignore = () => undefined;

/** What a listener returns may reject; Node.js makes an uncaught exception of it. */
const settle = (returned) => {
  if (returned == null) return;
  const { then } = returned;
  if (typeof then === 'function') then.call(returned, ignore, ignore);
};

/** A listener that cannot throw: its call has ended, and nobody waits for what it has to say. */
const contained = (listener) =>
  function contained(event) {
    try {
      settle(
        typeof listener === 'function' ? listener.call(this, event) : listener.handleEvent(event),
      );
    } catch {}
  };

/** The contained form of each listener: one, so that it can be removed again. */
const forms = new WeakMap();

const formOf = (listener) => {
  if ((typeof listener !== 'object' && typeof listener !== 'function') || listener === null)
    return listener;
  let form = forms.get(listener);
  if (form === undefined) {
    form = contained(listener);
    forms.set(listener, form);
  }
  return form;
};

/** The `onabort` of each signal that has one. */
const handlers = new WeakMap();

/** Node.js throws what a listener throws into the process; here nothing of it leaves. */
const CONTAINED = {
  __proto__: AbortSignal.prototype,
  addEventListener(type, listener, ...more) {
    return super.addEventListener(type, formOf(listener), ...more);
  },
  removeEventListener(type, listener, ...more) {
    return super.removeEventListener(type, formOf(listener), ...more);
  },
  get onabort() {
    return handlers.get(this) ?? super.onabort;
  },
  set onabort(listener) {
    handlers.delete(this);
    super.onabort = formOf(listener);
    if (typeof listener === 'function') handlers.set(this, listener);
  },
};

/** A controller for an executor, whose listeners are contained. */
const containedController = () => {
  const controller = new AbortController();
  Object.setPrototypeOf(controller.signal, CONTAINED);
  return controller;
};

module.exports = {
  abortCause,
  abortedBy,
  containedController,
  isAborted,
  onAbort,
  throwIfAborted,
};
