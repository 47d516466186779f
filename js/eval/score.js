'use strict';
// Compares the outcome of a recognition with the expectation of a case. Every check has a name, so that
// a report can count the wrong ones for each part of a result: `outcome`, `intents/count`,
// `intents/0/target`, `prohibitions`, `data/amount`, `issues`, ...

const { isDeepStrictEqual } = require('node:util');
const { tokensOf, valueAt } = require('../pointer.js');
const { listOf, textFault } = require('./text.js');

/**
 * @param {object} expect - The expectation of the case; see `CaseExpectation` in eval.d.ts.
 * @param {{ result?: object, error?: object }} outcome - The result, or the error's `toJSON()`.
 * @returns {{ right: boolean, checks: string[], failed: { check, expected, got }[] }}
 */
function score(expect, outcome) {
  const card = new Card();
  const code = outcome.error?.code ?? 'result';
  const wanted = expect.outcome ?? (expect.issues ? 'DATA_EXTRACTION_FAILED' : 'result');
  const met = listOf(wanted).includes(code);
  card.check('outcome', met, wanted, () => summaryOf(outcome));
  const result = outcome.result ?? outcome.error?.partialResult;
  // Without a result, one fault is enough; the other checks have nothing to compare.
  if (result === undefined) return card;
  scoreCore(card, expect, result);
  if (met && outcome.result) scoreData(card, expect, result.data);
  if (expect.issues) scoreIssues(card, expect, outcome.error?.issues ?? []);
  return card;
}

class Card {
  checks = [];
  failed = [];

  get right() {
    return this.failed.length === 0;
  }

  check(name, ok, expected, got) {
    this.checks.push(name);
    if (!ok)
      this.failed.push({ check: name, expected, got: typeof got === 'function' ? got() : got });
  }

  /** Checks a text. */
  text(name, expected, text) {
    const fault = textFault(expected, text);
    this.check(name, fault === undefined, expected, () => ({ text: text ?? null, fault }));
  }
}

const summaryOf = ({ error }) =>
  error === undefined ? 'result' : { code: error.code, message: error.message };

// -----------------------------------------------------------------------------------------------
// The core result

function scoreCore(card, expect, result) {
  if (expect.primaryIntent === null)
    card.check('primaryIntent', result.primaryIntent === null, null, result.primaryIntent);
  else if (expect.primaryIntent !== undefined)
    card.text('primaryIntent', expect.primaryIntent, result.primaryIntent);
  if (expect.normalizedInput !== undefined)
    card.text('normalizedInput', expect.normalizedInput, result.normalizedInput);
  if (expect.intents !== undefined) scoreIntents(card, expect, result.intents);
  scoreTexts(card, 'requirements', expect.requirements, result.requirements);
  scoreTexts(card, 'prohibitions', expect.prohibitions, result.prohibitions);
  const stated = () => [
    ...result.requirements,
    ...result.intents.flatMap((intent) => intent.requirements),
  ];
  scoreTexts(card, 'stated', expect.stated, expect.stated && stated());
  if (expect.text !== undefined) card.text('text', expect.text, wordsOf(result).join('\n'));
}

/** Returns all text of the core result that the model wrote, in order. */
function wordsOf(result) {
  const ofIntent = (intent) => [
    intent.target,
    ...intent.requirements,
    intent.reason,
    ...(intent.clarification ?? []).flatMap(({ question, options }) => [question, ...options]),
  ];
  return [
    result.normalizedInput,
    result.primaryIntent,
    ...result.requirements,
    ...result.intents.flatMap(ofIntent),
    ...result.prohibitions,
  ].filter((text) => typeof text === 'string');
}

/** Checks `{ count?, has?, none? }`, or an array, which is short for `has`. */
function scoreTexts(card, name, expected, texts) {
  if (expected === undefined) return;
  const { count, has = [], none = [] } = Array.isArray(expected) ? { has: expected } : expected;
  const missing = has.find((one) => !texts.some((text) => textFault(one, text) === undefined));
  const unwanted = none.find((one) => texts.some((text) => textFault(one, text) === undefined));
  const counted = count === undefined || isCount(count, texts.length);
  const ok = missing === undefined && unwanted === undefined && counted;
  card.check(name, ok, expected, texts);
}

const isCount = (expected, count) =>
  typeof expected === 'number'
    ? count === expected
    : count >= (expected.min ?? 0) && count <= (expected.max ?? Number.POSITIVE_INFINITY);

function scoreIntents(card, expect, intents) {
  const wanted = expect.intents;
  const list = Array.isArray(wanted) ? wanted : [];
  const count = Array.isArray(wanted) ? list.length : wanted.count;
  const got = () => intents.map(({ action, target, status }) => ({ action, target, status }));
  const counted = isCount(count, intents.length);
  card.check('intents/count', counted, count, got);
  if (list.length === 0) return;
  const inOrder = expect.order !== 'any';
  const shuffled = counted && inOrder && isShuffled(list, intents);
  if (counted && inOrder && list.length > 1)
    card.check('intents/order', !shuffled, actionsAndTargets(list), got);
  const asTheyStand = counted && inOrder && !shuffled;
  const pairs = asTheyStand ? list.map((_, i) => i) : assignIntents(list, intents);
  list.forEach((one, i) => {
    if (intents[pairs[i]] !== undefined) scoreIntent(card, `intents/${i}`, one, intents[pairs[i]]);
  });
}

const actionsAndTargets = (list) => list.map(({ action, target }) => ({ action, target }));

/** Returns whether all expected intents are present, but in another order. */
function isShuffled(list, intents) {
  const meets = (one, intent) => faultsOf(one, intent) === 0;
  if (list.every((one, i) => meets(one, intents[i]))) return false;
  const pairs = assignIntents(list, intents);
  return pairs.some((at, i) => at !== i) && pairs.every((at, i) => meets(list[i], intents[at]));
}

const faultsOf = (one, intent) => {
  const card = new Card();
  scoreIntent(card, '', one, intent);
  return card.failed.length;
};

/** Returns for each expected intent the index of the actual intent that fits best and is not yet assigned. */
function assignIntents(list, intents) {
  const free = new Set(intents.keys());
  const pairs = new Array(list.length);
  const options = list.flatMap((one, i) =>
    intents.map((intent, at) => ({ i, at, faults: faultsOf(one, intent) })),
  );
  options.sort((a, b) => a.faults - b.faults || Math.abs(a.i - a.at) - Math.abs(b.i - b.at));
  for (const { i, at } of options) {
    if (pairs[i] !== undefined || !free.has(at)) continue;
    pairs[i] = at;
    free.delete(at);
  }
  return pairs;
}

function scoreIntent(card, name, expected, intent) {
  const { action, status, target, requirements, reason, questions } = expected;
  if (action !== undefined)
    card.check(`${name}/action`, listOf(action).includes(intent.action), action, intent.action);
  if (status !== undefined)
    card.check(`${name}/status`, listOf(status).includes(intent.status), status, intent.status);
  if (target === null) card.check(`${name}/target`, intent.target === null, null, intent.target);
  else if (target !== undefined) card.text(`${name}/target`, target, intent.target);
  scoreTexts(card, `${name}/requirements`, requirements, intent.requirements);
  if (reason !== undefined) card.text(`${name}/reason`, reason, intent.reason);
  if (questions !== undefined) {
    const asked = (intent.clarification ?? []).map(({ question, options }) =>
      [question, ...options].join('\n'),
    );
    scoreTexts(card, `${name}/questions`, questions, asked);
  }
}

// -----------------------------------------------------------------------------------------------
// Fields

function scoreData(card, expect, data) {
  if (expect.data !== undefined) {
    const names = new Set([...Object.keys(expect.data), ...Object.keys(data)]);
    for (const name of names) {
      const wanted = Object.hasOwn(expect.data, name) ? expect.data[name] : undefined;
      const got = Object.hasOwn(data, name) ? data[name] : undefined;
      card.check(`data/${name}`, sameValue(wanted, got), wanted ?? null, got ?? null);
    }
    if (names.size === 0) card.check('data', true);
  }
  for (const [pointer, wanted] of Object.entries(expect.values ?? {})) {
    const got = valueAt(data, tokensOf(pointer));
    const fault = valueFault(wanted, got);
    card.check(`data${pointer}`, fault === undefined, wanted, () => ({
      value: got ?? null,
      fault,
    }));
  }
  if (expect.fields !== undefined) {
    const extra = Object.keys(data).filter((name) => !expect.fields.includes(name));
    card.check('data/fields', extra.length === 0, expect.fields, Object.keys(data));
  }
}

/** Compares as JSON: the order of keys does not matter, and -0 equals 0. */
const sameValue = (a, b) => isDeepStrictEqual(canonical(a), canonical(b));
const canonical = (value) =>
  Array.isArray(value)
    ? value.map(canonical)
    : typeof value === 'object' && value !== null
      ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, canonical(inner)]))
      : Object.is(value, -0)
        ? 0
        : value;

/** Returns the part of a value expectation that a value does not meet; an absent value is `undefined`. */
function valueFault(wanted, got) {
  if (got === undefined) return wanted.absent || wanted.optional ? undefined : 'is absent';
  if (wanted.absent === true) return 'is present';
  const same = wanted.loose === true ? (a, b) => sameValue(fold(a), fold(b)) : sameValue;
  if ('equals' in wanted && !same(wanted.equals, got)) return 'is another value';
  if (wanted.anyOf && !wanted.anyOf.some((one) => same(one, got))) return 'is none of the values';
  if (wanted.sameItems && !sameItems(wanted.sameItems, got, same)) return 'holds other items';
  if (wanted.object !== undefined) return membersFault(wanted.object, got);
  if (wanted.text !== undefined) return textOf(wanted.text, got);
  if (wanted.min !== undefined && !(got >= wanted.min)) return `is below ${wanted.min}`;
  if (wanted.max !== undefined && !(got <= wanted.max)) return `is above ${wanted.max}`;
  return undefined;
}

const textOf = (wanted, got) => (typeof got === 'string' ? textFault(wanted, got) : 'is no text');

/** Checks each member by its own expectation, and that there are no other members. */
function membersFault(wanted, got) {
  if (typeof got !== 'object' || got === null || Array.isArray(got)) return 'is no object';
  for (const name of new Set([...Object.keys(wanted), ...Object.keys(got)])) {
    if (!Object.hasOwn(wanted, name)) return `${name} was not expected`;
    const fault = valueFault(wanted[name], Object.hasOwn(got, name) ? got[name] : undefined);
    if (fault !== undefined) return `${name} ${fault}`;
  }
  return undefined;
}

/** Removes case, space and punctuation from the strings of a value. */
function fold(value) {
  if (typeof value === 'string')
    return value
      .normalize('NFKC')
      .toLowerCase()
      .replace(/[\s\p{P}^]/gu, '');
  if (Array.isArray(value)) return value.map(fold);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fold(inner)]));
}

/** Checks that an array has the same items, in any order. */
function sameItems(wanted, got, same) {
  if (!Array.isArray(got) || got.length !== wanted.length) return false;
  const rest = [...got];
  return wanted.every((one) => {
    const index = rest.findIndex((other) => same(one, other));
    if (index >= 0) rest.splice(index, 1);
    return index >= 0;
  });
}

/** Checks that every expected issue is present, and no other unless `otherIssues` allows it. */
function scoreIssues(card, expect, issues) {
  const rest = [...issues];
  const missing = expect.issues.filter((wanted) => {
    const index = rest.findIndex((issue) => isIssue(wanted, issue));
    if (index >= 0) rest.splice(index, 1);
    return index < 0;
  });
  const ok = missing.length === 0 && (rest.length === 0 || expect.otherIssues === true);
  card.check('issues', ok, expect.issues, () => issues.map(({ code, path }) => ({ code, path })));
}

const isIssue = (wanted, issue) =>
  (wanted.code === undefined || listOf(wanted.code).includes(issue.code)) &&
  (wanted.path === undefined || [wanted.path].flat().some((path) => isPath(path, issue.path)));

/** A path that ends in `/*` matches everything below it. */
const isPath = (wanted, path) =>
  typeof wanted === 'string' && wanted.endsWith('/*')
    ? typeof path === 'string' && path.startsWith(wanted.slice(0, -1))
    : wanted === path;

module.exports = { score };
