// Wrong types into every exported function and every option: one typed error each or a right
// answer, never a crash, never a foreign error, never an unhandled rejection (vitest fails on one).

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import * as root from '@devcodex/intent-runtime';
import {
  ACTIONS,
  checkSchema,
  DATA_ISSUE_CODES,
  DEFAULT_LIMITS,
  ERROR_CODES,
  followUp,
  Intent,
  IntentDataError,
  IntentError,
  openQuestions,
  STATUSES,
} from '@devcodex/intent-runtime';
import * as api from '@devcodex/intent-runtime/adapters/api';
import {
  createApiExecutor,
  readChatCompletion,
  readCompletedResponse,
} from '@devcodex/intent-runtime/adapters/api';
import * as bridge from '@devcodex/intent-runtime/bridge';
import { createIntentBridge } from '@devcodex/intent-runtime/bridge';
import * as mcp from '@devcodex/intent-runtime/mcp';
import { MCP_TOOLS, serveIntentMcp } from '@devcodex/intent-runtime/mcp';
import { describe, expect, test } from 'vitest';
import { NASTY } from './support/nasty.mjs';

const { isIntentError } = createRequire(import.meta.url)('../js/errors.js');

const STAGES = ['config', 'input', 'core', 'data', 'model', 'bridge'];
const CORE = JSON.stringify({
  normalizedInput: 'n',
  primaryIntent: null,
  requirements: [],
  prohibitions: [],
  intents: [],
});
const executor = { id: 'x', generate: async () => ({ outcome: 'complete', text: CORE }) };
const schema = { type: 'object', properties: {} };
const properties = (a) => ({ schema: { type: 'object', properties: { a } } });
const capabilities = {
  nativeJsonSchema: true,
  nativeJsonObject: true,
  isolatedTurn: true,
  supportsAbort: true,
};

/** Returns the fault of an error; reading its properties must not throw. */
const faultOf = (error) => {
  if (!isIntentError(error)) return `no IntentError: ${String(error?.stack ?? error)}`;
  const { code, stage, message, issues } = error.toJSON();
  if (!ERROR_CODES.includes(code)) return `code ${code}`;
  if (!STAGES.includes(stage)) return `stage ${stage}`;
  if (typeof message !== 'string' || message.length === 0 || message.length > 3000)
    return `message of ${message?.length}`;
  if (!Array.isArray(issues)) return 'no issues';
  // An internal error is never a right answer.
  if (message.includes('fault inside intent-runtime')) return message;
  return undefined;
};

/** An outcome with one open question, for followUp. */
const OPEN = { input: 'x', intents: [{ clarification: [{ question: 'Which?' }] }] };
const serving = { instances: { a: new Intent() } };
const building = (config) => new Intent(config).dispose();
const parsing = (config, request) => new Intent({ executor, ...config }).parse(request);

/** Every keyword that the crate knows, and two that it does not. */
const KEYWORDS = [
  ...readFileSync(new URL('../src/schema/keywords.rs', import.meta.url), 'utf8').matchAll(
    /\bkeyword\("([^"]+)"/g,
  ),
]
  .map(([, name]) => name)
  .concat('$id', 'x-a');

/** Each takes one value of any kind at one place. */
const ENTRIES = {
  'new Intent': (v) => building(v),
  ...each(
    [
      ...['language', 'schema', 'executor', 'timeoutMs', 'repairAttempts', 'limits'],
      ...['evidence', 'evidenceFrom', 'dataWithoutIntent', 'proof', 'unknownKeywords'],
    ],
    (key) => [`config.${key}`, (v) => building({ [key]: v })],
  ),
  'config.evidence["/a"]': (v) => building({ ...properties({}), evidence: { '/a': v } }),
  'config.evidenceFrom[0]': (v) => building({ evidenceFrom: [v] }),
  ...each(Object.keys(DEFAULT_LIMITS), (key) => [
    `limits.${key}`,
    (v) => building({ limits: { [key]: v } }),
  ]),
  'a field': (v) => building(properties(v)),
  ...each(KEYWORDS, (key) => [
    `schema.${key}`,
    (v) => building({ schema: { ...schema, [key]: v } }),
  ]),
  ...each(KEYWORDS, (key) => [`a field's ${key}`, (v) => building(properties({ [key]: v }))]),
  '~standard': (v) => building({ schema: { '~standard': v } }),
  '~standard.jsonSchema': (v) => building({ schema: { '~standard': { jsonSchema: v } } }),
  '~standard.jsonSchema.input': (v) =>
    building({ schema: { '~standard': { jsonSchema: { input: v } } } }),
  ...each(['version', 'vendor', 'types', 'validate'], (key) => [
    `~standard.${key}`,
    (v) => building({ schema: { '~standard': { jsonSchema: { input: () => schema }, [key]: v } } }),
  ]),
  '~standard.jsonSchema.output': (v) =>
    building({ schema: { '~standard': { jsonSchema: { input: () => schema, output: v } } } }),
  'what ~standard.jsonSchema.input returns': (v) =>
    building({ schema: { '~standard': { jsonSchema: { input: () => v } } } }),
  'what ~standard.jsonSchema.input throws': (v) =>
    building({ schema: { '~standard': { jsonSchema: { input: throwing(v) } } } }),
  ...each(['id', 'capabilities'], (key) => [
    `executor.${key}`,
    (v) => building({ executor: { ...executor, [key]: v } }),
  ]),
  'executor.generate': (v) =>
    // A class or function may be called; what it returns is an answer like any other.
    parsing({ executor: { id: 'x', generate: v }, timeoutMs: 1000 }, { input: 'x' }),
  ...each(Object.keys(capabilities), (key) => [
    `capabilities.${key}`,
    (v) => building({ executor: { ...executor, capabilities: { ...capabilities, [key]: v } } }),
  ]),
  'what generate returns': (v) => answered(() => v),
  'what generate resolves to': (v) => answered(async () => v),
  'what generate throws': (v) => answered(throwing(v)),
  'what generate rejects with': (v) => answered(() => Promise.reject(v)),
  'reply.outcome': (v) => answered(() => ({ outcome: v })),
  'reply.text': (v) => answered(() => ({ outcome: 'complete', text: v })),
  'reply.detail': (v) => answered(() => ({ outcome: 'refusal', detail: v })),
  ...each(['inputTokens', 'outputTokens', 'cachedInputTokens', 'reasoningTokens'], (key) => [
    `reply.usage.${key}`,
    (v) => answered(() => ({ outcome: 'complete', text: CORE, usage: { [key]: v } })),
  ]),
  'another key of a reply': (v) => answered(() => ({ outcome: 'complete', text: CORE, more: v })),
  'reply.usage': (v) => answered(() => ({ outcome: 'complete', text: CORE, usage: v })),
  checkSchema: (v) => checkSchema(v),
  followUp: (v) => followUp(v, 'an answer'),
  openQuestions: (v) => openQuestions(v),
  "followUp's request": (v) => followUp(OPEN, 'an answer', v),
  ...each(['context', 'context[0]', 'content', 'fields'], (key) => [
    `followUp.request.${key}`,
    (v) => {
      const of = (name, whole) => (key === name ? v : whole);
      const context = of('context', [
        of('context[0]', { role: 'user', content: of('content', 'x') }),
      ]);
      return followUp(OPEN, 'y', { input: 'x', context, fields: of('fields', []) });
    },
  ]),
  ...each(['input', 'intents', 'intents[0]', 'clarification', 'question', 'answers'], (key) => [
    `followUp.${key}`,
    (v) => {
      const of = (name, whole) => (key === name ? v : whole);
      const clarification = of('clarification', [{ question: of('question', 'Which?') }]);
      const intents = of('intents', [of('intents[0]', { clarification })]);
      return followUp({ input: of('input', 'x'), intents }, of('answers', 'y'));
    },
  ]),
  parse: (v) => new Intent({ executor }).parse(v),
  "parse's second argument": (v) => new Intent({ executor }).parse({ input: 'x' }, v),
  "parse's this": (v) => new Intent({ executor }).parse.call(v, { input: 'x' }),
  "the constructor's second argument": (v) => new Intent({}, v).dispose(),
  "dispose's this": (v) => new Intent().dispose.call(v),
  "dispose's argument": (v) => new Intent().dispose(v),
  ...each(
    ['dispose', 'asyncDispose'].filter((name) => Symbol[name]),
    (name) => [`[Symbol.${name}]'s argument`, (v) => new Intent()[Symbol[name]](v)],
  ),
  'the reason of an abort': (v) => {
    const caller = new AbortController();
    const parse = parsing(
      { executor: { id: 'x', generate: () => new Promise(() => {}) } },
      {
        input: 'x',
        signal: caller.signal,
      },
    );
    caller.abort(v);
    return parse;
  },
  ...each(['aborted', 'reason', 'addEventListener', 'removeEventListener'], (key) => [
    `request.signal.${key}`,
    (v) => {
      const { signal } = new AbortController();
      Object.defineProperty(signal, key, { value: v });
      return parsing({}, { input: 'x', signal });
    },
  ]),
  ...each(['input', 'fields', 'context', 'evidence', 'signal', 'onCore'], (key) => [
    `request.${key}`,
    (v) => parsing({}, { input: 'x', [key]: v }),
  ]),
  'request.fields[0]': (v) => parsing({}, { input: 'x', fields: [v] }),
  'request.context[0]': (v) => parsing({}, { input: 'x', context: [v] }),
  ...each(['role', 'content'], (key) => [
    `request.context[0].${key}`,
    (v) => parsing({}, { input: 'x', context: [{ role: 'user', content: 'x', [key]: v }] }),
  ]),

  createIntentBridge: (v) => createIntentBridge(v),
  'bridge.instances.a': (v) => createIntentBridge({ instances: { a: v } }),
  ...each(
    ['instances', 'maxJobs', 'maxReplayEntries', 'maxReplayBytes', 'jobTtlMs', 'replayTtlMs'],
    (key) => [`bridge.${key}`, (v) => createIntentBridge({ ...serving, [key]: v }).close()],
  ),
  "createIntentBridge's second argument": (v) => createIntentBridge(serving, v).close(),
  "connect's argument": (v) => connecting((bridge) => bridge.connect(v)),
  "connect's this": (v) => connecting((bridge) => bridge.connect.call(v)),
  "bridge.close's argument": (v) => connecting((bridge) => bridge.close(v)),
  "session.close's argument": (v) => connecting((bridge) => bridge.connect().close(v)),
  ...each(['prepare', 'accept', 'cancel'], (name) => [
    `${name}'s this`,
    (v) => replied((session, task) => session[name].call(v, requestOf(name, task))),
  ]),
  ...each(['accept', 'cancel'], (name) => [
    `${name}'s second argument`,
    (v) => replied((session, task) => session[name](requestOf(name, task), v)),
  ]),
  prepare: (v) => replied((session) => session.prepare(v)),
  accept: (v) => replied((session) => session.accept(v)),
  cancel: (v) => replied((session) => session.cancel(v)),
  'prepare.fields[0]': (v) =>
    replied((session) => session.prepare({ instance: 'a', input: 'x', fields: [v] })),
  'prepare.context[0]': (v) =>
    replied((session) => session.prepare({ instance: 'a', input: 'x', context: [v] })),
  "prepare's second argument": (v) =>
    replied((session) => session.prepare({ instance: 'a', input: 'x' }, v)),
  ...each(['instance', 'input', 'fields', 'context'], (key) => [
    `prepare.${key}`,
    (v) => replied((session) => session.prepare({ instance: 'a', input: 'x', [key]: v })),
  ]),
  ...each(['jobId', 'stepToken', 'candidateText'], (key) => [
    `accept.${key}`,
    (v) =>
      replied((session, { jobId, stepToken }) =>
        session.accept({ jobId, stepToken, candidateText: CORE, [key]: v }),
      ),
  ]),
  ...each(['jobId', 'outcome', 'detail'], (key) => [
    `cancel.${key}`,
    (v) => replied((session, { jobId }) => session.cancel({ jobId, [key]: v })),
  ]),

  createApiExecutor: (v) => createApiExecutor(v),
  ...each(
    [
      'provider',
      'protocol',
      'model',
      'apiKey',
      'baseURL',
      'maxOutputTokens',
      'maxResponseBytes',
      'format',
      'outputLimit',
      'headers',
      'body',
    ],
    (key) => [
      `api.${key}`,
      (v) => createApiExecutor({ provider: 'openai', model: 'm', apiKey: 'k', [key]: v }),
    ],
  ),
  ...each(['headers', 'body'], (key) => [
    `api.${key}.x`,
    (v) => createApiExecutor({ provider: 'openai', model: 'm', apiKey: 'k', [key]: { x: v } }),
  ]),
  'api.apiKey()': (v) => {
    const baseURL = 'http://127.0.0.1:1/v1';
    const options = { provider: 'openai', model: 'm', apiKey: () => v, baseURL };
    return parsing({ executor: createApiExecutor(options), timeoutMs: 50 }, { input: 'x' });
  },
  "createApiExecutor's second argument": (v) =>
    createApiExecutor({ provider: 'openai', model: 'm', apiKey: 'k' }, v),
  readCompletedResponse: (v) => readCompletedResponse(v),
  ...each(['status', 'output', 'error', 'incomplete_details', 'usage'], (key) => [
    `readCompletedResponse.${key}`,
    (v) => readCompletedResponse({ ...responses([part]), [key]: v }),
  ]),
  ...each(['type', 'role', 'status', 'content'], (key) => [
    `readCompletedResponse.output[0].${key}`,
    (v) => {
      const envelope = responses([part]);
      envelope.output[0][key] = v;
      return readCompletedResponse(envelope);
    },
  ]),
  'readCompletedResponse.output[0]': (v) =>
    readCompletedResponse({ ...responses([part]), output: [v] }),
  'readCompletedResponse.output[0].content[0]': (v) => readCompletedResponse(responses([v])),
  ...each(['type', 'text', 'refusal'], (key) => [
    `readCompletedResponse.output[0].content[0].${key}`,
    (v) => readCompletedResponse(responses([{ ...part, [key]: v }])),
  ]),
  readChatCompletion: (v) => readChatCompletion(v),
  ...each(['choices', 'usage', 'error'], (key) => [
    `readChatCompletion.${key}`,
    (v) => readChatCompletion({ ...chat({}), [key]: v }),
  ]),
  'readChatCompletion.choices[0]': (v) => readChatCompletion({ choices: [v] }),
  ...each(['message', 'finish_reason', 'index'], (key) => [
    `readChatCompletion.choices[0].${key}`,
    (v) => {
      const envelope = chat({});
      envelope.choices[0][key] = v;
      return readChatCompletion(envelope);
    },
  ]),
  ...each(['role', 'content', 'refusal', 'tool_calls', 'function_call'], (key) => [
    `readChatCompletion.choices[0].message.${key}`,
    (v) => readChatCompletion(chat({ [key]: v })),
  ]),
  generate: (v) => nowhere().generate(v),
  "generate's this": (v) => nowhere().generate.call(v, asked),
  "generate's second argument": (v) => nowhere().generate(asked, v),
  ...each(
    ['instructions', 'payload', 'input', 'format', 'outputSchema', 'stage', 'signal'],
    (key) => [
      `generate.${key}`,
      (v) =>
        nowhere().generate({
          instructions: 'i',
          input: {},
          format: { kind: 'json_object' },
          [key]: v,
        }),
    ],
  ),
  ...each(['kind', 'name', 'schema'], (key) => [
    `generate.format.${key}`,
    (v) =>
      nowhere().generate({
        instructions: 'i',
        input: {},
        format: { kind: 'json_schema', name: 'n', schema: {}, [key]: v },
      }),
  ]),

  serveIntentMcp: (v) => serveIntentMcp(v),
  'mcp.instances': (v) => serveIntentMcp({ instances: v, transport: silent() }),
  'mcp.transport': (v) =>
    // Without one it would serve the standard streams of the tests.
    v === undefined ? undefined : serveIntentMcp({ ...serving, transport: v }),
  ...each(['start', 'send', 'close'], (key) => [
    `mcp.transport.${key}`,
    // An error that `start` throws is the transport's own error.
    (v) => (key === 'start' && typeof v === 'function' ? undefined : served({ [key]: v })),
  ]),
  ...each(['send', 'close'], (key) => [
    `what mcp.transport.${key} returns`,
    (v) => served({ [key]: () => v }, ping),
  ]),
  ...each(['send', 'close'], (key) => [
    `what mcp.transport.${key} throws`,
    (v) => served({ [key]: throwing(v) }),
  ]),
  'what mcp.transport.start throws': async (v) => {
    // The transport's own error is the caller's to see.
    const start = throwing(v);
    await expect(serveIntentMcp({ ...serving, transport: { ...silent(), start } })).rejects.toBe(v);
  },
  ...each(['onmessage', 'onclose', 'onerror'], (key) => [
    `mcp.transport.${key}`,
    (v) => served({ [key]: typeof v === 'function' ? undefined : v }, ping),
  ]),
  'a message of the transport': (v) => served({}, v),
  ...each(['jsonrpc', 'id', 'method', 'params'], (key) => [
    `a message's ${key}`,
    (v) => served({}, { ...ping, [key]: v }),
  ]),
  ...each(['name', 'arguments'], (key) => [
    `a tool call's ${key}`,
    (v) => served({}, call({ name: 'intent_cancel', arguments: { jobId: 'x' }, [key]: v })),
  ]),
  ...each(['maxJobs', 'maxReplayEntries', 'maxReplayBytes', 'jobTtlMs', 'replayTtlMs'], (key) => [
    `mcp.${key}`,
    (v) => served({}, undefined, { [key]: v }),
  ]),
  'mcp.instances.a': (v) => served({}, undefined, { instances: { a: v } }),
  "mcp.close's argument": async (v) => {
    const service = await serveIntentMcp({ ...serving, transport: silent() });
    await service.close(v);
  },
};

/** A server on a transport that is not quite right; what comes after an odd message is answered. */
async function served(transport, message, config) {
  const told = [];
  const whole = {
    ...silent(),
    send: async (reply) => void told.push(reply),
    ...transport,
  };
  const service = await serveIntentMcp({ ...serving, ...config, transport: whole });
  if (message !== undefined) {
    whole.onmessage(message);
    whole.onmessage({ jsonrpc: '2.0', id: 'after', method: 'ping' });
  }
  await service.close();
  if (message !== undefined && !transport.send)
    expect(told.some(({ id }) => id === 'after')).toBe(true);
}

const ping = { jsonrpc: '2.0', id: 9, method: 'ping' };
const call = (params) => ({ jsonrpc: '2.0', id: 9, method: 'tools/call', params });

const asked = { instructions: 'i', input: {}, format: { kind: 'json_object' } };
const part = { type: 'output_text', text: 'x' };
const responses = (content) => ({
  status: 'completed',
  output: [{ type: 'message', role: 'assistant', status: 'completed', content }],
});
const chat = (message) => ({
  choices: [
    { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'x', ...message } },
  ],
});

const requestOf = (name, { jobId, stepToken }) =>
  name === 'prepare'
    ? { instance: 'a', input: 'x' }
    : name === 'accept'
      ? { jobId, stepToken, candidateText: CORE }
      : { jobId };

function connecting(call) {
  const bridge = createIntentBridge(serving);
  call(bridge);
  bridge.close();
}

function each(keys, entry) {
  return Object.fromEntries(keys.map(entry));
}

function throwing(value) {
  return () => {
    throw value;
  };
}

function answered(generate) {
  return parsing({ executor: { id: 'x', generate }, timeoutMs: 1000 }, { input: 'x' });
}

/** Checks a reply of the Bridge: for every request it has one of three kinds, and the call does not throw. */
async function replied(call) {
  const intent = new Intent();
  const bridge = createIntentBridge({ instances: { a: intent } });
  const session = bridge.connect();
  const task = session.prepare({ instance: 'a', input: 'x' });
  const reply = await call(session, task);
  bridge.close();
  await intent.dispose();
  if (reply.kind === 'error') throw Object.assign(new IntentError(reply.error.code), reply.error);
  expect(['task', 'result']).toContain(reply.kind);
}

/** An executor whose service is not there. */
function nowhere() {
  return createApiExecutor({
    provider: 'openai',
    model: 'm',
    apiKey: 'k',
    baseURL: 'http://127.0.0.1:9/v1',
  });
}

function silent() {
  return { start: async () => {}, send: async () => {}, close: async () => {} };
}

/** A call that could stay open for ever gets a timeout, or is not made. */
const CASES = Object.entries(ENTRIES);

/** The keys of an interface of the published types. */
const keysOf = (types, name) => {
  const source = readFileSync(new URL(`../${types}`, import.meta.url), 'utf8');
  const [, body] = new RegExp(`interface ${name}\\b[^]*?\\{\\n([^]*?)\\n\\}`).exec(source);
  return [...body.matchAll(/^ {2}(?:readonly )?(\w+)\??[:(]/gm)].map(([, key]) => key);
};

test('the table covers every export and every option', () => {
  const missing = [];
  const covers = (name) => {
    if (!CASES.some(([entry]) => entry === name)) missing.push(name);
  };
  for (const entry of [root, api, bridge, mcp])
    for (const [name, value] of Object.entries(entry)) {
      if (name === 'default' || name === 'module.exports' || typeof value !== 'function') continue;
      // The error classes have a test of their own.
      if (value === IntentError || value === IntentDataError) continue;
      covers(name === 'Intent' ? 'new Intent' : name);
    }
  for (const [types, name, prefix] of [
    ['index.d.ts', 'IntentConfig', 'config.'],
    ['index.d.ts', 'IntentLimits', 'limits.'],
    ['index.d.ts', 'ModelExecutor', 'executor.'],
    ['index.d.ts', 'ExecutorCapabilities', 'capabilities.'],
    ['index.d.ts', 'ModelUsage', 'reply.usage.'],
    ['index.d.ts', 'IntentParseRequest', 'request.'],
    ['index.d.ts', 'ContextMessage', 'request.context[0].'],
    ['index.d.ts', 'ModelRequest', 'generate.'],
    ['js/bridge.d.ts', 'BridgeConfig', 'bridge.'],
    ['js/bridge.d.ts', 'BridgeConfig', 'mcp.'],
    ['js/bridge.d.ts', 'PrepareRequest', 'prepare.'],
    ['js/bridge.d.ts', 'AcceptRequest', 'accept.'],
    ['js/bridge.d.ts', 'CancelRequest', 'cancel.'],
    ['js/bridge.d.ts', 'BridgeSession', ''],
    ['js/adapters/api.d.ts', 'ApiExecutorConfig', 'api.'],
    ['js/mcp.d.ts', 'IntentMcpConfig', 'mcp.'],
    ['js/mcp.d.ts', 'IntentMcpTransport', 'mcp.transport.'],
  ]) {
    const keys = keysOf(types, name);
    expect(keys.length, name).toBeGreaterThan(0);
    for (const key of keys)
      covers(key === 'close' && prefix === '' ? "session.close's argument" : `${prefix}${key}`);
  }
  expect(missing).toEqual([]);
  expect(KEYWORDS.length).toBeGreaterThan(50);
  expect(Object.keys(NASTY).length).toBeGreaterThanOrEqual(70);
});

describe('one typed error or a right answer', () => {
  test.each(CASES)(
    '%s',
    async (_, entry) => {
      const faults = [];
      for (const [name, make] of Object.entries(NASTY)) {
        try {
          await entry(make());
        } catch (error) {
          const fault = faultOf(error);
          if (fault !== undefined) faults.push(`${name}: ${fault}`);
        }
      }
      expect(faults).toEqual([]);
    },
    120_000,
  );
});

test('IntentError is made of anything', () => {
  for (const Class of [IntentError, IntentDataError])
    for (const [name, make] of Object.entries(NASTY))
      for (const args of [
        [make()],
        [make(), make()],
        [make(), make(), make(), make()],
        ['MODEL_ABORTED', make()],
        ['MODEL_ABORTED', 'core', make()],
        ['MODEL_ABORTED', 'core', 'm', make()],
        ['MODEL_ABORTED', 'core', 'm', [make()]],
        ...['message', 'stage', 'issues', 'cause'].map((key) => [
          'MODEL_ABORTED',
          { [key]: make() },
        ]),
        ['MODEL_ABORTED', { issues: [make()] }],
      ]) {
        const error = new Class(...args);
        // The message is the caller's own, and may be as short or long as they please.
        expect(isIntentError(error), name).toBe(true);
        expect(ERROR_CODES).toContain(error.code);
        expect(STAGES).toContain(error.stage);
        expect(typeof error.message).toBe('string');
        expect(JSON.parse(JSON.stringify(error)).issues).toEqual([]);
        expect(String(error)).toMatch(/^IntentError/);
      }
}, 120_000);

test('none of these calls changed a shared object', () => {
  expect({}.polluted).toBeUndefined();
  for (const list of [ACTIONS, STATUSES, ERROR_CODES, DATA_ISSUE_CODES, DEFAULT_LIMITS, MCP_TOOLS])
    expect(Object.isFrozen(list)).toBe(true);
});
