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

/** Returns the message for a value that was thrown while the caller's `what` was read. */
const messageOf = (thrown, what) =>
  Refusal.is(thrown) ? `${thrown.message}.` : `${what} cannot be read: something of it threw.`;

/** Returns the error for a value that was thrown while a configuration was read. */
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
