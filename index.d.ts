/// <reference lib="es2022.error" />
/// <reference lib="esnext.disposable" />

// The public types of `@devcodex/intent-runtime`, written by hand. They need TypeScript 5.2 or
// later and nothing else: no DOM, no @types/node.

import type { CheckedConfig, IsUnion } from './js/literal-schema';

/** A value that JSON can carry. */
export type JsonValue =
  | null
  | string
  | number
  | boolean
  | JsonValue[]
  | { [key: string]: JsonValue };

/** What the user asks to be done. */
export type IntentAction =
  | 'query'
  | 'analyze'
  | 'generate'
  | 'modify'
  | 'delete'
  | 'execute'
  | 'other';

/** Whether an intent can be acted upon, and if not, what stands in its way. */
export type IntentStatus =
  | 'ready'
  | 'needs_clarification'
  | 'awaiting_confirmation'
  | 'conditional';

/** A question to the user, with answers to choose from (possibly none). */
export interface Clarification {
  question: string;
  options: string[];
}

/** What every intent has, whatever its status. */
export interface IntentItemBase {
  /** `i1`, `i2`, ... in the order in which the user asked. */
  id: string;
  /** What the action is applied to. */
  target: string | null;
  /** Requirements of this intent alone. */
  requirements: string[];
}

/**
 * One thing that the user asks for. The union narrows on `status`.
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
 * What was recognised.
 *
 * @typeParam TData - The type of `data`, the fields that the schema defines.
 */
export interface IntentResult<TData = Record<string, JsonValue>> {
  /** The input, exactly as it was given. */
  input: string;
  /** The current effective request in plain words. */
  normalizedInput: string;
  /** The main request; `null` where the input asks for nothing. */
  primaryIntent: string | null;
  /** Requirements of the request as a whole. */
  requirements: string[];
  /** The intents, in order. */
  intents: IntentItem[];
  /** What must not be done. */
  prohibitions: string[];
  /** The selected fields; `{}` where none are selected. */
  data: TData;
  /**
   * What each value of `data` was taken from, in the order of the data; only where the request
   * asked for it. The last key.
   */
  evidence?: EvidenceEntry[];
}

/** What one value was taken from. */
export interface EvidenceEntry {
  /** The value, by JSON Pointer: `/data/orderId`. */
  path: string;
  /** `exact`: it is what a quote says, to the letter. `semantic`: it is put in other words. */
  mode: 'exact' | 'semantic';
  /** The quotes and where they stand; at least one. */
  spans: EvidenceSpan[];
}

/**
 * A quote and where it stands: `source.slice(start, end) === quote`. The source `input` is
 * `result.input` (after {@link followUp} the whole text, not the last answer alone); `context:N` is
 * message N of the request's context, or the text that is its whole context (N is 0).
 */
export interface EvidenceSpan {
  source: 'input' | `context:${number}`;
  /** Where its first place as whole words begins, in UTF-16 code units. */
  start: number;
  /** Where that ends. */
  end: number;
  quote: string;
  /** How often the quote stands in the source as whole words, overlapping places too. */
  occurrences: number;
}

/**
 * How strictly a value is bound to its quotes.
 *
 * - `exact`: a string equals a quote; a number is what a numeral in a quote says.
 * - `bound`: a number has a numeral or number word in a quote; a run of four or more digits in a
 *   string stands in a quote.
 * - `any`: the quotes are real; what they say of the value is the model's claim.
 */
export type EvidenceLevel = 'exact' | 'bound' | 'any';

/**
 * One level for every value, or levels by JSON Pointer from the root of the data (`/orderId`),
 * each for the value and all below it. A `*` stands for any array index. The longest that matches
 * wins, and elsewhere `bound` holds. `x-evidence` beside a property in the schema says the same.
 */
export type EvidencePolicy = EvidenceLevel | { readonly [pointer: string]: EvidenceLevel };

/** Who said what may be quoted for a value; `background` is a context that is one text. */
export type EvidenceSource = 'input' | 'user' | 'assistant' | 'tool' | 'background';

/** An earlier message of the conversation. */
export interface ContextMessage {
  role: 'user' | 'assistant' | 'tool';
  /** May be empty. */
  content: string;
}

/** What the caller adds to the input: one background text, or messages in order. */
export type IntentContext = string | readonly ContextMessage[];

/** The `AbortSignal` of the platform's types where there is one (DOM, Node.js), else its shape. */
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

/** What {@link Intent.parse} takes. */
export interface IntentParseRequest {
  /** The user's text. Not blank; at most `limits.maxInputBytes`. */
  input: string;
  /**
   * Names of top-level properties of the schema. Duplicates collapse; `[]` skips the data stage.
   *
   * @defaultValue every property, in the order of the schema
   */
  fields?: readonly string[] | undefined;
  /** @defaultValue none */
  context?: IntentContext | undefined;
  /**
   * Whether the result says where in the texts each value was found.
   *
   * @defaultValue false
   */
  evidence?: boolean | undefined;
  /** Ends this one parse with `MODEL_ABORTED`. */
  signal?: PlatformAbortSignal | undefined;
  /**
   * Called once with the core result as soon as it stands, while the data question runs. The result
   * is a copy of its own. What the function throws, or a promise of it rejects with, changes nothing.
   *
   * @defaultValue none
   */
  onCore?: ((result: IntentResult<{}>) => unknown) | undefined;
}

// -----------------------------------------------------------------------------------------------
// Schemas

/**
 * A JSON Schema of Draft-7 or 2020-12, as an object.
 *
 * The type is open on purpose, so that schemas from files, TypeBox and other builders fit; the
 * constructor of {@link Intent} checks every keyword.
 */
export interface JSONSchema {
  readonly $schema?: string | undefined;
  readonly type?: JSONSchemaTypeName | (string & {}) | readonly string[] | undefined;
  readonly description?: string | undefined;
  readonly properties?: { readonly [name: string]: JSONSchema | boolean } | undefined;
  readonly required?: readonly string[] | undefined;
  /** A schema library's object is no JSON Schema; see {@link StandardJSONSchemaV1}. */
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
 * The published Standard JSON Schema interface, which Zod 4, ArkType and others implement. It is
 * asked for `input` with target `draft-07`.
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

/** What a Standard JSON Schema is asked for. */
export interface StandardJSONSchemaOptions {
  readonly target: 'draft-07' | 'draft-2020-12' | 'openapi-3.0' | (string & {});
  readonly libraryOptions?: Record<string, unknown> | undefined;
}

/**
 * The type of `data` that a schema describes: the input type of a Standard JSON Schema with what
 * JSON cannot carry as it arrives (a `Date` is a `string`), the static type of a TypeBox schema, what a literal JSON Schema says, else
 * `Record<string, JsonValue>`.
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

/** A type as JSON carries it: an instance of a class arrives as the text or value written for it. */
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

/** What no JSON value is, whatever its properties. */
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

/** What a literal JSON Schema says of a value; `JsonValue` where it says more than types can. */
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

/** Branches count where they are spelled out one by one. */
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

/** The names that `required` spells out; none where it is not a literal. */
type RequiredNames<TSchema> = TSchema extends { readonly required: readonly (infer TName)[] }
  ? string extends TName
    ? never
    : TName
  : never;

type Mutable<TValue> = TValue extends object
  ? { -readonly [TName in keyof TValue]: Mutable<TValue[TName]> }
  : TValue;

type Flat<TObject> = { [TName in keyof TObject]: TObject[TName] } & {};

/** One thing about one place of a schema. */
export interface SchemaFinding {
  /** A JSON Pointer into the schema, `''` for its root. */
  path: string;
  /** What, and how to mend it. */
  message: string;
}

/** What {@link checkSchema} says. */
export interface SchemaReport {
  /** Whether `new Intent` takes it. */
  supported: boolean;
  /** Everything that it is refused for. */
  refused: SchemaFinding[];
  /** What is accepted and lets more pass than it may seem to. */
  loose: SchemaFinding[];
  /** The dialect that it is read as; `null` where it is refused or empty. */
  dialect: 'Draft-7' | '2020-12' | null;
  /** Whether the schema of the data answer is sent with `strict: true`. */
  strict: boolean;
  /** About how many tokens it costs, each time a question holds it. */
  tokens: number;
}

/**
 * Says of a schema what `new Intent` would, all of it at once and without an instance.
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

/** One question to the model, complete in itself. Every request has its own copies. */
export interface ModelRequest {
  /** `core` recognises the intents, `data` the fields of the schema. */
  readonly stage: 'core' | 'data';
  /** The system text of this stage. */
  readonly instructions: string;
  /** The materials as JSON text. */
  readonly payload: string;
  /** The same materials as an object. */
  readonly input: { [key: string]: JsonValue };
  /** What the stage asks for. */
  readonly format:
    | { kind: 'json_schema'; name: string; schema: JSONSchema }
    | { kind: 'json_object' };
  /** JSON Schema of the candidate, in both stages. */
  readonly outputSchema: JSONSchema;
  /** Aborted when the parse ends for any reason; its reason is then an {@link IntentError}. */
  readonly signal: PlatformAbortSignal;
}

/** What the model answered. */
export type ModelReply =
  | {
      outcome: 'complete';
      /** The candidate: JSON text, checked locally. */
      text: string;
      usage?: ModelUsage | undefined;
      model?: string | undefined;
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

/** Tokens of one call. What a service does not tell is absent, never 0. */
export interface ModelUsage {
  /** Read by the model, cached ones included. */
  inputTokens?: number | undefined;
  /** Written by the model, reasoning included. */
  outputTokens?: number | undefined;
  /** Of the input tokens, those that the service had in its cache. */
  cachedInputTokens?: number | undefined;
  /** Of the output tokens, those that the model only thought with. */
  reasoningTokens?: number | undefined;
}

/** What one recognition did. */
export interface ParseReport {
  /** Milliseconds from the call of `parse` to its end. */
  durationMs: number;
  /** Every question that was put to the executor, in order. */
  calls: ModelCall[];
  /** The sum of all calls. A number that one call did not tell is absent, never 0. */
  usage?: ModelUsage;
}

/** One question to the executor. */
export interface ModelCall {
  stage: 'core' | 'data';
  /** Whether it asked for a rejected candidate again. */
  repair: boolean;
  /**
   * `accepted`: the candidate meets every rule (that of the data stage may still report issues);
   * `rejected`: it breaks one; the model's `refusal` or `incomplete` answer; else the error's code.
   */
  outcome: 'accepted' | 'rejected' | 'refusal' | 'incomplete' | ErrorCode;
  /** What was wrong with a rejected candidate. */
  faults?: string[];
  /** Milliseconds from asking to the answer; the check of the candidate is not part of it. */
  durationMs: number;
  /** Tokens, where the executor told. */
  usage?: ModelUsage;
  /** The model that answered, where the executor told. */
  model?: string;
  /** The service's name for the request, where the executor told. */
  requestId?: string;
}

/** What an executor says of itself; all four or none. */
export interface ExecutorCapabilities {
  nativeJsonSchema: boolean;
  nativeJsonObject: boolean;
  isolatedTurn: boolean;
  /** `false` is refused with `HOST_CAPABILITY_UNSUPPORTED`. */
  supportsAbort: boolean;
}

/**
 * Puts one question to a model. May be an instance of any class; `generate` is looked up at each
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
  readonly id: string;
  readonly capabilities?: ExecutorCapabilities | undefined;
  generate(request: ModelRequest): Promise<ModelReply>;
}

// -----------------------------------------------------------------------------------------------
// Configuration

/** What an instance accepts at most. Every excess is `LIMIT_EXCEEDED`. */
export interface IntentLimits {
  /**
   * UTF-8 bytes of the input.
   * @defaultValue 65536
   */
  maxInputBytes: number;
  /**
   * UTF-8 bytes of the normalised context array as JSON; no context counts 0.
   * @defaultValue 131072
   */
  maxContextBytes: number;
  /**
   * Context messages.
   * @defaultValue 100
   */
  maxContextMessages: number;
  /**
   * UTF-8 bytes of the schema snapshot as JSON.
   * @defaultValue 131072
   */
  maxSchemaBytes: number;
  /**
   * Nesting of schema nodes; the root is 0. Past 128 a schema is refused whatever the limit.
   * @defaultValue 8
   */
  maxSchemaDepth: number;
  /**
   * Entries of every `properties` together.
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
   * Nesting of objects and arrays in a candidate.
   * @defaultValue 32
   */
  maxCandidateDepth: number;
  /**
   * Values in a candidate.
   * @defaultValue 20000
   */
  maxCandidateNodes: number;
  /**
   * Intents of a core candidate.
   * @defaultValue 100
   */
  maxIntentCount: number;
  /**
   * Evidence entries, and description checks, each.
   * @defaultValue 4096
   */
  maxEvidenceEntries: number;
  /**
   * Issues, with those that description checks produce.
   * @defaultValue 256
   */
  maxIssueCount: number;
  /**
   * Parses running on the instance.
   * @defaultValue 4
   */
  maxConcurrentParses: number;
  /**
   * Parses that wait for one of those to end, in the order of their calls, each within its `timeoutMs`
   * and its `signal`. With 0, the next one is refused at once.
   * @defaultValue 0
   */
  maxQueuedParses: number;
  /**
   * Compiled field selections kept; the least recently used goes.
   * @defaultValue 128
   */
  maxSchemaCacheEntries: number;
  /**
   * Milliseconds for one schema validation, waiting included; at most 2147483647.
   * @defaultValue 1000
   */
  maxValidationMs: number;
  /**
   * Validations waiting or running on the instance.
   * @defaultValue 32
   */
  maxValidationQueueEntries: number;
}

/**
 * How an {@link Intent} recognises. A plain object, read once: later changes change nothing.
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
  /** The model. Only {@link Intent.parse} needs one; a bridge does not. */
  executor?: ModelExecutor | undefined;
  /**
   * Deadline of one parse in milliseconds, an integer up to 2147483647; 0 sets none.
   * @defaultValue 0
   */
  timeoutMs?: number | undefined;
  /**
   * What becomes of keywords and formats of the schema that no dialect has: `refuse` finds typos,
   * `annotate` keeps them and checks nothing by them, as the standard has it.
   * @defaultValue 'refuse'
   */
  unknownKeywords?: 'refuse' | 'annotate' | undefined;
  /**
   * How often, in each stage, a rejected candidate is sent back to the model with a diagnostic.
   * @defaultValue 1
   */
  repairAttempts?: 0 | 1 | undefined;
  /** Positive safe integers; what is left out has its default. */
  limits?: { readonly [TName in keyof IntentLimits]?: number | undefined } | undefined;
  /**
   * How strictly values are bound to their quotes. A pointer that no property can match, or
   * `exact` where neither string nor number can stand, is `CONFIG_INVALID`.
   * @defaultValue 'bound'
   */
  evidence?: EvidencePolicy | undefined;
  /**
   * The sources that may give values: what only another one holds is refused.
   * @defaultValue all
   */
  evidenceFrom?: readonly EvidenceSource[] | undefined;
  /**
   * `skip` asks for no fields where the input holds no intent, as a greeting does: `data` is then
   * `{}`, whatever the schema requires.
   * @defaultValue 'ask'
   */
  dataWithoutIntent?: 'ask' | 'skip' | undefined;
  /**
   * How much the model writes to prove a value. `full`: every key of the documented candidate.
   * `brief`: only what the package cannot find by itself, in about a tenth of the words; the rules
   * and the results are the same.
   * @defaultValue 'full'
   */
  proof?: 'full' | 'brief' | undefined;
}

// -----------------------------------------------------------------------------------------------
// Intent

type FieldName<TData> = Extract<keyof TData, string>;

/** What `fields` may be; without it, `undefined`. */
type Fields = readonly string[] | undefined;

/** Spelled-out names must be fields of the data; a plain `string[]` is checked at run time. */
type CheckedFields<TData, TFields extends Fields> = string extends NonNullable<TFields>[number]
  ? unknown
  : { fields?: readonly FieldName<TData>[] | undefined };

/** All of the data without `fields`, `Pick` for a tuple of names; of other names any may be absent. */
type SelectedData<TData, TFields extends Fields> = [TFields] extends [undefined]
  ? TData
  : number extends NonNullable<TFields>['length']
    ? Flat<Partial<TData>>
    : Flat<Pick<TData, Extract<NonNullable<TFields>[number], keyof TData>>>;

/** A result that was asked for with `evidence: true` has evidence. */
type WithEvidence<TResult, TEvidence> = [TEvidence] extends [false | undefined]
  ? TResult
  : [TEvidence] extends [true]
    ? TResult & { evidence: EvidenceEntry[] }
    : TResult;

/**
 * Recognises what a user asks for: two bounded questions to a model, every answer checked
 * locally.
 *
 * @typeParam TData - The type of `result.data`; inferred from the schema, or given.
 */
export interface Intent<TData = Record<string, JsonValue>> {
  /**
   * Cannot be called. With a second signature TypeScript compares a mock by its result alone, so
   * that `{ parse: async () => result }` is a `Pick<Intent<Order>, 'parse'>` without a cast.
   */
  parse(request: IntentParseRequest, never: never): Promise<IntentResult<TData>>;
  /**
   * Recognises one input. Never throws synchronously.
   *
   * With literal `fields` the type of `data` is narrowed to these.
   *
   * @throws {@link IntentError} (as a rejection), before any model call:
   * `INSTANCE_DISPOSED`, `INPUT_INVALID`, `UNKNOWN_FIELD`, `EXECUTOR_NOT_CONFIGURED`,
   * `LIMIT_EXCEEDED`; of the model: `MODEL_AUTH_FAILED`, `MODEL_RATE_LIMITED`,
   * `MODEL_REQUEST_FAILED`, `RESOURCE_LIMIT`, `MODEL_REFUSED`, `MODEL_OUTPUT_INCOMPLETE`,
   * `MODEL_OUTPUT_INVALID`; and at any time `MODEL_TIMEOUT`, `MODEL_ABORTED`.
   * @throws {@link IntentDataError} `DATA_EXTRACTION_FAILED`, with the issues.
   *
   * Once the core stage has succeeded, every error carries `partialResult`.
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
   * {@link Intent.parse}, with what the recognition did: each call to the model with its outcome,
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
   * Ends running and later parses with `INSTANCE_DISPOSED`, at once. The promise settles once
   * nothing of the instance is running. May be called more than once.
   */
  dispose(): Promise<void>;

  /** {@link Intent.dispose}, where the runtime has the symbol. */
  [Symbol.dispose](): void;
  /** {@link Intent.dispose}, where the runtime has the symbol. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Stands for a type of the data that the caller does not give. */
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
   * Infers the type of `data` from the schema, or takes it as it is given: `new Intent<Order>(...)`.
   * With `dataWithoutIntent: 'skip'` no field is sure to be there. (Where the type of the data is
   * given, give `Partial` of it.)
   *
   * In a schema that is written in place the compiler checks the names of `type` and the keywords,
   * unless the type of the data is given.
   *
   * @throws {@link IntentError} `CONFIG_INVALID`, `SCHEMA_UNSUPPORTED`, `LIMIT_EXCEEDED` or
   * `HOST_CAPABILITY_UNSUPPORTED`, stage `config`, synchronously; nothing is half-constructed.
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
 * What {@link followUp} takes: a result; an error; what the error's `toJSON()` returned; or a copy of
 * one of these that went through JSON.
 */
export type DialogueOutcome = IntentResult<any> | IntentError | SerializedIntentError;

/**
 * The questions that are open, in the order of {@link followUp}'s answers: first the clarifications
 * of the intents, then the messages of the issues that the user can settle (categories
 * `business_information` and `definition`), each text once. Empty where nothing is open.
 *
 * @throws {@link IntentError} `INPUT_INVALID` where the value is no outcome.
 */
export declare function openQuestions(outcome: DialogueOutcome): string[];

/** A request of `parse`, or of `prepare` with its `instance`. */
type DialogueRequest = IntentParseRequest & { instance?: string | undefined };

/**
 * The next request of a dialogue, from the user's answers to {@link openQuestions}.
 *
 * The input repeats the whole request with the answers below it, so that what the user said is kept
 * from round to round; positions of evidence are those of `result.input`, the whole text. The
 * context says what was asked. The third argument keeps the context that you gave.
 *
 * @param outcome - A result, or an error with `partialResult`.
 * @param answers - The user's words: one text for all, or an array with one for each question.
 * @param request - The request that led to the outcome. Its context stays: messages come before
 * those of the dialogue, so that `context:N` stays the same message; a text stays one text, with the
 * questions below it. `fields`, `evidence` and `instance` are taken over; `signal` and `onCore` are not.
 * Without it the context consists of the dialogue alone.
 * @throws {@link IntentError} `INPUT_INVALID` where nothing is open, an answer is blank, the number of
 * answers is wrong, or the request is not the one that led to the outcome.
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

/** What went wrong, stable across releases. */
export type ErrorCode = (typeof ERROR_CODES)[number];

/** What a data issue is about. */
export type DataIssueCode = (typeof DATA_ISSUE_CODES)[number];

/** Where it went wrong. */
export type ErrorStage = 'config' | 'input' | 'core' | 'data' | 'model' | 'bridge';

/** One problem of the data stage. */
export interface IntentIssue {
  code: DataIssueCode | ErrorCode;
  /** Who can mend it: the user (`business_information`), the schema's author (`definition`), ... */
  category: 'input' | 'config' | 'business_information' | 'definition' | 'processing';
  /** JSON Pointer from `/data`; `null` where it concerns no single place. */
  path: string | null;
  /** The model's own words. */
  message: string;
}

/** An {@link IntentError} as data. */
export interface SerializedIntentError {
  code: ErrorCode;
  stage: ErrorStage;
  message: string;
  issues: IntentIssue[];
  partialResult?: IntentResult;
}

/** The optional parts of an {@link IntentError}. */
export interface IntentErrorOptions {
  /** @defaultValue the stage that the code implies */
  stage?: ErrorStage | undefined;
  /** @defaultValue a sentence for the code */
  message?: string | undefined;
  /** @defaultValue none */
  issues?: readonly IntentIssue[] | undefined;
  /** Not part of `toJSON()`. */
  cause?: unknown;
  /** The answer of a service that was no success. Not part of `toJSON()`. */
  http?: IntentHttpFailure | undefined;
  /**
   * Whether the same call may succeed later. Not part of `toJSON()`.
   * @defaultValue what code, stage and `http` tell
   */
  retryable?: boolean | undefined;
  /** The limit that was passed. Not part of `toJSON()`. */
  limit?: IntentLimitExcess | undefined;
}

/** The answer of a service that was no success. */
export interface IntentHttpFailure {
  /** The HTTP status. */
  readonly status: number;
  /** The service's name for the request, for its support. */
  readonly requestId?: string | undefined;
  /** How long the service asks to wait, in milliseconds. */
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
  /** Its value. */
  readonly max: number;
  /** What was counted, where the counting went on to the end. */
  readonly actual?: number | undefined;
}

/**
 * The one error of this package. Branch on `code`, `stage` and `issues`; the message is for
 * people.
 *
 * An executor may throw its own: code, stage, message, issues, `http`, `retryable` and `limit` pass
 * through to the caller of `parse`. The constructor itself never throws: what a value of no use gives (an unknown code, a
 * message that is no string) is replaced, an unknown code by `MODEL_REQUEST_FAILED`.
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
  /** The older call. */
  constructor(code: ErrorCode, stage: ErrorStage, message: string, issues?: readonly IntentIssue[]);
  readonly name: 'IntentError';
  readonly code: ErrorCode;
  readonly stage: ErrorStage;
  /** Of the data stage; else empty. */
  readonly issues: IntentIssue[];
  /** The complete default result with `data: {}`, once the core stage has succeeded. */
  partialResult?: IntentResult;
  /**
   * Whether the same call may succeed later without any change: a rate limit (not an account
   * without credit), 408, 409, 5xx, a broken or refused connection, no connection in time.
   */
  readonly retryable: boolean;
  /** The answer of the service, where it answered with a failure. */
  readonly http?: IntentHttpFailure;
  /** The limit that was passed: of every `LIMIT_EXCEEDED` and `RESOURCE_LIMIT`. */
  readonly limit?: IntentLimitExcess;
  /** Everything that is wrong with the candidate: of `MODEL_OUTPUT_INVALID`. */
  readonly faults?: readonly string[];
  /** What the recognition did until it failed: of every rejection of `parse`. */
  readonly report?: ParseReport;
  /** `code`, `stage`, `message`, `issues` and `partialResult`, nothing else. */
  toJSON(): SerializedIntentError;
}

/** All of a type, at any depth, or less. */
export type DeepPartial<TValue> = TValue extends readonly unknown[]
  ? TValue
  : TValue extends object
    ? { [TName in keyof TValue]?: DeepPartial<TValue[TName]> }
    : TValue;

/**
 * The data stage ended with issues: `DATA_EXTRACTION_FAILED`.
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
   * The fields that are settled though others are not: extracted, bound to their quotes, of no
   * issue and no verdict against them, and valid.
   */
  readonly data: DeepPartial<TData>;
  /** The paths of what was required and not given, such as `/data/orderId`. */
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

// biome-ignore lint/complexity/noUselessEmptyExport: without it TypeScript takes every declaration of this file for an export, notGiven too, which no value stands behind.
export {};
