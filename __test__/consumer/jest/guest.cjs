// Jest as host: each test file has a VM context, a module registry and a realm of its own, in one
// process with one addon.
/* global test, expect */
const { Intent, IntentError } = require('@devcodex/intent-runtime');
const { createIntentBridge } = require('@devcodex/intent-runtime/bridge');
const { MCP_TOOLS } = require('@devcodex/intent-runtime/mcp');

const intents = [];
const core = {
  normalizedInput: 'Hello.',
  primaryIntent: null,
  requirements: [],
  prohibitions: [],
  intents,
};
const executor = {
  id: 'scripted',
  generate: async () => ({ outcome: 'complete', text: JSON.stringify(core) }),
};

module.exports = () => {
  test('a parse', async () => {
    const intent = new Intent({ executor, limits: { maxIntentCount: 3 } });
    const result = await intent.parse({ input: 'Hello.', fields: [], context: [] });
    expect(result).toEqual({ input: 'Hello.', ...core, data: {} });
  });

  test('an error is of this realm', async () => {
    const error = await new Intent({ executor }).parse({ input: ' ' }).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(IntentError);
    expect(error).toBeInstanceOf(Error);
    expect(error.code).toBe('INPUT_INVALID');
  });

  test('a bridge', async () => {
    const session = createIntentBridge({ instances: { own: new Intent({}) } }).connect();
    const { jobId, stepToken } = session.prepare({ instance: 'own', input: 'Hello.' });
    const candidateText = JSON.stringify(core);
    expect(await session.accept({ jobId, stepToken, candidateText })).toMatchObject({
      kind: 'result',
    });
  });

  test('the tools', () => expect(MCP_TOOLS).toHaveLength(3));
};
