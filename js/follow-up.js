'use strict';
// Builds the next request of a dialogue from the open questions and the user's answers.

const { IntentError, isIntentError } = require('./errors.js');
const { property } = require('./own.js');

/** A limit for arrays of callers, whose length can be arbitrary; no result has nearly as many questions. */
const MOST = 10_000;

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

/** Returns the questions to the user: those of a result, or the issues of an error. */
const questionsOf = (result, issues) => {
  const asked = itemsOf(memberOf(result, 'intents'), 'intents').flatMap((item) =>
    itemsOf(memberOf(item, 'clarification'), 'clarification').map((each) =>
      memberOf(each, 'question'),
    ),
  );
  const missing = itemsOf(issues, 'issues')
    .filter((issue) => memberOf(issue, 'category') === 'business_information')
    .map((issue) => memberOf(issue, 'message'));
  return [...asked, ...missing].filter(isText);
};

const readAnswers = (answers) => {
  const texts = typeof answers === 'string' ? [answers] : itemsOf(answers, 'answers');
  if (texts.length === 0)
    throw invalid('answers must be a string, or an array of strings that is not empty.');
  const bad = texts.findIndex((text) => !isText(text));
  if (bad >= 0) throw invalid(`answers[${bad}] must be a string that is not blank.`);
  return texts;
};

const nextRequest = (outcome, answers) => {
  const failed = isIntentError(outcome);
  const result = failed ? memberOf(outcome, 'partialResult') : outcome;
  const input = memberOf(result, 'input');
  if (typeof input !== 'string')
    throw invalid(
      'followUp takes a result of parse, or an IntentError with partialResult: others leave nothing to ask for.',
    );
  const texts = readAnswers(answers);
  const questions = questionsOf(result, failed ? memberOf(outcome, 'issues') : []);
  if (questions.length === 0)
    throw invalid('nothing is open: no intent needs a clarification, and no field is missing.');
  return {
    // The input contains the whole request, so that no information is lost between rounds.
    input: [input, ...texts].join('\n'),
    context: [
      { role: 'user', content: input },
      { role: 'assistant', content: questions.join('\n') },
    ],
  };
};

exports.followUp = (outcome, answers) => {
  try {
    return nextRequest(outcome, answers);
  } catch (cause) {
    if (isIntentError(cause)) throw cause;
    const message =
      'The result or the answers cannot be read: a getter or proxy threw. Pass plain objects.';
    throw new IntentError('INPUT_INVALID', { message, cause });
  }
};
