'use strict';
// Common mistakes in the argument of `readChatCompletion` and `readCompletedResponse`, and their fixes.

const isFunction = (value) => typeof value === 'function';

/** Describes an argument that is a common mistake; the text follows the name of the function. */
const mistakenFor = (given) => {
  if (given === undefined || given === null) return `was given ${given}; hand it the parsed body`;
  if (typeof given === 'string') return 'was given a text; hand it JSON.parse(text)';
  if (typeof given !== 'object' && !isFunction(given)) return `was given a ${typeof given}`;
  if (isFunction(given.then)) return 'was given a promise; await it first';
  if (isFunction(given.json) && 'headers' in given && 'status' in given)
    return 'was given a Response of fetch; hand it await response.json(), after a look at response.ok';
  if ('data' in given && 'headers' in given && 'status' in given)
    return 'was given a response of an HTTP client; hand it the body, response.data';
  if (isFunction(given[Symbol.asyncIterator]) || isFunction(given.getReader))
    return 'was given a stream; ask the service without stream, and hand it the whole answer';
  if (ArrayBuffer.isView(given) || given instanceof ArrayBuffer)
    return 'was given bytes; hand it JSON.parse of their text';
  return undefined;
};

/** Calls {@link mistakenFor}, which may throw. */
const mistake = (given) => {
  try {
    return mistakenFor(given);
  } catch {
    return undefined;
  }
};

module.exports = { mistake };
