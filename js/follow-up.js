'use strict';
// The next request of a dialogue, made of what stayed open and what the user answered.

const { IntentError, isIntentError } = require('./errors.js');

const invalid = (message) => new IntentError('INPUT_INVALID', { message });

const isObject = (value) => typeof value === 'object' && value !== null;

/** What the user was asked: questions of a result, or what an error says is missing or unclear. */
const questionsOf = (result, issues) => [
  ...(result.intents ?? []).flatMap((item) =>
    (item.clarification ?? []).map(({ question }) => question),
  ),
  ...issues
    .filter(({ category }) => category === 'business_information')
    .map(({ message }) => message),
];

const readAnswers = (answers) => {
  const texts = typeof answers === 'string' ? [answers] : answers;
  if (!Array.isArray(texts) || texts.length === 0)
    throw invalid('answers must be a string, or an array of strings that is not empty.');
  const bad = texts.findIndex((text) => typeof text !== 'string' || text.trim() === '');
  if (bad >= 0) throw invalid(`answers[${bad}] must be a string that is not blank.`);
  return texts;
};

exports.followUp = (outcome, answers) => {
  const error = isIntentError(outcome) ? outcome : undefined;
  const result = error === undefined ? outcome : error.partialResult;
  if (!isObject(result) || typeof result.input !== 'string')
    throw invalid(
      'followUp takes a result of parse, or an IntentError with partialResult: others leave nothing to ask for.',
    );
  const texts = readAnswers(answers);
  const questions = questionsOf(result, error?.issues ?? []);
  if (questions.length === 0)
    throw invalid('nothing is open: no intent needs a clarification, and no field is missing.');
  return {
    // The whole request stands in the input, so that round after round nothing is lost.
    input: [result.input, ...texts].join('\n'),
    context: [
      { role: 'user', content: result.input },
      { role: 'assistant', content: questions.join('\n') },
    ],
  };
};
