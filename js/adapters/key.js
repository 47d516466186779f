'use strict';
// `apiKey` as a function: it is asked before each request.

const { abortedBy, onAbort } = require('../abort.js');
const { IntentError, isIntentError } = require('../errors.js');

/** The error for what the function threw. Its text may hold a key, so it is the cause alone. */
const failed = (thrown) =>
  isIntentError(thrown)
    ? thrown
    : new IntentError('MODEL_AUTH_FAILED', {
        message: 'apiKey, a function, threw; its own error is the cause of this one.',
        cause: thrown,
      });

const checked = (key) => {
  if (typeof key === 'string' && key.isWellFormed()) return key;
  const got =
    typeof key === 'string' ? 'a text with a lone surrogate' : `a value of type ${typeof key}`;
  const message = `apiKey, a function, must give a string or a promise of one; it gave ${got}.`;
  throw new IntentError('MODEL_AUTH_FAILED', { message });
};

/**
 * The key for one request. What the native side says of keys holds for it: a blank one, for
 * example, is refused there.
 *
 * @param {() => unknown} keyOf
 * @param {AbortSignal | undefined} signal - Ends the waiting, whatever the function does.
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
