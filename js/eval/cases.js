'use strict';
// Reads and checks cases, one JSON object per line. All cases are checked before a model is asked, so
// that a mistake in line 9,000 costs no tokens.

const { createReadStream } = require('node:fs');
const { createInterface } = require('node:readline');
const { shown, quoted } = require('../text.js');

/** The error for a mistake in a case or an option; its message gives the place and the mistake. */
class EvaluationError extends Error {
  name = 'EvaluationError';
}

const KEYS = [
  'id',
  'lang',
  'tags',
  'note',
  'input',
  'context',
  'fields',
  'schema',
  'config',
  'expect',
  'gold',
  'wrong',
  'shutOut',
];
const EXPECT_KEYS = [
  'outcome',
  'primaryIntent',
  'normalizedInput',
  'intents',
  'order',
  'requirements',
  'prohibitions',
  'stated',
  'text',
  'data',
  'values',
  'fields',
  'issues',
  'otherIssues',
];
const INTENT_KEYS = ['action', 'status', 'target', 'requirements', 'reason', 'questions'];
const TEXT_KEYS = ['all', 'any', 'none', 'equals', 'pattern'];
const LIST_KEYS = ['count', 'has', 'none'];
const VALUE_KEYS = [
  'equals',
  'anyOf',
  'sameItems',
  'object',
  'loose',
  'absent',
  'optional',
  'text',
  'min',
  'max',
];
const CONFIG_KEYS = [
  'language',
  'repairAttempts',
  'timeoutMs',
  'limits',
  'unknownKeywords',
  'evidence',
  'evidenceFrom',
  'proof',
  'dataWithoutIntent',
];

/** Returns the mistake in a case, or `undefined`. */
function caseFault(one) {
  if (!isObject(one)) return 'a case must be a JSON object';
  const fault = keysFault('', one, KEYS) ?? partsFault(one);
  if (fault !== undefined) return fault;
  return expectFault(one.expect) ?? wrongFault(one.wrong);
}

function partsFault({ id, input, tags, lang, config, schema, expect }) {
  if (typeof id !== 'string' || id === '') return '"id" must be a string that is not empty';
  if (typeof input !== 'string') return '"input" must be a string';
  if (tags !== undefined && !isTexts(tags)) return '"tags" must be an array of strings';
  if (lang !== undefined && typeof lang !== 'string') return '"lang" must be a string';
  if (schema !== undefined && !isObject(schema)) return '"schema" must be a JSON Schema object';
  if (config !== undefined && !isObject(config)) return '"config" must be an object';
  if (!isObject(expect)) return '"expect" must be an object';
  return config === undefined ? undefined : keysFault('config', config, CONFIG_KEYS);
}

function expectFault(expect) {
  const parts = [
    keysFault('expect', expect, EXPECT_KEYS),
    expect.primaryIntent && textFault('expect.primaryIntent', expect.primaryIntent),
    expect.normalizedInput && textFault('expect.normalizedInput', expect.normalizedInput),
    expect.text && textFault('expect.text', expect.text),
    ...['requirements', 'prohibitions', 'stated'].map(
      (name) => expect[name] && listFault(`expect.${name}`, expect[name]),
    ),
    intentsFault(expect.intents),
    expect.data !== undefined && !isObject(expect.data) && 'expect.data must be an object',
    ...Object.entries(expect.values ?? {}).map(([pointer, wanted]) =>
      pointer.startsWith('/')
        ? keysFault(`expect.values[${quoted(pointer)}]`, wanted, VALUE_KEYS)
        : `expect.values: ${quoted(pointer)} is not a JSON Pointer`,
    ),
    expect.issues !== undefined &&
      !Array.isArray(expect.issues) &&
      'expect.issues must be an array',
    ...(expect.issues ?? []).map((issue, i) =>
      keysFault(`expect.issues[${i}]`, issue, ['code', 'path']),
    ),
  ];
  return parts.find((fault) => typeof fault === 'string');
}

function intentsFault(intents) {
  if (intents === undefined) return undefined;
  if (!Array.isArray(intents)) return keysFault('expect.intents', intents, ['count']);
  return intents
    .flatMap((one, i) => {
      const at = `expect.intents[${i}]`;
      return [
        keysFault(at, one, INTENT_KEYS),
        one?.target && textFault(`${at}.target`, one.target),
        one?.reason && textFault(`${at}.reason`, one.reason),
        one?.requirements && listFault(`${at}.requirements`, one.requirements),
        one?.questions && listFault(`${at}.questions`, one.questions),
      ];
    })
    .find((fault) => typeof fault === 'string');
}

function listFault(at, list) {
  if (Array.isArray(list)) return firstOf(list, (one, i) => textFault(`${at}[${i}]`, one));
  return (
    keysFault(at, list, LIST_KEYS) ??
    firstOf(list.has ?? [], (one, i) => textFault(`${at}.has[${i}]`, one)) ??
    firstOf(list.none ?? [], (one, i) => textFault(`${at}.none[${i}]`, one))
  );
}

function textFault(at, text) {
  if (typeof text === 'string') return undefined;
  const fault = keysFault(at, text, TEXT_KEYS);
  if (fault !== undefined) return fault;
  return firstOf([text.pattern ?? []].flat(), (pattern) => {
    try {
      new RegExp(pattern, 'iu');
      return undefined;
    } catch {
      return `${at}.pattern: ${quoted(String(pattern))} is no regular expression`;
    }
  });
}

function wrongFault(wrong = []) {
  if (!Array.isArray(wrong)) return '"wrong" must be an array';
  return firstOf(wrong, (one, i) => {
    const fault = keysFault(`wrong[${i}]`, one, ['check', 'why', 'core', 'data']);
    if (fault !== undefined) return fault;
    return typeof one.check === 'string' ? undefined : `wrong[${i}].check must name a check`;
  });
}

const firstOf = (list, faultOf) => {
  for (const [i, one] of list.entries()) {
    const fault = faultOf(one, i);
    if (typeof fault === 'string') return fault;
  }
  return undefined;
};

function keysFault(at, value, known) {
  if (!isObject(value)) return `${at} must be an object`;
  const other = Object.keys(value).find((key) => !known.includes(key));
  if (other === undefined) return undefined;
  return `${at === '' ? 'a case' : at} has the unknown key ${quoted(other)}; it takes ${known.join(', ')}`;
}

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const isTexts = (value) => Array.isArray(value) && value.every((one) => typeof one === 'string');

/** Reads and checks the cases of a JSONL file, one at a time; blank lines are ignored. */
async function* readCases(file) {
  const lines = createInterface({
    input: createReadStream(file),
    crlfDelay: Number.POSITIVE_INFINITY,
  });
  let number = 0;
  for await (const line of lines) {
    number += 1;
    if (line.trim() === '') continue;
    yield checked(parsed(line, `${file}:${number}`), `${file}:${number}`);
  }
}

function parsed(line, place) {
  try {
    return JSON.parse(line.replace(/^\ufeff/, ''));
  } catch (error) {
    throw new EvaluationError(`${place}: not a JSON object on one line (${shown(error.message)}).`);
  }
}

/** Returns a well-formed case; throws an {@link EvaluationError} for any other. */
function checked(one, place) {
  const fault = caseFault(one);
  if (fault === undefined) return one;
  const id = typeof one?.id === 'string' ? ` (id ${quoted(one.id)})` : '';
  throw new EvaluationError(`${place}${id}: ${fault}.`);
}

/**
 * Counts all cases and checks that no id occurs twice. `open` returns the cases anew at each call, so
 * that they need not be kept in memory.
 */
async function survey(open) {
  const ids = new Set();
  for await (const one of open()) {
    if (ids.has(one.id)) throw new EvaluationError(`the id ${quoted(one.id)} stands twice.`);
    ids.add(one.id);
  }
  return ids.size;
}

module.exports = { EvaluationError, readCases, checked, survey };
