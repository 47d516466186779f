'use strict';
// The requests of a session's `accept` and `cancel`.

const { wellFormed } = require('../text.js');
const { SURROGATE, isText, kind, readMembers } = require('./objects.js');
const { refused } = require('./refusal.js');
const { checkCount } = require('./request.js');

const { getOwnPropertyDescriptor, hasOwn } = Object;

/**
 * Reads the request of a session's `accept`. What is no string comes back as `undefined`: an
 * unknown job outranks it.
 *
 * @returns {{
 *   jobId: string | undefined,
 *   stepToken: string | undefined,
 *   candidateText: string | undefined,
 *   invalid: string | undefined,
 * }} `invalid` says which of `stepToken` and `candidateText` is wrong; `candidateText` is
 * {@link wellFormed}.
 * @throws {IntentError} `INPUT_INVALID`, stage `input`, where the request's shape is wrong.
 */
function readAccept(count, request) {
  const keys = { jobId: undefined, stepToken: undefined, candidateText: undefined };
  return readSubmission(count, request, keys, ({ jobId, stepToken, candidateText }) => ({
    __proto__: null,
    jobId: textOr(jobId),
    stepToken: textOr(stepToken),
    candidateText: typeof candidateText === 'string' ? wellFormed(candidateText) : undefined,
    invalid:
      wrongText(stepToken, 'stepToken') ??
      (typeof candidateText === 'string' ? undefined : wrongText(candidateText, 'candidateText')),
  }));
}

/**
 * Reads the request of a session's `cancel`, like {@link readAccept}.
 *
 * @returns {{
 *   jobId: string | undefined,
 *   outcome: string | undefined,
 *   detail: string | undefined,
 *   invalid: string | undefined,
 * }} `invalid` says which of `outcome` and `detail` is given and no text.
 * @throws {IntentError} `INPUT_INVALID`, stage `input`, where the request's shape is wrong.
 */
function readCancel(count, request) {
  const keys = { jobId: undefined, outcome: undefined, detail: undefined };
  return readSubmission(count, request, keys, ({ jobId, outcome, detail }) => ({
    jobId: textOr(jobId),
    outcome: textOr(outcome),
    detail: textOr(detail),
    invalid:
      (outcome === undefined ? undefined : wrongText(outcome, 'outcome')) ??
      (detail === undefined ? undefined : wrongText(detail, 'detail')),
  }));
}

/**
 * Reads the one argument's members with `read`, or throws the typed error that says why the argument is no such
 * request. `read` runs inside: a member may be a proxy that throws wherever it is looked at.
 */
function readSubmission(count, request, keys, read) {
  try {
    checkCount(count);
    return read(readMembers(request, 'request', keys));
  } catch (thrown) {
    throw refused(thrown, 'INPUT_INVALID', 'request');
  }
}

/**
 * The job that a request names, where the rest of it is refused: for the reply to tell what became
 * of the job.
 */
function namedJob(request) {
  try {
    const property = getOwnPropertyDescriptor(request, 'jobId');
    return hasOwn(property, 'value') ? textOr(property.value) : undefined;
  } catch {
    return undefined; // No object, no such key, or a proxy that throws.
  }
}

const textOr = (value) => (isText(value) ? value : undefined);

/** What is wrong with a value that should be a text; `undefined` where it is one. */
function wrongText(value, what) {
  if (typeof value !== 'string') {
    const parsed = what === 'candidateText' && typeof value === 'object' && value !== null;
    const hint = parsed ? '; pass its JSON text: JSON.stringify(candidate)' : '';
    return `${what} must be a string, got ${kind(value)}${hint}.`;
  }
  return value.isWellFormed() ? undefined : `${what} ${SURROGATE}.`;
}

module.exports = { namedJob, readAccept, readCancel };
