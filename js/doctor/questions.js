'use strict';
// The questions that the doctor asks a service. They contain no user data.

/**
 * A question whose answer shows whether the service honours a schema: only the schema says which colour.
 * The question contains "JSON" because some services require the word before they answer in JSON.
 */
exports.COLOUR = {
  stage: 'core',
  instructions: 'Answer with one JSON object that has the key "colour", and nothing else.',
  payload: '{"question":"Which colour has the sky?"}',
  outputSchema: {
    type: 'object',
    properties: { colour: { type: 'string', enum: ['violet'] } },
    required: ['colour'],
    additionalProperties: false,
  },
};

/** The output limit for {@link COLOUR} in tokens: enough for reasoning, and a bound for long answers. */
exports.SOME_TOKENS = 2048;

/** The output limit for {@link WORDS} in tokens. OpenAI does not accept a smaller number. */
exports.FEW_TOKENS = 16;

/** A question whose answer is longer than a few tokens with every model. */
exports.WORDS = {
  stage: 'core',
  instructions:
    'Answer with one JSON object that has the key "words", an array of at least thirty English words, and nothing else.',
  payload: '{"question":"Thirty words, please."}',
  outputSchema: {
    type: 'object',
    properties: { words: { type: 'array', items: { type: 'string' }, minItems: 30 } },
    required: ['words'],
    additionalProperties: false,
  },
};

/** A whole recognition, with both stages. */
exports.RECOGNITION = {
  request: { input: 'Query order 000123.' },
  schema: {
    type: 'object',
    properties: {
      orderId: { type: 'string' },
    },
    required: ['orderId'],
  },
  data: { orderId: '000123' },
};
