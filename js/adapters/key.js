'use strict';
// Handles an `apiKey` that is a function: it is called before each request.

const { abortedBy, onAbort } = require('../abort.js');
const { IntentError, isIntentError } = require('../errors.js');

/** Makes the error for a value that the function threw. Its text may contain a key, so it is only the cause. */
const failed = (thrown) =>
  isIntentError(thrown)
    ? thrown
    : new IntentError('MODEL_AUTH_FAILED', {
        message: 'The apiKey function threw; its error is the cause of this one.',
        cause: thrown,
      });

const checked = (key) => {
  if (typeof key === 'string' && key.isWellFormed()) return key;
  const got =
    typeof key === 'string' ? 'a text with a lone surrogate' : `a value of type ${typeof key}`;
  const message = `The apiKey function must return a string or a promise of one, got ${got}.`;
  throw new IntentError('MODEL_AUTH_FAILED', { message });
};

/**
 * Returns the key for one request. The native side applies its rules for keys; for example, it refuses a
 * blank one.
 *
 * @param {() => unknown} keyOf
 * @param {AbortSignal | undefined} signal - Ends the waiting even if the function never returns.
 * @returns {Promise<string>}
 */
const askForKey = (keyOf, signal) =>
  new Promise((resolve, reject) => {
    const ignoreSignal = signal && onAbort(signal, () => reject(abortedBy(signal)));
    new Promise((give) => give(keyOf()))
      .then(checked, (thrown) => {
        throw failed(thrown);
      })
      .then(resolve, reject)
      .finally(() => ignoreSignal?.());
  });

module.exports = { askForKey };
