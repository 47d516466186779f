'use strict';
// Checks the text of a script without the request that it will answer: a core candidate completely, a data
// candidate against a request that is made from its own quotes. Rules that depend on a schema and a user's
// text are checked by `dataCandidate`, or when the recognition runs.

const { coreText } = require('../eval/candidates.js');
const { escapeToken, tokensOf } = require('../pointer.js');
const { misuse, refusalError, runCandidates } = require('./check.js');

const CORE = coreText({ intents: [{ action: 'other' }] }, 'A request.');

const REWRITE =
  'To script an answer that the runtime rejects, give a function that returns it as { outcome: "complete", text }.';

/** Checks a text, and returns the stage of its candidate. */
const checkText = (text, what, wanted) => {
  const stage = stageOf(text, what);
  if (wanted !== undefined && stage !== wanted)
    throw misuse(`${what} is a ${stage} candidate, and stands under "${wanted}".`);
  const error = stage === 'core' ? coreError(text) : dataError(text);
  if (error !== undefined) throw refusalError(what, error, REWRITE);
  return stage;
};

const stageOf = (text, what) => {
  let whole;
  try {
    whole = JSON.parse(text);
  } catch {
    throw misuse(`${what} is not JSON, so the runtime would refuse it. ${REWRITE}`);
  }
  const isObject = typeof whole === 'object' && whole !== null;
  if (isObject && Object.hasOwn(whole, 'intents')) return 'core';
  if (isObject && Object.hasOwn(whole, 'data')) return 'data';
  throw misuse(
    `${what} is neither a core candidate ("intents") nor a data candidate ("data"). ${REWRITE}`,
  );
};

const coreError = (text) => {
  const errorOf = (proof) => runCandidates({ proof }, { input: 'A request.' }, [text]).error;
  const error = errorOf('full');
  return error && errorOf('brief') && error;
};

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const arrayOf = (value) => (Array.isArray(value) ? value.filter(isObject) : []);

const dataError = (text) => {
  const candidate = JSON.parse(text);
  const isBrief = !Object.hasOwn(candidate, 'evidence');
  const fields = fieldsOf(candidate, isBrief);
  if (fields.length === 0) return undefined;
  const config = {
    proof: isBrief ? 'brief' : 'full',
    evidence: 'any',
    schema: {
      type: 'object',
      properties: Object.fromEntries(fields.map((field) => [field, {}])),
    },
  };
  const { error } = runCandidates(config, requestOf(candidate), [CORE, text]);
  // Other faults concern the request that was constructed here.
  return error?.stage === 'data' && error.code === 'MODEL_OUTPUT_INVALID' ? error : undefined;
};

/** Returns the fields that a candidate mentions. */
const fieldsOf = ({ data, fieldResults, notes }, isBrief) => {
  const depth = isBrief ? 0 : 1;
  const named = [...arrayOf(fieldResults), ...arrayOf(notes)]
    .map(({ path }) => (typeof path === 'string' ? tokensOf(path)[depth] : undefined))
    .filter((name) => name !== undefined);
  return [...new Set([...(isObject(data) ? Object.keys(data) : []), ...named])];
};

/** Makes a request whose sources contain every quote of a candidate. */
const requestOf = (candidate) => {
  const sources = new Map([['input', ['A request.']]]);
  const add = (id, quote) => {
    if (typeof id !== 'string' || typeof quote !== 'string') return;
    sources.set(id, [...(sources.get(id) ?? []), quote]);
  };
  for (const list of [candidate.evidence, candidate.descriptionChecks])
    for (const entry of arrayOf(list))
      for (const { sourceId, quote } of arrayOf(entry.sources)) add(sourceId, quote);
  const quotes = arrayOf(candidate.quotes);
  for (const { source, quote } of quotes) add(source, quote);
  const proved = new Set(quotes.map(({ path }) => path));
  if (candidate.evidence === undefined)
    eachWord(candidate.data, '', (path, word) => proved.has(path) || add('input', word));
  const indexes = [...sources.keys()].map((id) =>
    Number(/^context:(\d{1,2})$/.exec(id)?.[1] ?? -1),
  );
  return {
    input: sources.get('input').join('\n'),
    context: Array.from({ length: Math.max(...indexes) + 1 }, (_, i) => ({
      role: 'user',
      content: (sources.get(`context:${i}`) ?? []).join('\n'),
    })),
  };
};

/** Yields each string and number inside a value. */
const eachWord = (value, path, visit) => {
  if (typeof value === 'string' || typeof value === 'number') visit(path, String(value));
  else if (typeof value === 'object' && value !== null)
    for (const [key, below] of Object.entries(value))
      eachWord(below, `${path}/${escapeToken(key)}`, visit);
};

module.exports = { checkText };
