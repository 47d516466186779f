/** The answer of a model to "Query order 000123.". */
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

const sources = [{ sourceId: 'input', quote: '000123' }];
export const data = JSON.stringify({
  data: { orderId: '000123' },
  evidence: [{ path: '/data/orderId', mode: 'exact', sources }],
  descriptionChecks: [
    { path: '/data/orderId', verdict: 'satisfied', explanation: 'stated in the input', sources },
  ],
  fieldResults: [{ path: '/data/orderId', status: 'extracted', explanation: 'stated' }],
  issues: [],
});
