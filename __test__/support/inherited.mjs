// Run in a process of its own by ../inherited.test.mjs: does the same work over and over, each
// time with another property on Object.prototype, and tells where the outcome differs.

import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { createApiExecutor, readChatCompletion, readCompletedResponse } =
  require('@devcodex/intent-runtime/adapters/api');
const { createIntentBridge } = require('@devcodex/intent-runtime/bridge');
const { serveIntentMcp } = require('@devcodex/intent-runtime/mcp');
const { Intent, IntentDataError, IntentError } = require('@devcodex/intent-runtime');

const INPUT = 'Query order 000123.';
const blockers = {
  clarificationReason: null,
  questions: [],
  confirmationReason: null,
  conditionReason: null,
};
const CORE = JSON.stringify({
  normalizedInput: INPUT,
  primaryIntent: 'Query',
  requirements: [],
  prohibitions: [],
  intents: [{ action: 'query', target: 'order 000123', requirements: [], blockers }],
});
const DATA = JSON.stringify({
  data: { orderId: '000123' },
  evidence: [
    { path: '/data/orderId', mode: 'exact', sources: [{ sourceId: 'input', quote: '000123' }] },
  ],
  descriptionChecks: [],
  fieldResults: [{ path: '/data/orderId', status: 'extracted', explanation: 'stated' }],
  issues: [],
});
const schema = { type: 'object', properties: { orderId: { type: 'string' } } };

const errorOf = (error) => [
  Object.hasOwn(error, 'cause'),
  Object.keys(error),
  error.name,
  error.toJSON?.() ?? String(error),
];
const outcome = async (work) => {
  try {
    return await work();
  } catch (error) {
    return errorOf(error);
  }
};

/** An executor that gives replies in turn, and notes what it was asked. */
const executorOf = (replies, asked) => ({
  id: 'x',
  generate: async (request) => {
    const parts = Object.keys(request).filter((key) => key !== 'signal');
    asked.push(parts.map((key) => [key, request[key]]));
    asked.push([request.signal.aborted]);
    return replies.shift()();
  },
});
const complete = (text) => () => ({ outcome: 'complete', text });
const parsing = async (replies, request, config) => {
  const asked = [];
  const intent = new Intent({ ...config, executor: executorOf(replies, asked) });
  const told = await outcome(() => intent.parse(request));
  await intent.dispose();
  return [asked, told];
};

const served = async (messages) => {
  const told = [];
  const transport = {
    start: async () => {},
    send: async (message) => void told.push(message),
    close: async () => {},
  };
  const intent = new Intent({ schema });
  const service = await serveIntentMcp({ instances: { a: intent }, transport });
  for (const message of messages) transport.onmessage(message);
  while (told.length < messages.length) await new Promise(setImmediate);
  await service.close();
  await intent.dispose();
  // Answers overtake each other.
  return told.sort((a, b) => (String(a.id) < String(b.id) ? -1 : 1));
};
const call = (name, parts) => ({
  jsonrpc: '2.0',
  id: name,
  method: 'tools/call',
  params: { name, arguments: parts },
});

const WORK = {
  'two stages': () => parsing([complete(CORE), complete(DATA)], { input: INPUT }, { schema }),
  'a repair': () =>
    parsing([complete('{'), complete(CORE)], { input: INPUT, fields: [] }, { schema }),
  context: () =>
    parsing([complete(CORE)], { input: INPUT, context: [{ role: 'user', content: 'c' }] }, {}),
  'a refusal': () => parsing([() => ({ outcome: 'refusal' })], { input: INPUT }, {}),
  'an incomplete reply': () => parsing([() => ({ outcome: 'incomplete' })], { input: INPUT }, {}),
  'no reply': () => parsing([() => ({})], { input: INPUT }, {}),
  'an error of the executor': () =>
    parsing([() => Promise.reject(new Error('no'))], { input: INPUT }, {}),
  'an error of ours': () =>
    parsing([() => Promise.reject(new IntentError('MODEL_RATE_LIMITED'))], { input: INPUT }, {}),
  'after core': () =>
    parsing([complete(CORE), () => ({ outcome: 'refusal' })], { input: INPUT }, { schema }),
  'an abort': () => parsing([], { input: INPUT, signal: AbortSignal.abort('why') }, {}),
  'wrong requests': () =>
    Promise.all(
      [{}, { input: 1 }, { input: 'x', more: 1 }, { input: 'x', fields: [1] }, 7].map((request) =>
        parsing([], request, {}),
      ),
    ),
  'wrong configurations': () =>
    Promise.all(
      [
        { language: 'xx' },
        { more: 1 },
        { limits: { maxInputBytes: 0 } },
        { schema: { type: 'object' } },
        { schema: { type: 'object', properties: { a: { requierd: [] } } } },
        { schema: new Date(0) },
        { executor: {} },
        { executor: { id: 'x', generate() {}, capabilities: {} } },
      ].map((config) => outcome(() => [Object.keys(new Intent(config))])),
    ),
  'a Standard Schema': () =>
    outcome(() => {
      const jsonSchema = { input: () => schema, output: () => schema };
      new Intent({ schema: { '~standard': { version: 1, vendor: 'v', jsonSchema } } });
      return 'made';
    }),
  errors: () =>
    [
      new IntentError('MODEL_TIMEOUT'),
      new IntentError('MODEL_TIMEOUT', {}),
      new IntentError('MODEL_TIMEOUT', 'core', 'm'),
      new IntentDataError('DATA_EXTRACTION_FAILED', { message: 'm' }),
    ].map(errorOf),
  'a bridge': async () => {
    const intent = new Intent({ schema });
    const bridge = createIntentBridge({ instances: { a: intent } });
    const session = bridge.connect();
    const replies = [session.prepare({ instance: 'a', input: INPUT })];
    const submit = async (candidateText) => {
      const { jobId, stepToken } = replies[0];
      const token = replies.at(-1).stepToken ?? stepToken;
      replies.push(await session.accept({ jobId, stepToken: token, candidateText }));
    };
    for (const text of [CORE, '{', DATA]) await submit(text);
    const { jobId } = session.prepare({ instance: 'a', input: INPUT });
    for (const request of [{}, { jobId: 1 }, { jobId: 'x' }, { more: 1 }])
      replies.push(
        session.cancel(request),
        await session.accept(request),
        session.prepare(request),
      );
    replies.push(session.cancel({ jobId }));
    bridge.close();
    await intent.dispose();
    return replies;
  },
  'an MCP server': () =>
    served([
      {
        jsonrpc: '2.0',
        id: 0,
        method: 'initialize',
        params: {
          protocolVersion: '2025-06-18',
          capabilities: {},
          clientInfo: { name: 'c', version: '1' },
        },
      },
      call('intent_prepare', { instance: 'a', input: INPUT }),
      call('intent_cancel', { jobId: 'x' }),
    ]),
  'an API executor': () => {
    const executor = createApiExecutor({ provider: 'openai', model: 'm', apiKey: 'k' });
    const asking = (request) => outcome(() => executor.generate(request));
    const signal = AbortSignal.abort('why');
    const format = { kind: 'json_object' };
    return Promise.all([
      asking({}),
      asking({ instructions: 'i', payload: 'p' }),
      asking({ instructions: 'i', payload: 'p', format, signal }),
      outcome(() => createApiExecutor({ provider: 'openai', model: 'm' }).id),
      outcome(() => createApiExecutor({ more: 1 }).id),
    ]);
  },
  envelopes: () =>
    Promise.all(
      [
        () => readChatCompletion({}),
        () =>
          readChatCompletion({
            choices: [
              { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'x' } },
            ],
          }),
        () => readCompletedResponse({}),
        () =>
          readCompletedResponse({
            status: 'completed',
            output: [
              {
                type: 'message',
                role: 'assistant',
                status: 'completed',
                content: [{ type: 'output_text', text: 'x' }],
              },
            ],
          }),
      ].map((read) => outcome(read)),
    ),
};

/** The random parts of a reply. */
const steady = (text) =>
  // In the text of a tool's answer the quotes are escaped.
  text.replace(/((jobId|stepToken)\\*":\\*")[^"\\]+/g, '$1…').replace(/[0-9a-f-]{36}/g, '…');

const work = async (pollute, clean) => {
  const outcomes = [];
  for (const [name, run] of Object.entries(WORK)) {
    let told;
    pollute();
    try {
      told = await run();
    } catch (error) {
      told = ['thrown', error instanceof Error ? error.stack : error];
    }
    clean();
    outcomes.push([name, steady(JSON.stringify(told) ?? '')]);
  }
  return outcomes;
};

/** The ways in which a name can stand on Object.prototype. */
const value = (given) => ({ value: given, writable: true, enumerable: true, configurable: true });
const KINDS = {
  text: () => value('z'),
  number: () => value(1),
  yes: () => value(true),
  object: () => value({ z: 1 }),
  function: () => value(() => 'z'),
  'read-only': () => ({ ...value('z'), writable: false }),
  accessor: () => ({ get: () => 'z', set() {}, enumerable: true, configurable: true }),
};

/** Node.js itself cannot make a timer then. */
const impossible = (name, kind) => name === 'id' && kind === 'read-only';

const names = JSON.parse(process.argv[2]);
const nothing = () => {};
await work(nothing, nothing);
const wanted = await work(nothing, nothing);
const differing = [];
for (const name of names)
  for (const [kind, descriptor] of Object.entries(KINDS)) {
    if (impossible(name, kind)) continue;
    const pollution = descriptor();
    const got = await work(
      () => Object.defineProperty(Object.prototype, name, pollution),
      () => delete Object.prototype[name],
    );
    got.forEach(([what, text], i) => {
      if (text !== wanted[i][1])
        differing.push(`${name} (${kind}): ${what}: ${text.slice(0, 300)}`);
    });
  }
console.log(JSON.stringify({ differing, wanted: Object.fromEntries(wanted) }));
