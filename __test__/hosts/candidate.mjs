// The answers of a model, for the programs in this folder.
export const core = JSON.stringify({
  normalizedInput: 'Query order 000123.',
  primaryIntent: 'Query order 000123',
  requirements: [],
  prohibitions: [],
  intents: [
    {
      action: 'query',
      target: 'order 000123',
      requirements: [],
      blockers: {
        clarificationReason: null,
        questions: [],
        confirmationReason: null,
        conditionReason: null,
      },
    },
  ],
});
export const schema = {
  type: 'object',
  properties: { orderId: { type: 'string' } },
  required: ['orderId'],
};
export const data = JSON.stringify({
  data: { orderId: '000123' },
  evidence: [
    {
      path: '/data/orderId',
      mode: 'exact',
      sources: [{ sourceId: 'input', quote: '000123' }],
    },
  ],
  descriptionChecks: [],
  fieldResults: [{ path: '/data/orderId', status: 'extracted', explanation: 'It is given.' }],
  issues: [],
});
export const executor = {
  id: 'scripted',
  generate: async () => ({ outcome: 'complete', text: core }),
};
export const silent = { id: 'silent', generate: () => new Promise(() => {}) };
