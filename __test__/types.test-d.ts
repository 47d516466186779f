// Checked by `npm run test:types` (tsc); nothing here runs.

import type {
  Clarification,
  ContextMessage,
  DataIssueCode,
  ErrorCode,
  ErrorStage,
  ExecutorCapabilities,
  InferData,
  IntentAction,
  IntentConfig,
  IntentContext,
  IntentIssue,
  IntentItem,
  IntentLimits,
  IntentParseRequest,
  IntentResult,
  IntentStatus,
  JSONSchema,
  JsonValue,
  ModelExecutor,
  ModelReply,
  ModelRequest,
  SerializedIntentError,
  StandardJSONSchemaV1,
} from '@devcodex/intent-runtime';
import {
  type ACTIONS,
  type DATA_ISSUE_CODES,
  DEFAULT_LIMITS,
  ERROR_CODES,
  followUp,
  Intent,
  IntentDataError,
  IntentError,
  IntentParseError,
  openQuestions,
  type STATUSES,
} from '@devcodex/intent-runtime';
import { fromLanguageModel } from '@devcodex/intent-runtime/adapters/ai-sdk';
import type { ApiExecutor, ApiExecutorConfig } from '@devcodex/intent-runtime/adapters/api';
import {
  createApiExecutor,
  readChatCompletion,
  readCompletedResponse,
} from '@devcodex/intent-runtime/adapters/api';
import type {
  AcceptRequest,
  BridgeConfig,
  BridgeReply,
  BridgeSession,
  CancelRequest,
  IntentBridge,
  PrepareRequest,
} from '@devcodex/intent-runtime/bridge';
import { createIntentBridge } from '@devcodex/intent-runtime/bridge';
import { fallback, retrying } from '@devcodex/intent-runtime/executors';
import type { IntentMcpConfig, IntentMcpService } from '@devcodex/intent-runtime/mcp';
import { type MCP_TOOLS, serveIntentMcp } from '@devcodex/intent-runtime/mcp';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { Type } from '@sinclair/typebox';
import { type } from 'arktype';
import { vi } from 'vitest';
import { z } from 'zod';

type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
declare function same<A, B>(..._: Same<A, B> extends true ? [] : [never, A, B]): void;

type DefaultData = Record<string, JsonValue>;
declare const executor: ModelExecutor;
const input = 'Query order 000123.';

// Constructing and inferring ---------------------------------------------------------------------

same<Intent, Intent<DefaultData>>();
const plain = new Intent();
same<typeof plain, Intent<DefaultData>>();
const empty = new Intent({});
same<typeof empty, Intent<DefaultData>>();
const configured = new Intent({ language: 'zh-CN', executor, repairAttempts: 0, timeoutMs: 1000 });
same<typeof configured, Intent<DefaultData>>();

interface Order {
  orderId: string;
  note?: string;
}
const explicit = new Intent<Order>({ schema: { type: 'object', properties: {} }, executor });
same<typeof explicit, Intent<Order>>();
const explicitWithoutConfig = new Intent<Order>();
same<typeof explicitWithoutConfig, Intent<Order>>();
const explicitWithZod = new Intent<Order>({ schema: z.object({ a: z.string() }) });
same<typeof explicitWithZod, Intent<Order>>();

const literal = new Intent({
  schema: {
    type: 'object',
    properties: {
      orderId: { type: 'string', description: 'Order id.' },
      count: { type: 'integer' },
      express: { type: 'boolean' },
      size: { enum: ['s', 'm', null] },
      kind: { const: 'order' },
      tags: { type: 'array', items: { type: 'string' } },
      price: { type: ['number', 'null'] },
      either: { anyOf: [{ type: 'string' }, { type: 'number' }] },
      address: {
        type: 'object',
        properties: { city: { type: 'string' }, zip: { type: 'string' } },
        required: ['city'],
      },
      scores: { type: 'object', additionalProperties: { type: 'number' } },
      pair: { type: 'array', prefixItems: [{ type: 'string' }] },
      ref: { $ref: '#/definitions/x' },
      a_b: true,
    },
    required: ['orderId', 'tags'],
    definitions: { x: { type: 'string' } },
  },
  executor,
});
interface Literal {
  orderId: string;
  count?: number;
  express?: boolean;
  size?: 's' | 'm' | null;
  kind?: 'order';
  tags: string[];
  price?: number | null;
  either?: string | number;
  address?: { city: string; zip?: string };
  scores?: { [name: string]: number };
  pair?: JsonValue[];
  ref?: JsonValue;
  a_b?: JsonValue;
}
async function literalData(): Promise<void> {
  const { data } = await literal.parse({ input });
  const there: Literal = data;
  const andBack: typeof data = there;
  void andBack;
  same<typeof data.orderId, string>();
  same<typeof data.size, 's' | 'm' | null | undefined>();
  // @ts-expect-error it may be absent
  const count: number = data.count;
  void count;
  // @ts-expect-error the schema has no such field
  void data.other;
}

const asConst = {
  type: 'object',
  properties: { orderId: { type: 'string' } },
  required: ['orderId'],
} as const;
const fromConst = new Intent({ schema: asConst });
same<typeof fromConst, Intent<{ orderId: string }>>();
const satisfied = { ...asConst } as const satisfies JSONSchema;
same<InferData<typeof satisfied>, { orderId: string }>();

// A schema whose type says nothing is taken all the same.
const widened = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
const fromWidened = new Intent({ schema: widened });
same<typeof fromWidened, Intent<DefaultData>>();
declare const someSchema: JSONSchema;
const fromSomeSchema = new Intent({ schema: someSchema });
same<typeof fromSomeSchema, Intent<DefaultData>>();
declare const someConfig: IntentConfig;
const fromSomeConfig = new Intent(someConfig);
same<typeof fromSomeConfig, Intent<DefaultData>>();
const fromEmptySchema = new Intent({ schema: {} });
same<typeof fromEmptySchema, Intent<DefaultData>>();
interface OwnSchemaType {
  type: 'object';
  properties: { a: { type: 'string' } };
}
declare const ownSchema: OwnSchemaType;
const fromOwnSchema = new Intent({ schema: ownSchema });
same<typeof fromOwnSchema, Intent<{ a?: string }>>();

// Zod: the input type, since defaults are not filled in.
const zodSchema = z.object({
  orderId: z.string().describe('Order id.'),
  amount: z.number().optional(),
  currency: z.string().default('EUR'),
});
const fromZod = new Intent({ schema: zodSchema, executor });
same<
  typeof fromZod,
  Intent<{ orderId: string; amount?: number | undefined; currency?: string | undefined }>
>();
const zodJson = new Intent({ schema: z.toJSONSchema(zodSchema) });
void zodJson;

// ArkType
const arkSchema = type({ orderId: 'string', 'amount?': 'number' });
const fromArk = new Intent({ schema: arkSchema });
same<typeof fromArk, Intent<{ orderId: string; amount?: number }>>();

// TypeBox
const boxSchema = Type.Object({ orderId: Type.String(), amount: Type.Optional(Type.Number()) });
const fromBox = new Intent({ schema: boxSchema });
same<typeof fromBox, Intent<{ amount?: number; orderId: string }>>();

// Any Standard JSON Schema
declare const standard: StandardJSONSchemaV1<{ a: 1 }, { a: 2 }>;
const fromStandard = new Intent({ schema: standard });
same<typeof fromStandard, Intent<{ a: 1 }>>();
declare const untyped: StandardJSONSchemaV1;
const fromUntyped = new Intent({ schema: untyped });
same<typeof fromUntyped, Intent<DefaultData>>();

// A schema library that cannot give JSON Schema is refused by type.
declare const validatorOnly: {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    validate(value: unknown): unknown;
  };
};
// @ts-expect-error no jsonSchema
void new Intent({ schema: validatorOnly });
// @ts-expect-error no schema
void new Intent({ schema: null });
// @ts-expect-error unknown option
void new Intent({ langauge: 'en' });
// @ts-expect-error unknown option beside a schema
void new Intent({ schema: asConst, langauge: 'en' });
// @ts-expect-error out of range
void new Intent({ repairAttempts: 2 });
// @ts-expect-error unknown limit
void new Intent({ limits: { maxInputByte: 1 } });
void new Intent({
  language: undefined,
  schema: undefined,
  executor: undefined,
  timeoutMs: undefined,
  repairAttempts: undefined,
  limits: { maxInputBytes: undefined, maxOutputBytes: 1 },
});
declare const partialLimits: Partial<IntentLimits>;
void new Intent({ limits: partialLimits });
void new Intent({ limits: DEFAULT_LIMITS });

// parse ------------------------------------------------------------------------------------------

async function fields(): Promise<void> {
  const one = await fromZod.parse({ input, fields: ['orderId'] });
  same<typeof one.data, Pick<{ orderId: string }, 'orderId'>>();
  void one.data.orderId;
  // @ts-expect-error not selected
  void one.data.amount;
  const two = await fromConst.parse({ input, fields: ['orderId', 'orderId'] as const });
  same<typeof two.data.orderId, string>();
  const none = await fromZod.parse({ input, fields: [] });
  const nothing: {} = none.data;
  void nothing;
  // @ts-expect-error nothing selected
  void none.data.orderId;
  // @ts-expect-error no such field
  await fromZod.parse({ input, fields: ['oderId'] });
  // @ts-expect-error no such field
  await fromZod.parse({ input, fields: ['orderId', 'oderId'] });
  const names: string[] = ['orderId'];
  const dynamic = await fromConst.parse({ input, fields: names });
  // Any of them may be left out.
  same<typeof dynamic.data, { orderId?: string }>();
  const all = await fromConst.parse({ input, fields: undefined, context: undefined });
  same<typeof all, IntentResult<{ orderId: string }>>();
  const request: IntentParseRequest = { input, fields: names };
  const fromRequest: IntentResult<{ orderId?: string }> = await fromConst.parse(request);
  void fromRequest;
  const next = followUp(all, 'x', { input, fields: ['orderId'], context: 'note' });
  same<typeof next.context, IntentContext>();
  const narrowed = await fromConst.parse(next);
  same<typeof narrowed.data, { orderId: string }>();
  let loop: IntentParseRequest = { input, signal: new AbortController().signal };
  loop = followUp(new IntentError('MODEL_TIMEOUT').toJSON(), openQuestions(all), loop);
  const alone: { input: string; context: ContextMessage[] } = followUp(all, ['x']);
  void [loop, alone];
  // @ts-expect-error no outcome
  followUp({ input }, 'x');
  // @ts-expect-error no request
  followUp(all, 'x', { context: 'note' });
  const untypedFields = await plain.parse({ input, fields: ['a', 'b'] });
  same<typeof untypedFields.data.a, JsonValue>();
  const untypedAll = await plain.parse({ input });
  same<typeof untypedAll, IntentResult>();
  // @ts-expect-error no input
  await plain.parse({});
  // @ts-expect-error no request
  await plain.parse();
  // @ts-expect-error unknown key
  await plain.parse({ input, extra: 1 });
  await plain.parse({ input, context: 'note', signal: new AbortController().signal });
  await plain.parse({ input, context: [{ role: 'user', content: '' }] as const });
  // @ts-expect-error unknown role
  await plain.parse({ input, context: [{ role: 'system', content: '' }] });
  // @ts-expect-error no signal
  await plain.parse({ input, signal: {} });
}

async function anyIntent(registry: Record<string, Intent<any>>): Promise<void> {
  const result = await registry['a']?.parse({ input, fields: ['x'] });
  void result?.data.x;
}
void anyIntent({ plain, explicit, literal, fromZod, fromArk, fromBox, fromStandard });

async function lifetimes(): Promise<void> {
  using a = new Intent();
  await using b = new Intent({ executor });
  void [a, b];
  const ended: Promise<void> = a.dispose();
  await ended;
  if ((a as unknown) instanceof Intent) void a;
}

class Derived extends Intent<Order> {
  describe(): Promise<IntentResult<Order>> {
    return this.parse({ input });
  }
}
const derived: Intent<Order> = new Derived({ executor });
void derived;

// Results ----------------------------------------------------------------------------------------

function items(item: IntentItem): string {
  switch (item.status) {
    case 'ready':
      same<typeof item.action, IntentAction>();
      same<typeof item.reason, undefined>();
      return item.action;
    case 'needs_clarification':
      same<typeof item.action, IntentAction | null>();
      same<typeof item.clarification, [Clarification, ...Clarification[]]>();
      return item.clarification[0].question;
    case 'awaiting_confirmation':
    case 'conditional':
      same<typeof item.clarification, undefined>();
      return `${item.action} ${item.reason}`;
    default:
      return item satisfies never;
  }
}
void items;
same<IntentItem['status'], IntentStatus>();
const context: IntentContext = [{ role: 'tool', content: '{}' }];
void context;

// Executors --------------------------------------------------------------------------------------

class ClassExecutor implements ModelExecutor {
  readonly id = 'class';
  get capabilities(): ExecutorCapabilities {
    return {
      nativeJsonSchema: true,
      nativeJsonObject: true,
      isolatedTurn: true,
      supportsAbort: true,
    };
  }
  async generate(request: ModelRequest): Promise<ModelReply> {
    same<ModelRequest['input'], { [key: string]: JsonValue }>();
    const response = await fetch('https://example.com', { signal: request.signal });
    const schema: JSONSchema =
      request.format.kind === 'json_schema' ? request.format.schema : request.outputSchema;
    const body: Record<string, unknown> = schema;
    void body;
    return response.ok
      ? { outcome: 'complete', text: await response.text(), usage: { inputTokens: 1 } }
      : { outcome: 'refusal', detail: `status ${response.status}` };
  }
}
void new Intent({ executor: new ClassExecutor() });
// @ts-expect-error a refusal has no text
const wrongReply: ModelReply = { outcome: 'refusal', text: '' };
void wrongReply;

const apiConfig: ApiExecutorConfig = { provider: 'openai', model: 'm', apiKey: 'k' };
const api: ApiExecutor = createApiExecutor({
  ...apiConfig,
  protocol: 'chat-completions',
  format: 'text',
  baseURL: undefined,
});
void new Intent({ executor: api });
same<typeof api.id, 'api:openai' | 'api:xai'>();
void api.generate({ instructions: 'x', payload: '{}', outputSchema: { type: 'object' } });
void api.generate({ instructions: 'x', input: { a: 1 }, format: { kind: 'json_object' } });
for (const apiKey of [() => 'k', async () => 'k', undefined])
  void createApiExecutor({
    provider: 'openai',
    model: 'm',
    apiKey,
    baseURL: 'https://x.example/v1',
    format: 'json_object',
    outputLimit: 'max_tokens',
    headers: { 'x-application': 'orders' },
    body: { store: null, deep: { a: [1, null, 'x'] } },
  });
// @ts-expect-error a key is text
void createApiExecutor({ provider: 'openai', model: 'm', apiKey: () => 1 });
// @ts-expect-error JSON alone
void createApiExecutor({ provider: 'openai', model: 'm', apiKey: 'k', body: { a: new Date() } });
// @ts-expect-error no such provider
void createApiExecutor({ provider: 'other', model: 'm', apiKey: 'k' });
const replies: ModelReply[] = [readCompletedResponse({}), readChatCompletion('x')];
void replies;

// Errors -----------------------------------------------------------------------------------------

const issue: IntentIssue = {
  code: 'DATA_REQUIRED_MISSING',
  category: 'business_information',
  path: '/data/orderId',
  message: 'Which order?',
};
const error = new IntentError('MODEL_REQUEST_FAILED', {
  stage: 'model',
  message: 'x',
  issues: [issue],
  cause: new Error('y'),
});
void new IntentError('RESOURCE_LIMIT');
void new IntentError('MODEL_TIMEOUT', 'core', 'Too late.');
void new IntentError('DATA_EXTRACTION_FAILED', 'data', 'No.', [issue]);
// @ts-expect-error no such code
void new IntentError('NOPE');
// @ts-expect-error the older call needs a message
void new IntentError('MODEL_TIMEOUT', 'core');
// @ts-expect-error only its own code
void new IntentDataError('INPUT_INVALID');
same<typeof error.name, 'IntentError'>();
same<typeof error.code, ErrorCode>();
same<typeof error.stage, ErrorStage>();
same<ReturnType<typeof error.toJSON>, SerializedIntentError>();
const sameClass: typeof IntentError = IntentParseError;
const old: IntentParseError = error;
void [sameClass, old];
function caught(thrown: unknown): IntentResult | undefined {
  if (thrown instanceof IntentDataError) {
    same<typeof thrown.code, 'DATA_EXTRACTION_FAILED'>();
    return thrown.partialResult;
  }
  if (thrown instanceof IntentParseError) return thrown.partialResult;
  return undefined;
}
void caught;
// @ts-expect-error read only
error.code = 'CONFIG_INVALID';

// Constants --------------------------------------------------------------------------------------

same<(typeof ERROR_CODES)[number], ErrorCode>();
same<(typeof DATA_ISSUE_CODES)[number], DataIssueCode>();
same<(typeof ACTIONS)[number], IntentAction>();
same<(typeof STATUSES)[number], IntentStatus>();
same<keyof typeof DEFAULT_LIMITS, keyof IntentLimits>();
same<(typeof ERROR_CODES)['length'], 21>();
same<(typeof DATA_ISSUE_CODES)['length'], 9>();
const maxInputBytes: 65536 = DEFAULT_LIMITS.maxInputBytes;
void maxInputBytes;
// @ts-expect-error frozen
DEFAULT_LIMITS.maxInputBytes = 1;
// @ts-expect-error frozen
ERROR_CODES.push('X');

// Bridge -----------------------------------------------------------------------------------------

const bridgeConfig: BridgeConfig = { instances: { plain, fromZod }, maxJobs: 8 };
const bridge: IntentBridge = createIntentBridge(bridgeConfig);
const session: BridgeSession = bridge.connect();
async function host(generate: (task: BridgeReply) => Promise<string>): Promise<BridgeReply> {
  const request: PrepareRequest = { instance: 'plain', input, fields: [] };
  let reply = session.prepare(request);
  while (reply.kind === 'task') {
    const accept: AcceptRequest = {
      jobId: reply.jobId,
      stepToken: reply.stepToken,
      candidateText: await generate(reply),
    };
    reply = await session.accept(accept);
  }
  if (reply.kind === 'result') same<typeof reply.result, IntentResult>();
  else same<typeof reply.error, SerializedIntentError>();
  const cancel: CancelRequest = { jobId: 'x', outcome: 'refusal', detail: 'why' };
  return session.cancel(cancel);
}
void host;
// @ts-expect-error no signal here
session.prepare({ instance: 'plain', input, signal: new AbortController().signal });
// @ts-expect-error no instances
createIntentBridge({});
createIntentBridge({ instances: { a: { language: 'zh-CN' } } });
// @ts-expect-error neither an Intent nor a configuration
createIntentBridge({ instances: { a: { lang: 'en' } } });
// @ts-expect-error not an Intent
createIntentBridge({ instances: { a: 5 } });

// MCP --------------------------------------------------------------------------------------------

async function serve(transport: Transport): Promise<void> {
  const config: IntentMcpConfig = { ...bridgeConfig, transport };
  const service: IntentMcpService = await serveIntentMcp(config);
  await service.close();
  await service.closed;
  await serveIntentMcp({
    instances: { plain },
    transport: InMemoryTransport.createLinkedPair()[0],
  });
  await serveIntentMcp({ instances: { plain } });
}
void serve;
same<(typeof MCP_TOOLS)[number]['name'], 'intent_prepare' | 'intent_accept' | 'intent_cancel'>();

void [literalData, fields, lifetimes];

// Executors made of executors, and of models of the AI SDK.
{
  const api: ApiExecutor = createApiExecutor({ provider: 'openai', model: 'm', apiKey: 'k' });
  const patient: ModelExecutor = retrying(api, {
    attempts: 3,
    maxDelayMs: 1000,
    on: ({ attempt, delayMs, error }) => console.log(attempt + delayMs, error),
  });
  const both: ModelExecutor = fallback([patient, api], {
    on: ({ from, to }) => console.log(from, to),
  });
  new Intent({ executor: both });
  // @ts-expect-error: how often is the caller's to say
  retrying(api, { maxDelayMs: 1000 });
  // @ts-expect-error: one executor is no choice
  fallback([api]);

  const model = {} as ReturnType<ReturnType<typeof import('@ai-sdk/anthropic').createAnthropic>>;
  new Intent({
    executor: fromLanguageModel(model, {
      temperature: 0,
      maxOutputTokens: 100,
      providerOptions: { google: { thinkingConfig: { thinkingBudget: 0 } } },
    }),
  });
  // @ts-expect-error: a name is no model
  fromLanguageModel('openai/gpt-5');
}

// The recursive unions of schema libraries (zod-to-json-schema, json-schema) say nothing precise:
// to follow them would never end.
type AnyNode = { $ref?: string };
type Loose = (
  | AnyNode
  | { type: 'string'; minLength?: number }
  | { type: 'array'; items?: Loose; maxItems?: number }
  | { type: 'object'; properties: Record<string, Loose>; additionalProperties?: boolean | Loose }
  | { type: ('string' | 'null')[] }
  | { anyOf: Loose[] }
  | { allOf: Loose[]; not?: Loose }
  | { enum: string[] }
  | { const: string | number }
) & { title?: string; default?: any };
declare const loose: Loose;
const fromLoose = new Intent({ schema: { type: 'object', properties: { loose } } });
const ofLoose = fromLoose.parse({ input: 'x' });
same<Awaited<typeof ofLoose>['data'], { loose?: JsonValue }>();
const rootLoose = new Intent({ schema: loose as Loose & { $schema?: string | undefined } });
const ofRoot = rootLoose.parse({ input: 'x' });
same<Awaited<typeof ofRoot>['data'], Record<string, JsonValue>>();

// For types of a Standard Schema that JSON does not have, the data has the type that JSON carries instead.
declare const beyond: StandardJSONSchemaV1<{
  day: Date;
  days: Date[];
  pair: [Date, number];
  maybe?: Date | null;
  big: bigint;
  sign: symbol;
  map: Map<string, Date>;
  set: ReadonlySet<string>;
  call: (a: string) => void;
  bytes: Uint8Array;
  unknown: unknown;
  any: any;
  word: 'a' | 'b';
  deep: { at: Date };
  record: Record<string, Date>;
}>;
const fromBeyond = new Intent({ schema: beyond });
const ofBeyond = fromBeyond.parse({ input });
same<
  Awaited<typeof ofBeyond>['data'],
  {
    day: string;
    days: string[];
    pair: [string, number];
    maybe?: string | null;
    big: string;
    sign: string;
    map: JsonValue;
    set: JsonValue;
    call: JsonValue;
    bytes: JsonValue;
    unknown: JsonValue;
    any: any;
    word: 'a' | 'b';
    deep: { at: string };
    record: Record<string, string>;
  }
>();
const zodTree = z.object({
  name: z.string(),
  get children() {
    return z.array(zodTree);
  },
});
const fromTree = new Intent({ schema: zodTree });
const ofTree = fromTree.parse({ input });
declare const tree: Awaited<typeof ofTree>['data'];
const name: string | undefined = tree.children[0]?.children[0]?.name;
void name;
const fromArkDate = new Intent({ schema: type({ day: 'Date' }) });
same<typeof fromArkDate, Intent<{ day: string }>>();

const ofTypes = new Intent({
  schema: { type: 'object', properties: { a: { type: ['string', 'null'] } } },
});
same<typeof ofTypes, Intent<{ a?: string | null }>>();

// A mock needs no cast, for all ways to make one.
const order: IntentResult<Order> = {
  input,
  normalizedInput: input,
  primaryIntent: null,
  requirements: [],
  intents: [],
  prohibitions: [],
  data: { orderId: '1' },
};
const mock: Pick<Intent<Order>, 'parse'> = { parse: async () => order };
const mocked = mock.parse({ input, fields: ['orderId'] });
same<Awaited<typeof mocked>['data'], { orderId: string }>();
const spied: Pick<Intent<Order>, 'parse'> = { parse: vi.fn(async () => order) };
const real: Pick<Intent<Order>, 'parse'> = explicit;
const wrongMock: Pick<Intent<Order>, 'parse'> = {
  // @ts-expect-error another data
  parse: async () => ({ ...order, data: { orderId: 1 } }),
};
// @ts-expect-error the second signature is never called
void mock.parse({ input }, 1);
void [spied, real, wrongMock];

// `dataWithoutIntent: 'skip'` by inference and as given.
const skipping = new Intent({ schema: asConst, dataWithoutIntent: 'skip' });
same<typeof skipping, Intent<{ orderId?: string }>>();
const asking = new Intent({ schema: asConst, dataWithoutIntent: 'ask' });
same<typeof asking, Intent<{ orderId: string }>>();
const skippingAsGiven = new Intent<Partial<Order>>({ schema: asConst, dataWithoutIntent: 'skip' });
same<typeof skippingAsGiven, Intent<Partial<Order>>>();
