/// <reference lib="es2022.error" />
/// <reference lib="esnext.disposable" />

// The public types of `@devcodex/intent-runtime`, written by hand. They need only TypeScript 5.2 or
// later: no DOM types and no @types/node.

import type { CheckedConfig, IsUnion } from './js/literal-schema';

/** A value that JSON can carry. */
export type JsonValue =
  | null
  | string
  | number
  | boolean
  | JsonValue[]
  | { [key: string]: JsonValue };

/** The kind of action that the user asks for. */
export type IntentAction =
  | 'query'
  | 'analyze'
  | 'generate'
  | 'modify'
  | 'delete'
  | 'execute'
  | 'other';

/**
 * The state of an intent: `ready` to be executed, or blocked by an open question, by a confirmation
 * that the user wants to give first, or by a condition that is not yet known.
 */
export type IntentStatus =
  | 'ready'
  | 'needs_clarification'
  | 'awaiting_confirmation'
  | 'conditional';

/** A question to the user. */
export interface Clarification {
  /** The question, in the `language` of the instance. */
  question: string;
  /** Answers to choose from; may be empty. */
  options: string[];
}

/** The members that every intent has. */
export interface IntentItemBase {
  /** `i1`, `i2` and so on, in the order in which the actions are to happen. */
  id: string;
  /** The object of the action, such as `order 000123`; `null` if the text does not name one. */
  target: string | null;
  /** Requirements that apply only to this intent. */
  requirements: string[];
}

/**
 * One action that the user asks for. The union narrows on `status`.
 *
 * @example
 * ```ts
 * for (const item of result.intents) {
 *   if (item.status === 'needs_clarification') ask(item.clarification[0].question);
 *   else if (item.status === 'ready') run(item.action, item.target);
 *   else hold(item.reason);
 * }
 * ```
 */
export type IntentItem = IntentItemBase &
  (
    | { action: IntentAction; status: 'ready'; reason?: never; clarification?: never }
    | {
        action: IntentAction | null;
        status: 'needs_clarification';
        reason: string;
        clarification: [Clarification, ...Clarification[]];
      }
    | {
        action: IntentAction;
        status: 'awaiting_confirmation' | 'conditional';
        reason: string;
        clarification?: never;
      }
  );

/**
 * The result of a recognition.
 *
 * @typeParam TData - The type of `data`, the fields that the schema defines.
 */
export interface IntentResult<TData = Record<string, JsonValue>> {
  /** The input, unchanged. */
  input: string;
  /** The user's current request in plain sentences, in the `language` of the instance. */
  normalizedInput: string;
  /** The main goal of the request; `null` if the input contains no request. */
  primaryIntent: string | null;
  /** Requirements that apply to the whole request. */
  requirements: string[];
  /** The intents, in the order in which they are to happen; empty if the input contains no request. */
  intents: IntentItem[];
  /** Actions that the user forbids. */
  prohibitions: string[];
  /** The selected fields; `{}` if none is selected. */
  data: TData;
  /**
   * The quotes behind each value of `data`, in the order of the data. Present only if the request had
   * `evidence: true`; it is then the last key.
   */
  evidence?: EvidenceEntry[];
}

/** The quotes behind one value of `data`. */
export interface EvidenceEntry {
  /** The JSON Pointer of the value, such as `/data/orderId`. */
  path: string;
  /** `exact`: the value equals a quote. `semantic`: the value is derived from its quotes. */
  mode: 'exact' | 'semantic';
  /** The quotes with their positions; at least one. */
  spans: EvidenceSpan[];
}

/**
 * A quote and its position: `source.slice(start, end) === quote`. The source `input` is
 * `result.input` (after {@link followUp} the whole text, not only the last answer); `context:N` is
 * message N of the request's context, and `context:0` is the whole of a context that is one text.
 */
export interface EvidenceSpan {
  /** The text that contains the quote: the input, or a context message by its index. */
  source: 'input' | `context:${number}`;
  /** The start of the first whole-word occurrence, in UTF-16 code units. */
  start: number;
  /** The end of that occurrence, in UTF-16 code units, exclusive. */
  end: number;
  /** The quoted text. */
  quote: string;
  /** The number of whole-word occurrences in the source, including overlapping ones. */
  occurrences: number;
}

/**
 * The level that binds a value to its quotes.
 * - `exact`: a string equals a quote; a number equals a numeral in a quote.
 * - `bound`: for a number, a quote contains a numeral or number word; a run of four or more digits in
 *   a string occurs in a quote.
 * - `any`: the quotes occur in the texts; that they support the value is the model's claim.
 */
export type EvidenceLevel = 'exact' | 'bound' | 'any';

/**
 * One level for every value, or levels by JSON Pointer from the root of the data (`/orderId`).
 * A pointer applies to the value and everything below it; `*` matches any array index. The longest
 * match wins, and values without a match have the level `bound`. `x-evidence` beside a property in the
 * schema has the same effect.
 */
export type EvidencePolicy = EvidenceLevel | { readonly [pointer: string]: EvidenceLevel };

/**
 * A kind of source that may give values: the input, the messages of a role in the context, or
 * `background`, a context that is one text.
 */
export type EvidenceSource = 'input' | 'user' | 'assistant' | 'tool' | 'background';

/** An earlier message of the conversation. */
export interface ContextMessage {
  /** The author of the message. */
  role: 'user' | 'assistant' | 'tool';
  /** The text of the message; may be empty. */
  content: string;
}

/** Text that the caller adds to the input: one background text, or messages in order. */
export type IntentContext = string | readonly ContextMessage[];

/** The platform's `AbortSignal` if its types have one (DOM, Node.js), otherwise its shape. */
type PlatformAbortSignal = typeof globalThis extends {
  AbortSignal: { prototype: infer TSignal extends AbortSignalShape };
}
  ? TSignal
  : AbortSignalShape;

interface AbortSignalShape {
  readonly aborted: boolean;
  readonly reason: any;
  addEventListener(type: 'abort', listener: (event: any) => void, options?: any): void;
  removeEventListener(type: 'abort', listener: (event: any) => void, options?: any): void;
}

/** The request of {@link Intent.parse}. */
export interface IntentParseRequest {
  /** The user's text. It must not be blank, and has at most `limits.maxInputBytes` UTF-8 bytes. */
  input: string;
  /**
   * The fields to extract: names of top-level properties of the schema. Duplicates are merged; `[]` skips
   * the data stage.
   *
   * @defaultValue every property, in the order of the schema
   */
  fields?: readonly string[] | undefined;
  /**
   * Earlier messages or background text. The model uses it to resolve references, and may quote it.
   *
   * @defaultValue none
   */
  context?: IntentContext | undefined;
  /**
   * Adds `evidence` to the result: the position in the texts of the quotes behind each value.
   *
   * @defaultValue false
   */
  evidence?: boolean | undefined;
  /**
   * Aborting it ends this parse with `MODEL_ABORTED`.
   *
   * @defaultValue none
   */
  signal?: PlatformAbortSignal | undefined;
  /**
   * Called once with the core result as soon as it is ready, while the data question runs. The
   * argument is a copy. An error that the function throws, or a rejection of the promise that it
   * returns, has no effect.
   *
   * @defaultValue none
   */
  onCore?: ((result: IntentResult<{}>) => unknown) | undefined;
}

// -----------------------------------------------------------------------------------------------
// Schemas

/**
 * A JSON Schema of Draft-7 or 2020-12, as an object.
 * The type allows any keyword, so that schemas from files, TypeBox and other builders fit. The
 * constructor of {@link Intent} checks every keyword.
 */
export interface JSONSchema {
  readonly $schema?: string | undefined;
  readonly type?: JSONSchemaTypeName | (string & {}) | readonly string[] | undefined;
  readonly description?: string | undefined;
  readonly properties?: { readonly [name: string]: JSONSchema | boolean } | undefined;
  readonly required?: readonly string[] | undefined;
  /** A schema library's object is not a JSON Schema; see {@link StandardJSONSchemaV1}. */
  readonly '~standard'?: never;
  readonly [keyword: string]: any;
}

/** The values of `type`. */
export type JSONSchemaTypeName =
  | 'object'
  | 'array'
  | 'string'
  | 'number'
  | 'integer'
  | 'boolean'
  | 'null';

/**
 * The published Standard JSON Schema interface, which Zod 4, ArkType and others implement. This
 * package calls `input` with the target `draft-07`, or `draft-2020-12` if the library refuses that.
 *
 * @see https://standardschema.dev/json-schema
 */
export interface StandardJSONSchemaV1<TInput = unknown, TOutput = TInput> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly types?: { readonly input: TInput; readonly output: TOutput } | undefined;
    readonly jsonSchema: {
      readonly input: (options: StandardJSONSchemaOptions) => Record<string, unknown>;
      readonly output: (options: StandardJSONSchemaOptions) => Record<string, unknown>;
    };
  };
}

/** The options that a Standard JSON Schema's `input` and `output` take. */
export interface StandardJSONSchemaOptions {
  readonly target: 'draft-07' | 'draft-2020-12' | 'openapi-3.0' | (string & {});
  readonly libraryOptions?: Record<string, unknown> | undefined;
}

/**
 * The type of `data` that a schema describes: the input type of a Standard JSON Schema, as JSON
 * carries it (a `Date` is a `string`); the static type of a TypeBox schema; the type that a literal
 * JSON Schema describes; otherwise `Record<string, JsonValue>`.
 */
export type InferData<TSchema> = TSchema extends {
  readonly '~standard': { readonly types?: infer TTypes };
}
  ? NonNullable<TTypes> extends { readonly input: infer TInput extends object }
    ? AsJson<TInput>
    : Record<string, JsonValue>
  : TSchema extends { readonly static: infer TStatic extends object }
    ? TStatic
    : TSchema extends { readonly properties: infer TProperties }
      ? string extends keyof TProperties
        ? Record<string, JsonValue>
        : 'object' extends SchemaMember<TSchema, 'type'>
          ? string extends SchemaMember<TSchema, 'type'>
            ? Record<string, JsonValue>
            : FromObjectSchema<TSchema>
          : Record<string, JsonValue>
      : Record<string, JsonValue>;

/** A type as JSON carries it: a class instance becomes the text or value that JSON has for it. */
type AsJson<TType> = 0 extends 1 & TType
  ? TType
  : unknown extends TType
    ? JsonValue
    : TType extends string | number | boolean | null | undefined
      ? TType
      : TType extends Date | bigint | symbol
        ? string
        : TType extends NoJson
          ? JsonValue
          : TType extends object
            ? { [TName in keyof TType]: AsJson<TType[TName]> }
            : TType;

/** Types that no JSON value has, although their properties may match. */
type NoJson =
  | ((...values: never[]) => unknown)
  | ReadonlyMap<any, any>
  | ReadonlySet<any>
  | WeakMap<any, any>
  | WeakSet<any>
  | Promise<any>
  | RegExp
  | Error
  | ArrayBuffer
  | { readonly buffer: ArrayBufferLike; readonly byteLength: number };

type SchemaMember<TSchema, TName extends string> = TSchema extends {
  readonly [name in TName]: infer TMember;
}
  ? TMember
  : never;

/** The type that a literal JSON Schema describes; `JsonValue` if types cannot express it. */
type FromSchema<TSchema> = true extends IsUnion<TSchema> ? JsonValue : FromOneSchema<TSchema>;

type FromOneSchema<TSchema> = TSchema extends { readonly const: infer TValue }
  ? Mutable<TValue>
  : TSchema extends { readonly enum: readonly (infer TValue)[] }
    ? Mutable<TValue>
    : TSchema extends { readonly $ref: unknown }
      ? JsonValue
      : TSchema extends { readonly type: readonly (infer TName)[] }
        ? FromTypeName<TName, TSchema>
        : TSchema extends { readonly type: infer TName }
          ? FromTypeName<TName, TSchema>
          : TSchema extends { readonly anyOf: infer TBranches }
            ? FromBranches<TBranches>
            : TSchema extends { readonly oneOf: infer TBranches }
              ? FromBranches<TBranches>
              : JsonValue;

/** The union of the branches, if they are a tuple. */
type FromBranches<TBranches> = TBranches extends readonly unknown[]
  ? number extends TBranches['length']
    ? JsonValue
    : { [TAt in keyof TBranches]: FromSchema<TBranches[TAt]> }[number]
  : JsonValue;

type FromTypeName<TName, TSchema> = TName extends 'string'
  ? string
  : TName extends 'number' | 'integer'
    ? number
    : TName extends 'boolean'
      ? boolean
      : TName extends 'null'
        ? null
        : TName extends 'array'
          ? FromArraySchema<TSchema>
          : TName extends 'object'
            ? FromObjectSchema<TSchema>
            : JsonValue;

type FromArraySchema<TSchema> = TSchema extends { readonly prefixItems: unknown }
  ? JsonValue[]
  : TSchema extends { readonly items: infer TItem }
    ? TItem extends readonly unknown[] | boolean
      ? JsonValue[]
      : FromSchema<TItem>[]
    : JsonValue[];

type FromObjectSchema<TSchema> = TSchema extends { readonly properties: infer TProperties }
  ? string extends keyof TProperties
    ? { [name: string]: JsonValue }
    : Flat<
        {
          -readonly [TName in keyof TProperties as TName extends RequiredNames<TSchema>
            ? TName
            : never]: FromSchema<TProperties[TName]>;
        } & {
          -readonly [TName in keyof TProperties as TName extends RequiredNames<TSchema>
            ? never
            : TName]?: FromSchema<TProperties[TName]>;
        }
      >
  : TSchema extends { readonly additionalProperties: infer TValue extends object }
    ? { [name: string]: FromSchema<TValue> }
    : { [name: string]: JsonValue };

/** The names in a literal `required`; `never` if it is not a literal. */
type RequiredNames<TSchema> = TSchema extends { readonly required: readonly (infer TName)[] }
  ? string extends TName
    ? never
    : TName
  : never;

type Mutable<TValue> = TValue extends object
  ? { -readonly [TName in keyof TValue]: Mutable<TValue[TName]> }
  : TValue;

type Flat<TObject> = { [TName in keyof TObject]: TObject[TName] } & {};

/** One finding of {@link checkSchema} about one place of a schema. */
export interface SchemaFinding {
  /** A JSON Pointer into the schema, `''` for its root. */
  path: string;
  /** The finding, and how to fix it. */
  message: string;
}

/** The report of {@link checkSchema}. */
export interface SchemaReport {
  /** `true` if `new Intent` accepts the schema. */
  supported: boolean;
  /** Every reason to refuse the schema; empty if it is accepted. */
  refused: SchemaFinding[];
  /** Parts that are accepted but allow more values than they seem to. */
  loose: SchemaFinding[];
  /** The dialect that the schema is read as; `null` if it is refused or empty. */
  dialect: 'Draft-7' | '2020-12' | null;
  /** `true` if the schema of the data answer is sent with `strict: true`. */
  strict: boolean;
  /** An estimate of the tokens that the schema costs in each question that contains it. */
  tokens: number;
}

/**
 * Checks a schema without an instance, and reports at once everything that `new Intent` would refuse.
 *
 * @throws {IntentError} `CONFIG_INVALID` for options that are not valid; never for the schema.
 *
 * @example
 * ```ts
 * const { supported, refused } = checkSchema(schema, { unknownKeywords: 'annotate' });
 * for (const { path, message } of refused) console.error(path, message);
 * ```
 */
export declare function checkSchema(
  schema: JSONSchema | StandardJSONSchemaV1,
  options?: {
    unknownKeywords?: 'refuse' | 'annotate' | undefined;
    limits?: Partial<IntentLimits> | undefined;
  },
): SchemaReport;

// -----------------------------------------------------------------------------------------------
// Models

/** One question to the model. It does not depend on other requests, and its objects are copies. */
export interface ModelRequest {
  /** `core` recognises the intents, `data` the fields of the schema. */
  readonly stage: 'core' | 'data';
  /** The system text of this stage. */
  readonly instructions: string;
  /** The materials as JSON text: the user message. */
  readonly payload: string;
  /** The payload as an object. */
  readonly input: { [key: string]: JsonValue };
  /** The output format that the stage asks for. */
  readonly format:
    | { kind: 'json_schema'; name: string; schema: JSONSchema }
    | { kind: 'json_object' };
  /** JSON Schema of the candidate, in both stages. */
  readonly outputSchema: JSONSchema;
  /** Aborted when the parse ends for any reason; its reason is then an {@link IntentError}. */
  readonly signal: PlatformAbortSignal;
}

/** The answer of the model: a candidate, a refusal, or an answer that was cut off. */
export type ModelReply =
  | {
      outcome: 'complete';
      /** The candidate: JSON text, which the package checks. */
      text: string;
      /** The tokens of this call; they become part of the report. */
      usage?: ModelUsage | undefined;
      /** The model that answered, as the service names it. */
      model?: string | undefined;
      /** The service's id of the request. */
      requestId?: string | undefined;
    }
  | {
      outcome: 'refusal' | 'incomplete';
      /** Appended to the error's message. */
      detail?: string | undefined;
      usage?: ModelUsage | undefined;
      model?: string | undefined;
      requestId?: string | undefined;
    };

/** The tokens of one call. A number that the service does not report is absent, never 0. */
export interface ModelUsage {
  /** Tokens that the model read, including cached ones. */
  inputTokens?: number | undefined;
  /** Tokens that the model wrote, including reasoning. */
  outputTokens?: number | undefined;
  /** The part of the input tokens that came from the service's cache. */
  cachedInputTokens?: number | undefined;
  /** The part of the output tokens that the model used for reasoning. */
  reasoningTokens?: number | undefined;
}

/** The calls to the model in one recognition, with time and tokens. */
export interface ParseReport {
  /** Milliseconds from the call of `parse` to its end. */
  durationMs: number;
  /** Every question to the executor, in order. */
  calls: ModelCall[];
  /** The sum of all calls. A number that one of the calls did not report is absent, never 0. */
  usage?: ModelUsage;
}

/** One question to the executor, in a {@link ParseReport}. */
export interface ModelCall {
  /** The stage of the question. */
  stage: 'core' | 'data';
  /** `true` if the question asked the model to repair a rejected candidate. */
  repair: boolean;
  /**
   * `accepted`: the candidate satisfies every rule (a data candidate may still report issues).
   * `rejected`: the candidate breaks a rule. `refusal` and `incomplete`: the outcome of the reply.
   * Otherwise the code of the error that ended the call.
   */
  outcome: 'accepted' | 'rejected' | 'refusal' | 'incomplete' | ErrorCode;
  /** The faults of a rejected candidate. */
  faults?: string[];
  /** Milliseconds from the question to the answer, without the check of the candidate. */
  durationMs: number;
  /** The tokens of the call, if the executor reported them. */
  usage?: ModelUsage;
  /** The model that answered, if the executor reported it. */
  model?: string;
  /** The service's id of the request, if the executor reported it. */
  requestId?: string;
}

/** Properties that an executor declares about its model; all four or none. */
export interface ExecutorCapabilities {
  /** The model accepts a JSON Schema for its output. */
  nativeJsonSchema: boolean;
  /** The model can be told to answer with a JSON object. */
  nativeJsonObject: boolean;
  /** Each call is a conversation of its own, without earlier messages. */
  isolatedTurn: boolean;
  /** The executor honours `signal`. `false` is refused with `HOST_CAPABILITY_UNSUPPORTED`. */
  supportsAbort: boolean;
}

/**
 * Asks a model one question at a time. It may be an instance of any class; `generate` is read at each
 * call.
 *
 * @example
 * ```ts
 * const executor: ModelExecutor = {
 *   id: 'my-model',
 *   async generate({ instructions, payload, outputSchema, signal }) {
 *     return { outcome: 'complete', text: await ask(instructions, payload, outputSchema, signal) };
 *   },
 * };
 * ```
 */
export interface ModelExecutor {
  /** The name of the executor, for logs. */
  readonly id: string;
  /** @defaultValue none */
  readonly capabilities?: ExecutorCapabilities | undefined;
  /**
   * Asks the model once and resolves to its answer. An {@link IntentError} that it throws reaches the
   * caller of `parse`; any other error becomes the `cause` of a `MODEL_REQUEST_FAILED`.
   */
  generate(request: ModelRequest): Promise<ModelReply>;
}

// -----------------------------------------------------------------------------------------------
// Configuration

/** The limits of an instance. Exceeding one is `LIMIT_EXCEEDED`, and `error.limit` names it. */
export interface IntentLimits {
  /**
   * UTF-8 bytes of the input.
   * @defaultValue 65536
   */
  maxInputBytes: number;
  /**
   * UTF-8 bytes of the normalised context array as JSON; 0 without a context.
   * @defaultValue 131072
   */
  maxContextBytes: number;
  /**
   * Number of context messages.
   * @defaultValue 100
   */
  maxContextMessages: number;
  /**
   * UTF-8 bytes of the schema snapshot as JSON.
   * @defaultValue 131072
   */
  maxSchemaBytes: number;
  /**
   * Nesting depth of schema nodes; the root is 0. Beyond 128 a schema is refused under any limit.
   * @defaultValue 8
   */
  maxSchemaDepth: number;
  /**
   * Number of entries in all `properties` together.
   * @defaultValue 256
   */
  maxSchemaProperties: number;
  /**
   * UTF-8 bytes of instructions, payload and the format's schema.
   * @defaultValue 524288
   */
  maxRequestBytes: number;
  /**
   * UTF-8 bytes of one candidate.
   * @defaultValue 262144
   */
  maxOutputBytes: number;
  /**
   * Nesting depth of objects and arrays in a candidate.
   * @defaultValue 32
   */
  maxCandidateDepth: number;
  /**
   * Number of values in a candidate.
   * @defaultValue 20000
   */
  maxCandidateNodes: number;
  /**
   * Number of intents in a core candidate.
   * @defaultValue 100
   */
  maxIntentCount: number;
  /**
   * Number of evidence entries, and number of description checks, each.
   * @defaultValue 4096
   */
  maxEvidenceEntries: number;
  /**
   * Number of issues, including those that description checks produce.
   * @defaultValue 256
   */
  maxIssueCount: number;
  /**
   * Number of parses that run at the same time on the instance.
   * @defaultValue 4
   */
  maxConcurrentParses: number;
  /**
   * Number of parses that may wait for a slot, in the order of their calls. `timeoutMs` and `signal` apply
   * while a parse waits. With 0, a parse that finds no free slot is refused at once.
   * @defaultValue 0
   */
  maxQueuedParses: number;
  /**
   * Number of compiled field selections that are kept; the least recently used is dropped.
   * @defaultValue 128
   */
  maxSchemaCacheEntries: number;
  /**
   * Milliseconds for one schema validation, including waiting; at most 2147483647.
   * @defaultValue 1000
   */
  maxValidationMs: number;
  /**
   * Number of validations that wait or run on the instance.
   * @defaultValue 32
   */
  maxValidationQueueEntries: number;
}

/**
 * The configuration of an {@link Intent}: a plain object that is read once. Later changes to it have no
 * effect.
 *
 * @typeParam TSchema - The type of `schema`, for inference.
 */
export interface IntentConfig<TSchema = JSONSchema | StandardJSONSchemaV1> {
  /**
   * BCP 47 tag of the language in which results are written, or `'auto'` for the language of each
   * input.
   * @defaultValue 'en'
   */
  language?: string | undefined;
  /**
   * The fields to extract: an object schema as JSON Schema (Draft-7 or 2020-12), or a Standard
   * JSON Schema such as a Zod 4 or ArkType type.
   * @defaultValue none
   */
  schema?: TSchema | undefined;
  /**
   * The executor that asks the model. {@link Intent.parse} needs one; a bridge does not.
   * @defaultValue none
   */
  executor?: ModelExecutor | undefined;
  /**
   * Timeout of one parse in milliseconds, an integer up to 2147483647; 0 means no timeout.
   * @defaultValue 0
   */
  timeoutMs?: number | undefined;
  /**
   * The treatment of keywords and formats that no dialect defines. `refuse` finds typos; `annotate`
   * keeps them as annotations, which check nothing, as the standard says.
   * @defaultValue 'refuse'
   */
  unknownKeywords?: 'refuse' | 'annotate' | undefined;
  /**
   * The number of times that each stage sends a rejected candidate back to the model, with a diagnostic.
   * @defaultValue 1
   */
  repairAttempts?: 0 | 1 | undefined;
  /**
   * Limits of this instance: positive safe integers. A limit that is omitted has its default.
   * @defaultValue DEFAULT_LIMITS
   */
  limits?: { readonly [TName in keyof IntentLimits]?: number | undefined } | undefined;
  /**
   * The level that binds values to their quotes. A pointer that no property can match is
   * `CONFIG_INVALID`, and so is `exact` for a value that can be neither a string nor a number.
   * @defaultValue 'bound'
   */
  evidence?: EvidencePolicy | undefined;
  /**
   * The sources that may give values. A value that only another source contains is refused.
   * @defaultValue all
   */
  evidenceFrom?: readonly EvidenceSource[] | undefined;
  /**
   * `skip` omits the data question if the input contains no intent, for example a greeting. `data` is
   * then `{}`, even if the schema has required fields.
   * @defaultValue 'ask'
   */
  dataWithoutIntent?: 'ask' | 'skip' | undefined;
  /**
   * The amount of proof that the model writes. `full`: every key of the documented candidate.
   * `brief`: only the parts that the package cannot find by itself, in about a tenth of the words. The
   * rules and the results are the same.
   * @defaultValue 'full'
   */
  proof?: 'full' | 'brief' | undefined;
}

// -----------------------------------------------------------------------------------------------
// Intent

type FieldName<TData> = Extract<keyof TData, string>;

/** The type of `fields`; `undefined` if it is omitted. */
type Fields = readonly string[] | undefined;

/** Literal names must be fields of the data; a plain `string[]` is checked at run time. */
type CheckedFields<TData, TFields extends Fields> = string extends NonNullable<TFields>[number]
  ? unknown
  : { fields?: readonly FieldName<TData>[] | undefined };

/** All data without `fields`, a `Pick` for a tuple of names, and a `Partial` for other arrays. */
type SelectedData<TData, TFields extends Fields> = [TFields] extends [undefined]
  ? TData
  : number extends NonNullable<TFields>['length']
    ? Flat<Partial<TData>>
    : Flat<Pick<TData, Extract<NonNullable<TFields>[number], keyof TData>>>;

/** A request with `evidence: true` gives a result with evidence. */
type WithEvidence<TResult, TEvidence> = [TEvidence] extends [false | undefined]
  ? TResult
  : [TEvidence] extends [true]
    ? TResult & { evidence: EvidenceEntry[] }
    : TResult;

/**
 * Recognises what a user asks for. It asks a model one or two bounded questions and checks every
 * answer locally.
 *
 * @typeParam TData - The type of `result.data`, inferred from the schema or given by you.
 */
export interface Intent<TData = Record<string, JsonValue>> {
  /**
   * Cannot be called. With a second signature, TypeScript compares only the result of a mock, so
   * that `{ parse: async () => result }` is a `Pick<Intent<Order>, 'parse'>` without a cast.
   */
  parse(request: IntentParseRequest, never: never): Promise<IntentResult<TData>>;
  /**
   * Recognises one input. Never throws synchronously.
   * With literal `fields` the type of `data` is narrowed to these.
   *
   * @throws {@link IntentError} (as a rejection). Before any model call:
   * `INSTANCE_DISPOSED`, `INPUT_INVALID`, `UNKNOWN_FIELD`, `EXECUTOR_NOT_CONFIGURED`,
   * `LIMIT_EXCEEDED`. From the model: `MODEL_AUTH_FAILED`, `MODEL_RATE_LIMITED`,
   * `MODEL_REQUEST_FAILED`, `RESOURCE_LIMIT`, `MODEL_REFUSED`, `MODEL_OUTPUT_INCOMPLETE`,
   * `MODEL_OUTPUT_INVALID`. At any time: `MODEL_TIMEOUT`, `MODEL_ABORTED`.
   * @throws {@link IntentDataError} `DATA_EXTRACTION_FAILED`, with the issues.
   *
   * After the core stage has succeeded, every error has `partialResult`.
   *
   * @example
   * ```ts
   * const { data, intents } = await intent.parse({ input: 'Query order 000123.' });
   * ```
   */
  parse<
    const TFields extends Fields = undefined,
    const TEvidence extends boolean | undefined = false,
  >(
    request: Omit<IntentParseRequest, 'fields' | 'evidence'> & {
      fields?: TFields;
      evidence?: TEvidence;
    } & CheckedFields<TData, TFields>,
  ): Promise<WithEvidence<IntentResult<SelectedData<TData, TFields>>, TEvidence>>;

  /**
   * Like {@link Intent.parse}, but also returns a report: each call to the model with its outcome,
   * time and tokens. An error has its report as {@link IntentError.report}.
   *
   * @throws {@link IntentError} (as a rejection), as {@link Intent.parse}.
   *
   * @example
   * ```ts
   * const { result, report } = await intent.parseWithReport({ input });
   * console.log(report.durationMs, report.usage?.outputTokens, result.intents);
   * ```
   */
  parseWithReport<
    const TFields extends readonly string[] = readonly string[],
    const TEvidence extends boolean | undefined = false,
  >(
    request: Omit<IntentParseRequest, 'fields' | 'evidence'> & {
      fields?: TFields | undefined;
      evidence?: TEvidence;
    } & CheckedFields<TData, TFields>,
  ): Promise<{
    result: WithEvidence<IntentResult<SelectedData<TData, TFields>>, TEvidence>;
    report: ParseReport;
  }>;

  /**
   * Ends running and later parses at once, with `INSTANCE_DISPOSED`. The promise settles when
   * nothing of the instance is running any more. You may call it more than once.
   */
  dispose(): Promise<void>;

  /** {@link Intent.dispose}, where the runtime has the symbol. */
  [Symbol.dispose](): void;
  /** {@link Intent.dispose}, where the runtime has the symbol. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** The default of `TData`: the caller does not give a type of the data. */
interface NotGiven {
  readonly [notGiven]: never;
}
declare const notGiven: unique symbol;

type DataOf<TData, TSchema, TWithout> = [TData] extends [NotGiven]
  ? [NotGiven] extends [TData]
    ? [TWithout] extends ['skip']
      ? Flat<Partial<InferData<TSchema>>>
      : InferData<TSchema>
    : TData
  : TData;

/** The constructor of {@link Intent}. */
export interface IntentConstructor {
  /**
   * Creates an instance. The type of `data` is inferred from the schema, or you give it:
   * `new Intent<Order>(...)`. With `dataWithoutIntent: 'skip'` every field may be absent: if you give
   * the type of the data, use `Partial` of it.
   *
   * In an inline schema the compiler checks the values of `type` and the keywords, unless you give
   * the type of the data.
   *
   * @throws {@link IntentError} `CONFIG_INVALID`, `SCHEMA_UNSUPPORTED`, `LIMIT_EXCEEDED` or
   * `HOST_CAPABILITY_UNSUPPORTED`, stage `config`, synchronously. No partly constructed instance remains.
   *
   * @example
   * ```ts
   * const intent = new Intent({ language: 'zh-CN', executor });
   * ```
   */
  new <
    TData = NotGiven,
    const TSchema extends JSONSchema | StandardJSONSchemaV1 = JSONSchema | StandardJSONSchemaV1,
    const TWithout extends 'ask' | 'skip' | undefined = 'ask' | 'skip' | undefined,
    const TUnknown extends 'refuse' | 'annotate' | undefined = 'refuse' | 'annotate' | undefined,
  >(
    config?: IntentConfig<TSchema> & {
      dataWithoutIntent?: TWithout;
      unknownKeywords?: TUnknown;
    } & CheckedConfig<TSchema, TUnknown>,
  ): Intent<DataOf<TData, TSchema, TWithout>>;
  readonly prototype: Intent<any>;
}

export declare const Intent: IntentConstructor;

/**
 * The outcome that {@link followUp} takes: a result, an error, the return value of `toJSON()` of an error, or a
 * copy of one of these that went through JSON.
 */
export type DialogueOutcome = IntentResult<any> | IntentError | SerializedIntentError;

/**
 * Returns the open questions, in the order of the answers of {@link followUp}: first the
 * clarifications of the intents, then the messages of the issues that the user can settle
 * (categories `business_information` and `definition`), each text once. The array is empty if nothing
 * is open.
 *
 * @throws {@link IntentError} `INPUT_INVALID` if the value is neither a result nor an error.
 */
export declare function openQuestions(outcome: DialogueOutcome): string[];

/** A request of `parse`, or of `prepare` with its `instance`. */
type DialogueRequest = IntentParseRequest & { instance?: string | undefined };

/**
 * Builds the next request of a dialogue from the user's answers to {@link openQuestions}.
 *
 * The input repeats the whole request with the answers below it, so that nothing that the user said is
 * lost between rounds. Positions of evidence refer to this whole text, `result.input`. The context
 * contains the questions, and with the third argument also the context that you gave before.
 *
 * @param outcome - A result, or an error with `partialResult`.
 * @param answers - The user's words: one text for all questions, or an array with one for each.
 * @param request - The request that led to the outcome. The next request keeps its `fields`, `evidence`
 * and `instance`, not its `signal` and `onCore`, and its context: messages stay in front, so that
 * `context:N` stays the same message; a text stays one text, with the questions below it.
 * @throws {@link IntentError} `INPUT_INVALID` if nothing is open, an answer is blank, the number of
 * answers differs from that of the questions, or the request is not the one that led to the outcome.
 *
 * @example
 * ```ts
 * const questions = openQuestions(error);
 * if (questions.length === 0) throw error;
 * request = followUp(error, await ask(questions.join(' ')), request);
 * ```
 */
export declare function followUp(
  outcome: DialogueOutcome,
  answers: string | readonly string[],
): { input: string; context: ContextMessage[] };
export declare function followUp<const TRequest extends DialogueRequest>(
  outcome: DialogueOutcome,
  answers: string | readonly string[],
  request: TRequest | undefined,
): Omit<TRequest, 'input' | 'context' | 'signal' | 'onCore'> & {
  input: string;
  context: IntentContext;
};

// -----------------------------------------------------------------------------------------------
// Errors

/** The code of an error. Codes are stable across releases. */
export type ErrorCode = (typeof ERROR_CODES)[number];

/** The code of a data issue. */
export type DataIssueCode = (typeof DATA_ISSUE_CODES)[number];

/** The stage in which an error occurred; `model` is the call to the model itself. */
export type ErrorStage = 'config' | 'input' | 'core' | 'data' | 'model' | 'bridge';

/** One issue of the data stage: a reason why a field has no settled value. */
export interface IntentIssue {
  /** The kind of the issue. */
  code: DataIssueCode | ErrorCode;
  /** Says who can resolve it: the user (`business_information`), the user or the schema's author (`definition`), ... */
  category: 'input' | 'config' | 'business_information' | 'definition' | 'processing';
  /** The JSON Pointer of the value, from `/data`; `null` if the issue concerns no single place. */
  path: string | null;
  /** A sentence that the model wrote, in the `language` of the instance. */
  message: string;
}

/** The return value of {@link IntentError.toJSON}. */
export interface SerializedIntentError {
  code: ErrorCode;
  stage: ErrorStage;
  message: string;
  issues: IntentIssue[];
  partialResult?: IntentResult;
  /** The settled fields; only of an {@link IntentDataError}. */
  data?: unknown;
  /** The paths of missing values; only of an {@link IntentDataError}. */
  missing?: string[];
}

/** The optional parts of an {@link IntentError}. */
export interface IntentErrorOptions {
  /** @defaultValue the stage that the code implies */
  stage?: ErrorStage | undefined;
  /** @defaultValue a sentence for the code */
  message?: string | undefined;
  /** @defaultValue none */
  issues?: readonly IntentIssue[] | undefined;
  /** The underlying error. It is not part of `toJSON()`. */
  cause?: unknown;
  /** The failure response of a service. It is not part of `toJSON()`. */
  http?: IntentHttpFailure | undefined;
  /**
   * `true` if the same call may succeed later. It is not part of `toJSON()`.
   * @defaultValue derived from code, stage and `http`
   */
  retryable?: boolean | undefined;
  /** The limit that was exceeded. It is not part of `toJSON()`. */
  limit?: IntentLimitExcess | undefined;
}

/** A service's response with a status other than success. */
export interface IntentHttpFailure {
  /** The HTTP status. */
  readonly status: number;
  /** The service's id of the request; quote it to the service's support. */
  readonly requestId?: string | undefined;
  /** The time that the service asks to wait, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  /** `error.type` of the body. */
  readonly type?: string | undefined;
  /** `error.code` of the body. */
  readonly code?: string | undefined;
  /** `error.param` of the body. */
  readonly param?: string | undefined;
}

/** The limit behind `LIMIT_EXCEEDED` or `RESOURCE_LIMIT`. */
export interface IntentLimitExcess {
  /** The name of the option: one of {@link IntentLimits}, of a Bridge or of an executor. */
  readonly name: string;
  /** The value of the limit, in its unit (bytes, milliseconds or a count). */
  readonly max: number;
  /** The actual value, if it was counted completely. */
  readonly actual?: number | undefined;
}

/**
 * The error class of this package. Branch on `code`, `stage` and `issues`; the message is for
 * people.
 *
 * An executor may throw one: its code, stage, message, issues, `http`, `retryable` and `limit` reach
 * the caller of `parse`. The constructor never throws. It replaces an invalid argument by the default
 * (for example a message that is not a string), and an unknown code by `MODEL_REQUEST_FAILED`.
 *
 * @example
 * ```ts
 * try {
 *   await intent.parse({ input });
 * } catch (error) {
 *   if (error instanceof IntentError && error.retryable) retryLater(error.http?.retryAfterMs);
 *   else throw error;
 * }
 * ```
 */
export declare class IntentError extends Error {
  constructor(code: ErrorCode, options?: IntentErrorOptions);
  /** The older signature. */
  constructor(code: ErrorCode, stage: ErrorStage, message: string, issues?: readonly IntentIssue[]);
  readonly name: 'IntentError';
  /** The kind of the error. */
  readonly code: ErrorCode;
  /** The stage in which the error occurred. */
  readonly stage: ErrorStage;
  /** The issues of the data stage; otherwise empty. Not enumerable, so that a log does not show the model's words. */
  readonly issues: IntentIssue[];
  /** The complete core result with `data: {}`, if the core stage has succeeded. Not enumerable, so that a log does not show the user's words. */
  partialResult?: IntentResult;
  /**
   * `true` if the same call may succeed later without any change: after a rate limit (except for an
   * account without credit), 408, 409, 5xx, a broken or refused connection, or a timeout while connecting.
   */
  readonly retryable: boolean;
  /** The failure response of the service, if there was one. */
  readonly http?: IntentHttpFailure;
  /**
   * The limit that was exceeded; present for every `LIMIT_EXCEEDED`, and for a `RESOURCE_LIMIT` of a response that is
   * too large. Without it, a `RESOURCE_LIMIT` means that the system has no thread for the work.
   */
  readonly limit?: IntentLimitExcess;
  /** All faults of the candidate; present for `MODEL_OUTPUT_INVALID`. Not enumerable. */
  readonly faults?: readonly string[];
  /** The report of the recognition until it failed; present for every rejection of `parse`. */
  readonly report?: ParseReport;
  /**
   * Returns `code`, `stage`, `message`, `issues` and `partialResult`, and `data` and `missing` of an
   * {@link IntentDataError}, without the other members.
   */
  toJSON(): SerializedIntentError;
}

/** A type whose properties are optional at every depth. */
export type DeepPartial<TValue> = TValue extends readonly unknown[]
  ? TValue
  : TValue extends object
    ? { [TName in keyof TValue]?: DeepPartial<TValue[TName]> }
    : TValue;

/**
 * The error of a data stage that ended with issues: `DATA_EXTRACTION_FAILED`.
 *
 * @typeParam TData - The type of the data that was asked for.
 */
export declare class IntentDataError<TData = Record<string, JsonValue>> extends IntentError {
  constructor(
    code: 'DATA_EXTRACTION_FAILED',
    options?: IntentErrorOptions & {
      data?: DeepPartial<TData> | undefined;
      missing?: readonly string[] | undefined;
    },
  );
  constructor(
    code: 'DATA_EXTRACTION_FAILED',
    stage: ErrorStage,
    message: string,
    issues?: readonly IntentIssue[],
  );
  readonly code: 'DATA_EXTRACTION_FAILED';
  /**
   * The fields that are settled although others are not: extracted, bound to their quotes, valid, and
   * without an issue or a verdict against them.
   */
  readonly data: DeepPartial<TData>;
  /** The paths of required values that were not given, such as `/data/orderId`. */
  readonly missing: string[];
  toJSON(): SerializedIntentError & { data: DeepPartial<TData>; missing: string[] };
}

/** The same class as {@link IntentError}, under its older name. */
export declare const IntentParseError: typeof IntentError;
export type IntentParseError = IntentError;

// -----------------------------------------------------------------------------------------------
// Constants, frozen

/** Every {@link IntentAction}. */
export declare const ACTIONS: readonly [
  'query',
  'analyze',
  'generate',
  'modify',
  'delete',
  'execute',
  'other',
];

/** Every {@link IntentStatus}. */
export declare const STATUSES: readonly [
  'ready',
  'needs_clarification',
  'awaiting_confirmation',
  'conditional',
];

/** The default of every limit. */
export declare const DEFAULT_LIMITS: {
  readonly maxInputBytes: 65536;
  readonly maxContextBytes: 131072;
  readonly maxContextMessages: 100;
  readonly maxSchemaBytes: 131072;
  readonly maxSchemaDepth: 8;
  readonly maxSchemaProperties: 256;
  readonly maxRequestBytes: 524288;
  readonly maxOutputBytes: 262144;
  readonly maxCandidateDepth: 32;
  readonly maxCandidateNodes: 20000;
  readonly maxIntentCount: 100;
  readonly maxEvidenceEntries: 4096;
  readonly maxIssueCount: 256;
  readonly maxConcurrentParses: 4;
  readonly maxQueuedParses: 0;
  readonly maxSchemaCacheEntries: 128;
  readonly maxValidationMs: 1000;
  readonly maxValidationQueueEntries: 32;
};

/** Every {@link ErrorCode}. */
export declare const ERROR_CODES: readonly [
  'CONFIG_INVALID',
  'SCHEMA_UNSUPPORTED',
  'INPUT_INVALID',
  'UNKNOWN_FIELD',
  'LIMIT_EXCEEDED',
  'RESOURCE_LIMIT',
  'EXECUTOR_NOT_CONFIGURED',
  'INSTANCE_DISPOSED',
  'MODEL_AUTH_FAILED',
  'MODEL_RATE_LIMITED',
  'MODEL_REQUEST_FAILED',
  'MODEL_TIMEOUT',
  'MODEL_ABORTED',
  'MODEL_REFUSED',
  'MODEL_OUTPUT_INCOMPLETE',
  'MODEL_OUTPUT_INVALID',
  'DATA_EXTRACTION_FAILED',
  'HOST_CAPABILITY_UNSUPPORTED',
  'BRIDGE_JOB_NOT_FOUND',
  'BRIDGE_JOB_EXPIRED',
  'BRIDGE_STEP_CONFLICT',
];

/** Every {@link DataIssueCode}. */
export declare const DATA_ISSUE_CODES: readonly [
  'DATA_REQUIRED_MISSING',
  'DATA_AMBIGUOUS',
  'DATA_CONFLICT',
  'DATA_DEPENDENCY_MISSING',
  'DATA_CARDINALITY_MISMATCH',
  'DATA_VALUE_UNREPRESENTABLE',
  'DATA_CONSTRAINT_VIOLATED',
  'DATA_DESCRIPTION_UNDETERMINED',
  'DATA_SOURCE_INVALID',
];

// biome-ignore lint/complexity/noUselessEmptyExport: without it TypeScript treats every declaration of this file as an export, even notGiven, which has no value.
export {};
