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

/** The message for whatever was thrown while `what` of the caller's was read. */
const messageOf = (thrown, what) =>
  Refusal.is(thrown) ? `${thrown.message}.` : `${what} cannot be read: something of it threw.`;

/** The error of a configuration for whatever was thrown while it was read. */
function refused(thrown, code, what) {
  const message = messageOf(thrown, what);
  if (!Refusal.is(thrown)) return new IntentError(code, { message, cause: thrown });
  const { cause, limit } = thrown;
  const options = { message, stage: 'config', limit };
  return new IntentError(
    thrown.code ?? code,
    cause === undefined ? options : { ...options, cause },
  );
}

module.exports = { Refusal, messageOf, refused };
