'use strict';
// What the doctor asks of a service. Nothing of it is anybody's data.

/**
 * A question whose answer tells whether a schema was heeded: the schema alone says which colour.
 * "JSON" stands in it because some services want the word before they answer in JSON.
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

/** The tokens that the answer to {@link COLOUR} may take: room to think, and an end to rambling. */
exports.SOME_TOKENS = 2048;

/** The tokens that the answer to {@link WORDS} is allowed. OpenAI takes no smaller number. */
exports.FEW_TOKENS = 16;

/** A question whose answer is longer than a few tokens, whatever the model. */
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
