// Wrong types into every exported function and every option: one typed error each or a right
// answer, never a crash, never a foreign error, never an unhandled rejection (vitest fails on one).

import { createRequire } from 'node:module';
import {
  ACTIONS,
  DATA_ISSUE_CODES,
  DEFAULT_LIMITS,
  ERROR_CODES,
  Intent,
  IntentDataError,
  IntentError,
  STATUSES,
} from '@devcodex/intent-runtime';
import {
  createApiExecutor,
  readChatCompletion,
  readCompletedResponse,
} from '@devcodex/intent-runtime/adapters/api';
import { createIntentBridge } from '@devcodex/intent-runtime/bridge';
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

/** What is wrong with an error; nothing of it may throw when it is looked at. */
const faultOf = (error) => {
  if (!isIntentError(error)) return `no IntentError: ${String(error?.stack ?? error)}`;
  const { code, stage, message, issues } = error.toJSON();
  if (!ERROR_CODES.includes(code)) return `code ${code}`;
  if (!STAGES.includes(stage)) return `stage ${stage}`;
  if (typeof message !== 'string' || message.length === 0 || message.length > 3000)
    return `message of ${message?.length}`;
  if (!Array.isArray(issues)) return 'no issues';
  return undefined;
};

const serving = { instances: { a: new Intent() } };
const building = (config) => new Intent(config).dispose();
const parsing = (config, request) => new Intent({ executor, ...config }).parse(request);

/** Each takes one value of any kind at one place. */
const ENTRIES = {
  'new Intent': (v) => building(v),
  ...each(['language', 'schema', 'executor', 'timeoutMs', 'repairAttempts', 'limits'], (key) => [
    `config.${key}`,
    (v) => building({ [key]: v }),
  ]),
  ...each(Object.keys(DEFAULT_LIMITS), (key) => [
    `limits.${key}`,
    (v) => building({ limits: { [key]: v } }),
  ]),
  ...each(
    ['type', 'properties', 'required', 'description', 'additionalProperties', '$defs', '$schema'],
    (key) => [`schema.${key}`, (v) => building({ schema: { ...schema, [key]: v } })],
  ),
  'a field': (v) => building(properties(v)),
  ...each(
    ['type', 'pattern', 'enum', 'const', 'items', 'format', 'minimum', 'maxLength', 'multipleOf'],
    (key) => [`a field's ${key}`, (v) => building(properties({ [key]: v }))],
  ),
  ...each(['default', 'anyOf', 'required', '$ref', 'x-a'], (key) => [
    `a field's ${key}`,
    (v) => building(properties({ [key]: v })),
  ]),
  '~standard': (v) => building({ schema: { '~standard': v } }),
  '~standard.jsonSchema': (v) => building({ schema: { '~standard': { jsonSchema: v } } }),
  '~standard.jsonSchema.input': (v) =>
    building({ schema: { '~standard': { jsonSchema: { input: v } } } }),
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
  'reply.usage': (v) => answered(() => ({ outcome: 'complete', text: CORE, usage: v })),
  parse: (v) => new Intent({ executor }).parse(v),
  "parse's second argument": (v) => new Intent({ executor }).parse({ input: 'x' }, v),
  ...each(['input', 'fields', 'context', 'signal'], (key) => [
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
  prepare: (v) => replied((session) => session.prepare(v)),
  accept: (v) => replied((session) => session.accept(v)),
  cancel: (v) => replied((session) => session.cancel(v)),
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
    ],
    (key) => [
      `api.${key}`,
      (v) => createApiExecutor({ provider: 'openai', model: 'm', apiKey: 'k', [key]: v }),
    ],
  ),
  readCompletedResponse: (v) => readCompletedResponse(v),
  readChatCompletion: (v) => readChatCompletion(v),
  generate: (v) => nowhere().generate(v),
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
    async (v) =>
      typeof v === 'function'
        ? undefined
        : serveIntentMcp({ ...serving, transport: { ...silent(), [key]: v } }),
  ]),
};

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

/** A reply of the Bridge: whatever is asked, it is one of three kinds, and nothing is thrown. */
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

/** What may stay open for ever is answered by the deadline, or is not asked at all. */
const CASES = Object.entries(ENTRIES);

test('the table covers what there is', () => {
  expect(CASES.length).toBeGreaterThanOrEqual(100);
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

test('nothing of all that changed what is shared', () => {
  expect({}.polluted).toBeUndefined();
  for (const list of [ACTIONS, STATUSES, ERROR_CODES, DATA_ISSUE_CODES, DEFAULT_LIMITS, MCP_TOOLS])
    expect(Object.isFrozen(list)).toBe(true);
});
