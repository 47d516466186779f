'use strict';
// Runs a test's candidate through the runtime's own pipeline when it is made, so that a mistake fails at
// that call and not in the middle of a recognition.

const { IntentError, fromNative } = require('../errors.js');
const addon = require('../addon.js');
const { Intent, nativeOf } = require('../intent.js');
const { CHECK, readRequest } = require('../plain/request.js');
const { quoted } = require('../text.js');

/** Makes the error for a call of this entry. */
const misuse = (message) => new IntentError('CONFIG_INVALID', { message });

/** Copies an object without a prototype; refuses values that are not objects, and unknown keys. */
const checkKeys = (what, value, known) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw misuse(`${what} must be an object.`);
  const other = Object.keys(value).find((key) => !known.includes(key));
  if (other !== undefined)
    throw misuse(`${what} has the unknown key ${quoted(other)}; it takes ${known.join(', ')}.`);
  return { __proto__: null, ...value };
};

/**
 * Runs candidates through the runtime, and returns `{ asked }`, `{ result }` or `{ error, answered }`. There
 * is no repair, so that a fault is an error at once.
 */
const runCandidates = (config, request, texts) => {
  const intent = new Intent({ __proto__: null, ...config, repairAttempts: 0 });
  try {
    const { text, unread } = readRequest([request], CHECK);
    const outcome = JSON.parse(addon.checkCandidates(nativeOf(intent), text, unread, texts));
    return outcome.error ? { ...outcome, error: fromNative(outcome.error) } : outcome;
  } finally {
    intent.dispose();
  }
};

/** Makes the error for a candidate that the runtime would refuse, with all its faults in the message. */
const refusalError = (what, error, hint) => {
  const { code, stage, faults, limit } = error;
  const list =
    faults === undefined ? error.message : faults.map((each) => `\n  - ${each}`).join('');
  const message = `${what}: the runtime would refuse this candidate: ${list}${hint === undefined ? '' : `\n${hint}`}`;
  return new IntentError(code, { stage, message, faults, limit, cause: error });
};

module.exports = { misuse, checkKeys, runCandidates, refusalError };
