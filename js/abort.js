'use strict';
// Handles signals on both sides of a call: callers' signals, which end the call, and the signals for
// executors, which report that the call has ended.
//
// A caller's signal gets one listener for all its calls, because Node.js warns of a leak at more than ten.
// The listener is removed when these calls have ended.

const { IntentError, isIntentError } = require('./errors.js');
const { has } = require('./properties.js');

/** @type {WeakMap<object, SharedListener>} */
const watches = new WeakMap();

/** Reads a caller's signal, which may be a library's object and may throw. */
const readSignal = (signal, what) => {
  try {
    return what(signal);
  } catch (cause) {
    const message = 'signal must be an AbortSignal, but reading it threw.';
    throw new IntentError('INPUT_INVALID', { message, cause });
  }
};

class SharedListener {
  #signal;
  #ends = new Set();

  /** @throws {IntentError} `INPUT_INVALID` if the object given as a signal throws. */
  constructor(signal) {
    this.#signal = signal;
    readSignal(signal, () => signal.addEventListener('abort', this));
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

/** Calls `end` when the signal fires. The returned function cancels this. */
const onAbort = (signal, end) => {
  const watch = watches.get(signal) ?? new SharedListener(signal);
  watch.add(end);
  return () => watch.delete(end);
};

/**
 * Returns whether a caller's signal was aborted.
 *
 * @throws {IntentError} `INPUT_INVALID` if the object given as a signal throws.
 */
const isAborted = (signal) => readSignal(signal, ({ aborted }) => aborted === true);

/** The options of the error for an aborted signal: its reason is the cause. */
const abortCause = (signal) => {
  try {
    return has(signal, 'reason') ? { cause: signal.reason } : undefined;
  } catch {
    return undefined;
  }
};

/** The error of a call with an aborted signal: the signal's reason, if it is an error of this package. */
const abortedBy = (signal) => {
  const options = abortCause(signal);
  if (isIntentError(options?.cause)) return options.cause;
  return new IntentError('MODEL_ABORTED', { message: 'The call was aborted.', ...options });
};

/** Throws {@link abortedBy} if there is a signal and it was aborted. */
const throwIfAborted = (signal) => {
  if (signal != null && isAborted(signal)) throw abortedBy(signal);
};

// -----------------------------------------------------------------------------------------------
// Signals for executors

const ignore = () => undefined;

/** Handles a rejection of the promise that a listener returns; Node.js would make an uncaught exception of it. */
const settle = (returned) => {
  if (returned == null) return;
  const { then } = returned;
  if (typeof then === 'function') then.call(returned, ignore, ignore);
};

/** Wraps a listener so that it cannot throw: its call has ended, so its error would have no receiver. */
const contained = (listener) =>
  function contained(event) {
    try {
      settle(
        typeof listener === 'function' ? listener.call(this, event) : listener.handleEvent(event),
      );
    } catch {}
  };

/** The wrapped form of each listener; it is kept so that the listener can be removed. */
const wrappedListeners = new WeakMap();

const formOf = (listener) => {
  if ((typeof listener !== 'object' && typeof listener !== 'function') || listener === null)
    return listener;
  let form = wrappedListeners.get(listener);
  if (form === undefined) {
    form = contained(listener);
    wrappedListeners.set(listener, form);
  }
  return form;
};

/** The `onabort` listener of each signal that has one. */
const handlers = new WeakMap();

/** Node.js makes an uncaught exception of an error that a listener throws; this signal contains such errors. */
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

/** A controller for an executor's signal, whose listeners cannot throw into the process. */
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
