'use strict';
// Builds the next request of a dialogue from the open questions and the user's answers.

const { IntentError, isIntentError } = require('./errors.js');
const { property } = require('./properties.js');
const { readElements, readMembers } = require('./plain/objects.js');
const { Refusal, refused } = require('./plain/refusal.js');
const { PARSE, PREPARE } = require('./plain/request.js');

/** A limit for arrays of callers, whose length can be arbitrary; no result has nearly as many questions. */
const MOST = 10_000;

/** The categories of the issues that an answer of the user can settle. */
const ANSWERABLE = ['business_information', 'definition'];

const invalid = (message) => new IntentError('INPUT_INVALID', { message });

const isObject = (value) => typeof value === 'object' && value !== null;

const isText = (value) => typeof value === 'string' && value.trim() !== '';

const memberOf = (value, key) => (isObject(value) ? property(value, key) : undefined);

/** Returns the items of an array, and an empty list for any other value. */
const itemsOf = (value, what) => {
  if (!Array.isArray(value)) return [];
  const { length } = value;
  if (!(length <= MOST)) throw invalid(`${what} must have at most ${MOST} entries.`);
  // By index, because a caller's iterator may be infinite.
  return Array.from({ length }, (_, i) => value[i]);
};

/** Returns whether an outcome is an error of this package, or the return value of its toJSON(). */
const isFailure = (outcome) =>
  isIntentError(outcome) || typeof memberOf(outcome, 'code') === 'string';

/** Returns the input and the open questions of an outcome; no input if core has not succeeded. */
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

/** Returns the questions of the intents, then the messages of the issues, each text once. */
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

/** Reads the answers: one text for all questions, or one for each. */
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

/** Returns the parts of the previous request that the next one keeps; none without a request. */
const readPrevious = (request) => {
  if (request === undefined) return { kept: {} };
  try {
    const keys = { ...PARSE.keys, ...PREPARE.keys };
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

/** Returns what the user said since the last question: the input without what the last messages repeat. */
const newWords = (input, context) => {
  const messages = context.filter(
    ({ role, content }) => role === 'user' && typeof content === 'string',
  );
  for (let first = 0; first < messages.length; first++) {
    let at = 0;
    let next = first;
    while (next < messages.length && input.startsWith(`${messages[next].content}\n`, at))
      at += messages[next++].content.length + 1;
    if (next === messages.length && at < input.length) return input.slice(at);
  }
  return input;
};

/** Returns the previous context, followed by the questions, in the form that the caller chose. */
const nextContext = (context, input, questions) => {
  const asked = questions.join('\n');
  // A context is one text or messages, never both.
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
    // The input contains the whole request, so that no information is lost between rounds.
    input: [input, ...readAnswers(answers, questions)].join('\n'),
    context: nextContext(previous.context, input, questions),
    ...Object.fromEntries(kept),
  };
};

/** Runs `work` on values of a caller, whose getters may throw. */
const withTypedErrors = (work) => {
  try {
    return work();
  } catch (cause) {
    if (isIntentError(cause)) throw cause;
    const message =
      'The result or the answers cannot be read: a getter or proxy threw. Pass plain objects.';
    throw new IntentError('INPUT_INVALID', { message, cause });
  }
};

exports.openQuestions = (outcome) => withTypedErrors(() => readOutcome(outcome).questions);

exports.followUp = (outcome, answers, request) =>
  withTypedErrors(() => nextRequest(outcome, answers, request));
