// Mistakes that people make, and what the message of each must say so that they can mend it.

import { checkSchema, Intent } from '@devcodex/intent-runtime';
import { createApiExecutor, readChatCompletion } from '@devcodex/intent-runtime/adapters/api';
import { createIntentBridge } from '@devcodex/intent-runtime/bridge';
import { type } from 'arktype';
import { expect, test } from 'vitest';
import { z } from 'zod';

const service = (over) =>
  createApiExecutor({ provider: 'openai', model: 'm', apiKey: 'k', ...over });
const schema = {
  type: 'object',
  properties: { orderId: { type: 'string' }, note: { type: 'string' } },
};
const field = (over) => new Intent({ schema: { type: 'object', properties: { a: over } } });
const executor = (reply) => ({ id: 'mine', generate: async () => reply });
const answered = (reply) => new Intent({ executor: executor(reply) }).parse({ input: 'x' });
const wrote = (text) => answered({ outcome: 'complete', text });
const parse = (request, config) =>
  new Intent({ executor: executor({}), ...config }).parse({ input: 'x', ...request });
class OrderConfig {
  language = 'en';
}
class OrderRequest {
  input = 'x';
}
/** A schema of Zod 3 or Valibot, as far as they describe it. */
const standard = (vendor) => ({ '~standard': { version: 1, vendor, validate: () => ({}) } });

test.each([
  [
    'apiKey from a variable that is not set',
    () => service({ apiKey: undefined }),
    /is the variable set/,
  ],
  [
    'baseURL with the endpoint of chat',
    () => service({ baseURL: 'https://x.example/v1/chat/completions' }),
    /root of the API, without \/chat\/completions/,
  ],
  [
    'baseURL with the endpoint of responses',
    () => service({ baseURL: 'https://x.example/v1/responses/' }),
    /root of the API, without \/responses/,
  ],
  [
    'executor is a function',
    () => new Intent({ executor: () => {} }),
    /got a function; make it the generate of one/,
  ],
  [
    'executor is a promise',
    () => new Intent({ executor: Promise.resolve({}) }),
    /got a promise; await it first/,
  ],
  [
    'executor is the client of an SDK',
    () => new Intent({ executor: { chat: {} } }),
    /an executor is an object \{ id: "name", generate\(request\)/,
  ],
  ['executor returns a string', () => answered('{}'), /got a string: wrap it as/],
  ['executor returns nothing', () => answered(undefined), /does generate return its reply/],
  [
    'executor returns a chat completion',
    () => answered({ choices: [] }),
    /return readChatCompletion\(it\)/,
  ],
  [
    'executor returns a response',
    () => answered({ output: [] }),
    /return readCompletedResponse\(it\)/,
  ],
  ['executor leaves out the outcome', () => answered({ text: '{}' }), /add outcome: "complete"/],
  [
    'config is an instance of a class',
    () => new Intent(new OrderConfig()),
    /^config must be .* got an instance of OrderConfig; copy its properties into one: \{ \.\.\.it \}/,
  ],
  [
    'request is an instance of a class',
    () => new Intent({ executor: executor({}) }).parse(new OrderRequest()),
    /^request must be .* got an instance of OrderRequest; copy its properties/,
  ],
  [
    'a message is an instance of a class',
    () => parse({ context: [new OrderConfig()] }),
    /^context\[0\] must be .* got an instance of OrderConfig; copy its properties/,
  ],
  [
    'schema is an instance of a class',
    () => new Intent({ schema: new OrderConfig() }),
    /^schema: must be a JSON value, got an instance of OrderConfig/,
  ],
  [
    'fields has a typo',
    () => parse({ fields: ['orderid'] }, { schema }),
    /did you mean "orderId"\?/,
  ],
  [
    'fields names nothing alike',
    () => parse({ fields: ['zzz'] }, { schema }),
    /"zzz", which the schema does not define\.$/,
  ],
  [
    'fields without a schema',
    () => parse({ fields: ['orderId'] }),
    /the instance has no schema with fields; give it a schema, or leave out fields/,
  ],
  [
    'role system',
    () => parse({ context: [{ role: 'system', content: 'x' }] }),
    /leave out messages of other roles, such as "system"/,
  ],
  [
    'schema of names alone',
    () => new Intent({ schema: { orderId: 'string' } }),
    /names of fields stand under "properties"/,
  ],
  [
    'properties of names alone',
    () => new Intent({ schema: { type: 'object', properties: { orderId: 'string' } } }),
    /^schema\.properties\.orderId must be a schema \(an object such as \{ "type": "string" \}/,
  ],
  [
    'schema with property',
    () => new Intent({ schema: { type: 'object', property: {} } }),
    /the fields stand under "properties"/,
  ],
  [
    'nullable',
    () => field({ type: 'string', nullable: true }),
    /write "type": \["string", "null"\]/,
  ],
  [
    'required: true',
    () => field({ type: 'string', required: true }),
    /the names of required properties, beside "properties"/,
  ],
  [
    'Zod 3',
    () => new Intent({ schema: standard('zod') }),
    /zodToJsonSchema\(schema\), of the package zod-to-json-schema, or move to Zod 4/,
  ],
  [
    'Valibot',
    () => new Intent({ schema: standard('valibot') }),
    /toJsonSchema\(schema\), of the package @valibot\/to-json-schema/,
  ],
  [
    'Effect',
    () =>
      new Intent({
        schema: Object.assign(() => {}, { ast: {} }),
      }),
    /a schema of Effect is passed as Schema\.toStandardJSONSchemaV1\(schema\)/,
  ],
  [
    'z.date()',
    () => new Intent({ schema: z.object({ day: z.date() }) }),
    /Date cannot be represented in JSON Schema; use types that JSON carries, such as z\.iso\.date\(\)/,
  ],
  [
    'z.bigint()',
    () => new Intent({ schema: z.object({ n: z.bigint() }) }),
    /BigInt cannot be represented in JSON Schema; use types that JSON carries/,
  ],
  [
    'a Date of ArkType',
    () => new Intent({ schema: type({ day: 'Date' }) }),
    /schema\.properties\.day: .* write "string\.date\.iso" for a date/,
  ],
  [
    'a list as the root',
    () => new Intent({ schema: z.array(z.string()) }),
    /schema\.type must be "object": the root describes the object of all fields/,
  ],
  [
    'a function in place of a schema',
    () => new Intent({ schema: z.object }),
    /schema must be an object, got a function/,
  ],
  ['type: str', () => field({ type: 'str' }), /must be one of .*"string"/],
  ['language cn', () => new Intent({ language: 'cn' }), /did you mean "zh-CN"\?/],
  ['language jp', () => new Intent({ language: 'jp' }), /did you mean "ja"\?/],
  ['language Chinese', () => new Intent({ language: 'Chinese' }), /did you mean "zh-CN"\?/],
  ['language zh_CN', () => new Intent({ language: 'zh_CN' }), /joined with "-"/],
  ['the response of fetch', () => readChatCompletion(new Response('{}')), /Response/],
  ['a promise of a completion', () => readChatCompletion(Promise.resolve({})), /await it first/],
  [
    'prose around the JSON',
    () => wrote('Here it is: {}'),
    /found other text; ask the service for JSON output\.$/,
  ],
  [
    'thinking before the JSON',
    () => wrote('<think>x</think>{}'),
    /found a block of thinking; readChatCompletion takes it off\.$/,
  ],
  [
    'a fence around the JSON',
    () => wrote('```json\n{}\n```'),
    /found a code fence; readChatCompletion takes it off\.$/,
  ],
  ['a list in place of the JSON object', () => wrote('[]'), /found an array\.$/],
  [
    'an executor that returns the response of fetch',
    () => answered(new Response('{}')),
    /got a Response of fetch: return readChatCompletion\(await it\.json\(\)\)/,
  ],
  [
    'a text in place of a request',
    () => new Intent({ executor: executor({}) }).parse('Query order 000123.'),
    /request must be a plain object, got a string; write \{ input: it \}/,
  ],
  [
    'a controller in place of its signal',
    () => parse({ signal: new AbortController() }),
    /got an instance of AbortController; pass its signal/,
  ],
  [
    'an option with a typo',
    () => new Intent({ excutor: executor({}) }),
    /did you mean "executor"\?/,
  ],
])('%s', async (_, mistake, message) => {
  const error = await (async () => mistake())().catch((thrown) => thrown);
  expect(error).toBeInstanceOf(Error);
  expect(error.code).toMatch(/^[A-Z_]+$/);
  expect(error.message).toMatch(message);
});

const WRONG = {
  normalizedInput: 1,
  primaryIntent: 2,
  requirements: 3,
  prohibitions: 4,
  intents: [{ action: 'look', target: 5, requirements: 6, blockers: 7 }],
  extra: 1,
  more: 2,
};

test('ten faults at once: the message has the first and their number, faults has each', async () => {
  const error = await wrote(JSON.stringify(WRONG)).catch((thrown) => thrown);
  expect(error.faults).toHaveLength(10);
  expect(error.message).toContain(error.faults[0]);
  expect(error.message).toMatch(/and 9 more; error\.faults lists them/);
  for (const name of Object.keys(WRONG).filter((key) => key !== 'intents'))
    expect(error.faults.join('\n')).toContain(name);
  expect(new Set(error.faults).size).toBe(10);
});

test('ten mistakes in a schema: the message has the first, checkSchema each with its place', () => {
  const names = Array.from({ length: 10 }, (_, i) => `field${i}`);
  const schema = {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { type: 'strng' }])),
  };
  expect(() => new Intent({ schema })).toThrow(/schema\.properties\.field0\.type must be one of/);
  const places = checkSchema(schema).refused.map(({ path }) => path);
  expect(places).toEqual(names.map((name) => `/properties/${name}/type`));
});

test('bridge instances may be configurations, whose Intents are the bridge’s own', async () => {
  const bridge = createIntentBridge({ instances: { a: { language: 'zh-CN' }, b: new Intent() } });
  const session = bridge.connect();
  const task = session.prepare({ instance: 'a', input: 'x' });
  expect(task.kind).toBe('task');
  expect(JSON.parse(task.payload).structuredLanguage).toBe('zh-CN');
  bridge.close();
  expect(() => createIntentBridge({ instances: { a: { lang: 'en' } } })).toThrow(
    /^instances\.a: config: unknown key "lang"/,
  );
});

test('a reply that throws when it is read says nothing about itself', async () => {
  const hostile = new Proxy(
    { outcome: 'none' },
    {
      has: () => {
        throw new Error('no');
      },
    },
  );
  await expect(answered(hostile)).rejects.toMatchObject({ code: 'MODEL_OUTPUT_INVALID' });
});
