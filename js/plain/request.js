'use strict';
// Reads the requests of `parse` and of a session's calls. Each is read once; the addon checks its parts one
// after the other, in the order that docs/api.md documents. An entry of `unread` has a `fault`, a sentence, if a
// part cannot be read for another reason than the kind of its value.

const { jsonText } = require('../json.js');
const { own } = require('../properties.js');
const { wellFormed } = require('../text.js');
const {
  blank,
  elementsAt,
  isText,
  kind,
  noted,
  readMembers,
  scalarAt,
  scalarsAt,
} = require('./objects.js');
const { Refusal, messageOf } = require('./refusal.js');

const { getOwnPropertyDescriptor, hasOwn } = Object;

/** The keys of each request, and how each part is read; callbacks stay in JavaScript. */
const requestOf = (readers, callbacks = {}) => ({
  readers: Object.entries(readers),
  keys: { ...blank(readers), ...callbacks },
});

const MATERIALS = { input: scalarAt, fields: scalarsAt, context: contextAt, evidence: scalarAt };
const CHECK = requestOf(MATERIALS);
const PARSE = requestOf(MATERIALS, { signal: undefined, onCore: undefined });
const PREPARE = requestOf({ ...MATERIALS, instance: scalarAt });
const ACCEPT = requestOf({ jobId: textAt, stepToken: textAt, candidateText: candidateAt });
const CANCEL = requestOf({ jobId: scalarAt, outcome: scalarAt, detail: scalarAt });

/**
 * Reads a request.
 *
 * @param {unknown[]} args - The caller's arguments.
 * @param {object} request - `CHECK`, `PARSE`, `PREPARE` or `CANCEL`.
 * @returns {{
 *   text: string,
 *   unread: object[] | undefined,
 *   signal: AbortSignal | undefined,
 *   onCore: Function | undefined,
 *   jobId: unknown,
 * }} `text` is the JSON of its parts.
 */
function readRequest(args, request) {
  const { parts, unread } = readParts(args, request);
  const signal = own(parts, 'signal');
  const onCore = own(parts, 'onCore');
  if (signal !== undefined) parts.signal = undefined;
  if (onCore !== undefined) parts.onCore = undefined;
  return { text: jsonText(parts), unread, signal, onCore, jobId: own(parts, 'jobId') };
}

/**
 * Reads the request of a session's `accept`. Its texts cross as strings, not as JSON, because a candidate may
 * be long.
 *
 * @returns {{
 *   jobId: string | undefined,
 *   stepToken: string | undefined,
 *   candidateText: string | undefined,
 *   unread: object[] | undefined,
 * }} `candidateText` is {@link wellFormed}.
 */
function readSubmission(args) {
  const { parts, unread } = readParts(args, ACCEPT);
  return {
    jobId: own(parts, 'jobId') ?? undefined,
    stepToken: own(parts, 'stepToken') ?? undefined,
    candidateText: own(parts, 'candidateText') ?? undefined,
    unread,
  };
}

/** Reads the parts of the one argument, and collects the `unread` ones. */
function readParts(args, { keys, readers }) {
  const unread = [];
  let parts;
  try {
    if (args.length !== 1)
      throw new Refusal(`expected exactly one argument, the request, got ${args.length}`);
    if (typeof args[0] === 'string')
      throw new Refusal('request must be a plain object, got a string; write { input: it }');
    parts = readMembers(args[0], 'request', { ...keys });
    checkCallbacks(parts);
  } catch (thrown) {
    unread.push(faultAt('request', messageOf(thrown, 'request')));
    return { parts: { jobId: namedJob(args[0]) }, unread };
  }
  for (const [name, read] of readers) {
    if (parts[name] === undefined) continue;
    try {
      parts[name] = read(parts[name], name, unread);
    } catch (thrown) {
      unread.push(faultAt(name, messageOf(thrown, name)));
      parts[name] = null;
    }
  }
  return { parts, unread: unread.length === 0 ? undefined : unread };
}

function checkCallbacks(parts) {
  const signal = own(parts, 'signal');
  const onCore = own(parts, 'onCore');
  if (onCore !== undefined && typeof onCore !== 'function')
    throw new Refusal(`onCore must be a function, got ${kind(onCore)}`);
  if (signal !== undefined && !isAbortSignal(signal))
    throw new Refusal(
      `signal must be an AbortSignal, got ${kind(signal)}${hasSignal(signal) ? '; pass its signal' : ''}`,
    );
}

/** Makes an `unread` entry for another reason than the kind. */
const faultAt = (place, fault) => ({ place, kind: undefined, fault });

/** Returns the job that a refused request names, so that the reply can give its state. */
function namedJob(request) {
  try {
    const property = getOwnPropertyDescriptor(request, 'jobId');
    return hasOwn(property, 'value') && isText(property.value) ? property.value : undefined;
  } catch {
    return undefined; // No object, no such key, or a proxy that throws.
  }
}

function textAt(value, place, unread) {
  return isText(value) ? value : noted(value, place, unread);
}

function candidateAt(value, place, unread) {
  if (typeof value === 'string') return wellFormed(value);
  const hint = '; pass its JSON text: JSON.stringify(candidate)';
  return noted(value, place, unread, typeof value === 'object' && value !== null ? hint : '');
}

function contextAt(context, place, unread) {
  return Array.isArray(context)
    ? elementsAt(context, place, unread, messageAt)
    : scalarAt(context, place, unread);
}

function messageAt(message, place, unread) {
  if (typeof message !== 'object' || message === null || Array.isArray(message))
    return scalarAt(message, place, unread);
  const read = readMembers(message, place, { role: undefined, content: undefined });
  for (const name of ['role', 'content']) {
    if (read[name] !== undefined) read[name] = scalarAt(read[name], `${place}.${name}`, unread);
  }
  return read;
}

/** An AbortController, most likely. */
function hasSignal(value) {
  return typeof value === 'object' && value !== null && isAbortSignal(value.signal);
}

/** Returns whether a value is an AbortSignal of any realm, or a library's object with its shape. */
function isAbortSignal(value) {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof value.aborted === 'boolean' &&
    typeof value.addEventListener === 'function' &&
    typeof value.removeEventListener === 'function'
  );
}

module.exports = {
  CANCEL,
  CHECK,
  PARSE,
  PREPARE,
  faultAt,
  isAbortSignal,
  readRequest,
  readSubmission,
};
