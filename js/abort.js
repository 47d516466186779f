'use strict';
// The signals of callers. However many calls one of them can end, it has one listener of ours
// (Node.js takes more than ten for a leak and says so), and none once these calls have ended.

const { IntentError, isIntentError } = require('./errors.js');

/** @type {WeakMap<object, Watch>} */
const watches = new WeakMap();

class Watch {
  #signal;
  #ends = new Set();

  /** @throws {IntentError} `INPUT_INVALID`, where that which stands in for a signal throws. */
  constructor(signal) {
    this.#signal = signal;
    try {
      signal.addEventListener('abort', this);
    } catch (cause) {
      const message = 'signal must be an AbortSignal; its addEventListener threw.';
      throw new IntentError('INPUT_INVALID', { message, cause });
    }
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
exports.onAbort = (signal, end) => {
  const watch = watches.get(signal) ?? new Watch(signal);
  watch.add(end);
  return () => watch.delete(end);
};

/** What a call on an aborted signal rejects with: the signal's reason where that is an error of ours. */
exports.abortedBy = (signal) =>
  isIntentError(signal.reason)
    ? signal.reason
    : new IntentError('MODEL_ABORTED', { message: 'the call was aborted.', cause: signal.reason });
