// The public types of `@devcodex/intent-runtime/testing`. docs/testing.md tells how to use it.

import type {
  DataIssueCode,
  EvidencePolicy,
  EvidenceSource,
  IntentAction,
  IntentConfig,
  IntentContext,
  ModelExecutor,
  ModelReply,
  ModelRequest,
} from '../index.js';

/** One intent of a core candidate. What is left out is empty. */
export interface CoreCandidateIntent {
  /** @defaultValue null, which needs a clarification */
  action?: IntentAction | null;
  /** @defaultValue null */
  target?: string | null;
  /** @defaultValue [] */
  requirements?: readonly string[];
  /** Why the user must be asked. @defaultValue the first question, where there is one */
  clarification?: string;
  /** What the user is asked; a string is a question without options. */
  questions?: readonly (string | { question: string; options?: readonly string[] })[];
  /** Why the user must confirm: the status is `awaiting_confirmation`. */
  confirmation?: string;
  /** What it depends on: the status is `conditional`. */
  condition?: string;
}

export interface CoreCandidateOptions {
  /** @defaultValue [] */
  intents?: readonly CoreCandidateIntent[];
  /** Of the whole request. @defaultValue [] */
  requirements?: readonly string[];
  /** @defaultValue [] */
  prohibitions?: readonly string[];
  /** @defaultValue action and target of the first intent */
  primaryIntent?: string | null;
  /** @defaultValue the input, else the primary intent */
  normalizedInput?: string;
  /** The text that the candidate is about. */
  input?: string;
  /** The instance's `proof`. @defaultValue 'full' */
  proof?: 'full' | 'brief';
}

/**
 * The text of a core candidate, accepted by the runtime.
 *
 * @throws {IntentError} `MODEL_OUTPUT_INVALID` with all `faults` for what the runtime would refuse,
 * `CONFIG_INVALID` for an unknown key.
 */
export declare function coreCandidate(candidate?: CoreCandidateOptions): string;

export interface DataCandidateOptions {
  /** As in `IntentConfig`; so are `proof`, `evidence`, `evidenceFrom`, `unknownKeywords`, `language` and `limits`. */
  schema: NonNullable<IntentConfig['schema']>;
  proof?: 'full' | 'brief';
  evidence?: EvidencePolicy;
  evidenceFrom?: readonly EvidenceSource[];
  unknownKeywords?: IntentConfig['unknownKeywords'];
  language?: string;
  limits?: IntentConfig['limits'];
  /** As in the request; so are `context` and `fields`. */
  input: string;
  context?: IntentContext;
  fields?: readonly string[];
  /** What is extracted. @defaultValue {} */
  data?: { readonly [field: string]: unknown };
  /** What a value was taken from, by its JSON Pointer in `data` (`/items/0/sku`), where its words are others. */
  quotes?: { readonly [pointer: string]: string | readonly string[] };
  /** Verdicts on descriptions that are not `satisfied`, by JSON Pointer in `data`. */
  verdicts?: {
    readonly [pointer: string]: { verdict: 'violated' | 'undetermined'; explanation: string };
  };
  /** What is open; the recognition ends in an `IntentDataError`. `path` is that of the error: `/data/orderId`. */
  issues?: readonly { code: DataIssueCode; path: string | null; message?: string }[];
  /** Fields that are not in `data` for another reason than that the text does not give them. */
  absent?: { readonly [field: string]: 'not_applicable' };
}

/**
 * The text of a data candidate, accepted by the runtime: it finds the quotes of each value in input
 * and context, and writes verdicts and results of fields.
 *
 * @throws {IntentError} `MODEL_OUTPUT_INVALID` with all `faults` for what the runtime would refuse, and
 * what to change; `CONFIG_INVALID`, `SCHEMA_UNSUPPORTED`, `INPUT_INVALID` or `UNKNOWN_FIELD` as in `parse`.
 */
export declare function dataCandidate(candidate: DataCandidateOptions): string;

/** The text of a candidate, a whole reply, an error to throw, or a function of the question. */
export type ScriptedReply =
  | string
  | ModelReply
  | Error
  | ((request: ModelRequest) => ModelReply | Promise<ModelReply>);

/** Replies in the order of the questions, or by stage. */
export type Script =
  | readonly ScriptedReply[]
  | {
      core?: ScriptedReply | readonly ScriptedReply[];
      data?: ScriptedReply | readonly ScriptedReply[];
    };

/**
 * An executor that gives the replies of a script, each once, and notes the questions. A question past
 * the end fails with `MODEL_REQUEST_FAILED`, whose message says which.
 *
 * @throws {IntentError} For a reply that the runtime would refuse. What a function returns is not checked.
 */
export declare function scriptedExecutor(
  replies: Script,
): ModelExecutor & { readonly requests: readonly ModelRequest[] };

/**
 * An executor that asks another one and puts each answer into a JSON file, beside those that are
 * there. Several processes may write to one file.
 */
export declare function recordingExecutor(inner: ModelExecutor, file: string): ModelExecutor;

/**
 * An executor that answers from such a file. A question that it does not hold fails with
 * `MODEL_REQUEST_FAILED`, whose message names file, stage and the beginning of the input.
 *
 * @throws {IntentError} `CONFIG_INVALID` where there is no such file, or it holds something else.
 */
export declare function replayingExecutor(file: string): ModelExecutor;
