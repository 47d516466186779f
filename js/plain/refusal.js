'use strict';
// Why an object of a caller is refused, and the typed error that it becomes.

const { IntentError } = require('../errors.js');

/** Why a value was refused, on its way to becoming an {@link IntentError}. */
class Refusal {
  // Told by this, since `instanceof` asks a thrown proxy for its prototype.
  #own;

  // Declared, so that what stands on Object.prototype is never theirs.
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
