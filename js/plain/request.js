'use strict';
// The request of `parse` and of a session's `prepare`.
//
// A part that JSON cannot carry crosses as `{"$invalid": "<message>"}` in its place, because the addon
// decides the order of complaints; nothing valid has that shape there.

const { jsonText } = require('../json.js');
const { own } = require('../properties.js');
const { isText, kind, readElements, readMembers, scalar, scalars } = require('./objects.js');
const { Refusal, refused } = require('./refusal.js');

/** The keys that every request has; a copy of ready-made keys costs less than one made of names. */
const COMMON = { input: undefined, fields: undefined, context: undefined, evidence: undefined };
const PARSE_KEYS = { ...COMMON, signal: undefined, onCore: undefined };
const PREPARE_KEYS = { ...COMMON, instance: undefined };

/**
 * Reads the request of `parse`, or of a session's `prepare`.
 *
 * @param {number} count - How many arguments the caller gave.
 * @param {unknown} request
 * @param {object} keys - Every key that it may have: `PARSE_KEYS`, `PREPARE_KEYS` or `COMMON`.
 * @returns {{ text: string, signal: AbortSignal | undefined }} `text` is a JSON object with
 * `instance`, `input`, `fields`, `context` and `evidence` as far as they are given.
 * @throws {IntentError} `INPUT_INVALID`, stage `input`, where the request's shape is wrong.
 */
function readRequest(count, request, keys = COMMON) {
  try {
    checkCount(count);
    if (typeof request === 'string')
      throw new Refusal('request must be a plain object, got a string; write { input: it }');
    const read = readMembers(request, 'request', { ...keys });
    const { input, fields, context, evidence } = read;
    const instance = own(read, 'instance');
    const signal = own(read, 'signal');
    const onCore = own(read, 'onCore');
    if (onCore !== undefined && typeof onCore !== 'function')
      throw new Refusal(`onCore must be a function, got ${kind(onCore)}`);
    if (signal !== undefined && !isAbortSignal(signal))
      throw new Refusal(
        `signal must be an AbortSignal, got ${kind(signal)}${hasSignal(signal) ? '; pass its signal' : ''}`,
      );
    const text = jsonText({
      instance: given(instance, 'instance', ofText),
      input: given(input, 'input', ofText),
      fields: given(fields, 'fields', ofFields),
      context: given(context, 'context', ofContext),
      evidence: given(evidence, 'evidence', ofFlag),
    });
    return { text, signal, onCore };
  } catch (thrown) {
    throw refused(thrown, 'INPUT_INVALID', 'request');
  }
}

function checkCount(count) {
  if (count !== 1) throw new Refusal(`expected exactly one argument, the request, got ${count}`);
}

/** What a part of the request crosses as: itself, or the marker that says why it cannot. */
function given(value, what, read) {
  if (value === undefined) return undefined;
  try {
    return read(value, what);
  } catch (thrown) {
    return { $invalid: refused(thrown, 'INPUT_INVALID', what).message };
  }
}

function ofText(value, what) {
  return scalar(value, what, 'a string');
}

function ofFlag(value, what) {
  return scalar(value, what, 'true or false');
}

function ofFields(fields, what) {
  if (!Array.isArray(fields)) return scalar(fields, what, 'an array of strings');
  const names = readElements(fields, () => what);
  for (let i = 0; i < names.length; i++)
    if (!isText(names[i])) names[i] = scalar(names[i], `${what}[${i}]`, 'a string');
  return names;
}

function ofContext(context, what) {
  if (!Array.isArray(context)) return scalar(context, what, 'a string or an array of messages');
  const messages = readElements(context, () => what);
  for (let i = 0; i < messages.length; i++) messages[i] = ofMessage(messages[i], `${what}[${i}]`);
  return messages;
}

function ofMessage(message, what) {
  if (typeof message !== 'object' || message === null || Array.isArray(message))
    return scalar(message, what, 'a plain object');
  const read = readMembers(message, what, { role: undefined, content: undefined });
  return isText(read.role) && isText(read.content) ? read : scalars(read, MESSAGE_MUST, `${what}.`);
}

const MESSAGE_MUST = {
  role: '"user", "assistant" or "tool"',
  content: 'a string (of a message in parts, their texts joined)',
};

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

module.exports = { PARSE_KEYS, PREPARE_KEYS, checkCount, isAbortSignal, readRequest };
