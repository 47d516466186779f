// What a model would say, for the programs of this folder.
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
export const executor = {
  id: 'scripted',
  generate: async () => ({ outcome: 'complete', text: core }),
};
export const silent = { id: 'silent', generate: () => new Promise(() => {}) };
