'use strict';
// The reason why a caller's object is refused, and the typed error for it.

const { IntentError } = require('../errors.js');

/** The reason why a value was refused; it is thrown while reading, and becomes an {@link IntentError}. */
class Refusal {
  // Recognised by this private field, because `instanceof` would ask a thrown proxy for its prototype.
  #own;

  // Declared, so that properties of Object.prototype are never read instead.
  message;
  code;
  cause;
  limit;

  constructor(message, facts) {
    const { code, cause, limit } = { __proto__: null, ...facts };
    this.message = message;
    this.code = code;
    this.cause = cause;
    this.limit = limit;
  }

  static is(thrown) {
    return typeof thrown === 'object' && thrown !== null && #own in thrown;
  }
}

/** The typed error for whatever was thrown while something of the caller's was read. */
function refused(thrown, code, what) {
  if (Refusal.is(thrown)) {
    const { message, cause, limit } = thrown;
    const options = { message: `${message}.`, stage: stageOf(code), limit };
    return new IntentError(
      thrown.code ?? code,
      cause === undefined ? options : { ...options, cause },
    );
  }
  return new IntentError(code, {
    message: `${what} cannot be read: something of it threw.`,
    cause: thrown,
  });
}

const stageOf = (code) => (code === 'INPUT_INVALID' ? 'input' : 'config');

module.exports = { Refusal, refused };
