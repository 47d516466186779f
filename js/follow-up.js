'use strict';
// The next request of a dialogue, made of what stayed open and what the user answered.

const { IntentError, isIntentError } = require('./errors.js');
const { property } = require('./own.js');
const { readElements, readMembers } = require('./plain/objects.js');
const { Refusal, refused } = require('./plain/refusal.js');
const { PARSE_KEYS, PREPARE_KEYS } = require('./plain/request.js');

/** An array's length can be anything; no result asks more by far. */
const MOST = 10_000;

/** The issues that an answer of the user can settle. */
const ANSWERABLE = ['business_information', 'definition'];

const invalid = (message) => new IntentError('INPUT_INVALID', { message });

const isObject = (value) => typeof value === 'object' && value !== null;

const isText = (value) => typeof value === 'string' && value.trim() !== '';

const memberOf = (value, key) => (isObject(value) ? property(value, key) : undefined);

/** The items of an array; none of anything else. */
const itemsOf = (value, what) => {
  if (!Array.isArray(value)) return [];
  const { length } = value;
  if (!(length <= MOST)) throw invalid(`${what} must hold at most ${MOST} entries.`);
  // By index: an iterator of the caller's may have no end.
  return Array.from({ length }, (_, i) => value[i]);
};

/** An error of this package, or the object that its toJSON() gave. */
const isFailure = (outcome) =>
  isIntentError(outcome) || typeof memberOf(outcome, 'code') === 'string';

/** What an outcome says: the input, where core succeeded, and what is open. */
const readOutcome = (outcome) => {
  const failed = isFailure(outcome);
  const result = failed ? memberOf(outcome, 'partialResult') : outcome;
  const input = memberOf(result, 'input');
  if (!failed && typeof input !== 'string')
    throw invalid(
      'expected a result of parse, an IntentError, or the object that its toJSON() returned.',
    );
  if (typeof input !== 'string') return { input: undefined, questions: [] };
  const issues = failed ? memberOf(outcome, 'issues') : [];
  return { input, questions: questionsOf(memberOf(result, 'intents'), issues) };
};

/** The questions of the intents, then the messages of the issues, each text once. */
const questionsOf = (intents, issues) => {
  const open = new Set();
  const add = (text) => {
    if (isText(text)) open.add(text);
    if (open.size > MOST) throw invalid(`at most ${MOST} questions can be open.`);
  };
  for (const item of itemsOf(intents, 'intents'))
    for (const each of itemsOf(memberOf(item, 'clarification'), 'clarification'))
      add(memberOf(each, 'question'));
  for (const issue of itemsOf(issues, 'issues'))
    if (ANSWERABLE.includes(memberOf(issue, 'category'))) add(memberOf(issue, 'message'));
  return [...open];
};

/** One text for everything, or one for each question. */
const readAnswers = (answers, { length }) => {
  const texts = typeof answers === 'string' ? [answers] : itemsOf(answers, 'answers');
  if (texts.length === 0)
    throw invalid('answers must be a string, or an array of strings that is not empty.');
  const bad = texts.findIndex((text) => !isText(text));
  if (bad >= 0) throw invalid(`answers[${bad}] must be a string that is not blank.`);
  if (typeof answers !== 'string' && texts.length !== length)
    throw invalid(
      `answers has ${texts.length} texts, and ${length} questions are open: give one for each of openQuestions, or one string for all.`,
    );
  return texts;
};

/** The previous request's parts that the next one keeps; none where no request is given. */
const readPrevious = (request) => {
  if (request === undefined) return { kept: {} };
  try {
    const keys = { ...PARSE_KEYS, ...PREPARE_KEYS };
    const { input, context, instance, fields, evidence } = readMembers(request, 'request', keys);
    return { input, context: readContext(context), kept: { instance, fields, evidence } };
  } catch (thrown) {
    throw refused(thrown, 'INPUT_INVALID', 'request');
  }
};

const readContext = (context) => {
  if (!Array.isArray(context)) return context;
  if (context.length > MOST) throw new Refusal(`context must hold at most ${MOST} entries`);
  return readElements(context, () => 'context').map((message, i) => ({
    ...readMembers(message, `context[${i}]`, { role: undefined, content: undefined }),
  }));
};

/** What the user has said since the last question: the input, less what the last messages hold of it. */
const newWords = (input, context) => {
  const said = context.filter(
    ({ role, content }) => role === 'user' && typeof content === 'string',
  );
  for (let first = 0; first < said.length; first++) {
    let at = 0;
    let next = first;
    while (next < said.length && input.startsWith(`${said[next].content}\n`, at))
      at += said[next++].content.length + 1;
    if (next === said.length && at < input.length) return input.slice(at);
  }
  return input;
};

/** The previous context with what was asked now behind it, in the form that the caller chose. */
const nextContext = (context, input, questions) => {
  const asked = questions.join('\n');
  // A text cannot stand beside messages, so it stays one.
  if (typeof context === 'string' && context !== '') return `${context}\n\nassistant: ${asked}`;
  const before = Array.isArray(context) ? context : [];
  return [
    ...before,
    { role: 'user', content: newWords(input, before) },
    { role: 'assistant', content: asked },
  ];
};

const nextRequest = (outcome, answers, request) => {
  const { input, questions } = readOutcome(outcome);
  if (input === undefined)
    throw invalid('an error without partialResult leaves nothing to ask for.');
  const previous = readPrevious(request);
  if (request !== undefined && previous.input !== input)
    throw invalid(
      'request.input must be the input of the outcome: give the request that led to it.',
    );
  if (questions.length === 0)
    throw invalid(
      'nothing is open: no intent needs a clarification, and no issue can be answered.',
    );
  const kept = Object.entries(previous.kept).filter(([, value]) => value !== undefined);
  return {
    // The whole request stands in the input, so that nothing that the user said is lost.
    input: [input, ...readAnswers(answers, questions)].join('\n'),
    context: nextContext(previous.context, input, questions),
    ...Object.fromEntries(kept),
  };
};

/** Runs with what a caller gave, whose getters may throw. */
const typed = (work) => {
  try {
    return work();
  } catch (cause) {
    if (isIntentError(cause)) throw cause;
    const message = 'the outcome or the answers cannot be read: something of them threw.';
    throw new IntentError('INPUT_INVALID', { message, cause });
  }
};

exports.openQuestions = (outcome) => typed(() => readOutcome(outcome).questions);

exports.followUp = (outcome, answers, request) =>
  typed(() => nextRequest(outcome, answers, request));
