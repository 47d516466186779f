// The public types of `@devcodex/intent-runtime/testing`. See docs/testing.md.

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

/** One intent of a core candidate. Members that are omitted are empty. */
export interface CoreCandidateIntent {
  /** @defaultValue null, which needs a clarification */
  action?: IntentAction | null;
  /** @defaultValue null */
  target?: string | null;
  /** @defaultValue [] */
  requirements?: readonly string[];
  /** The reason for asking the user; the status is `needs_clarification`. @defaultValue the first question, if there is one */
  clarification?: string;
  /** Questions to the user; a string is a question without options. @defaultValue [] */
  questions?: readonly (string | { question: string; options?: readonly string[] })[];
  /** The reason for waiting for a confirmation; the status is `awaiting_confirmation`. @defaultValue none */
  confirmation?: string;
  /** The condition that the intent depends on; the status is `conditional`. @defaultValue none */
  condition?: string;
}

/** The parts of a core candidate. */
export interface CoreCandidateOptions {
  /** @defaultValue [] */
  intents?: readonly CoreCandidateIntent[];
  /** Requirements of the whole request. @defaultValue [] */
  requirements?: readonly string[];
  /** @defaultValue [] */
  prohibitions?: readonly string[];
  /** @defaultValue action and target of the first intent */
  primaryIntent?: string | null;
  /** @defaultValue the input if given, otherwise the primary intent */
  normalizedInput?: string;
  /** The user's text. */
  input?: string;
  /** The instance's `proof`. @defaultValue 'full' */
  proof?: 'full' | 'brief';
}

/**
 * Writes the text of a core candidate that the runtime accepts.
 *
 * @throws {IntentError} `MODEL_OUTPUT_INVALID` with all `faults` if the runtime would refuse the candidate,
 * `CONFIG_INVALID` for an unknown key.
 */
export declare function coreCandidate(candidate?: CoreCandidateOptions): string;

/** The parts of a data candidate, and the options and texts that it is checked against. */
export interface DataCandidateOptions {
  /**
   * The schema of the Intent. `proof`, `evidence`, `evidenceFrom`, `unknownKeywords`, `language` and `limits`
   * are also those of its configuration.
   */
  schema: NonNullable<IntentConfig['schema']>;
  proof?: 'full' | 'brief';
  evidence?: EvidencePolicy;
  evidenceFrom?: readonly EvidenceSource[];
  unknownKeywords?: IntentConfig['unknownKeywords'];
  language?: string;
  limits?: IntentConfig['limits'];
  /** The user's text. `fields` are also those of the request. */
  input: string;
  /**
   * The context of the request, or that of a question (`request.input.context`), whose entries have a
   * `sourceId` and, for a context that is one text, the role `background`.
   */
  context?:
    | IntentContext
    | readonly { readonly sourceId?: string; readonly role: string; readonly content: string }[];
  fields?: readonly string[];
  /** The extracted values. @defaultValue {} */
  data?: { readonly [field: string]: unknown };
  /** The quotes of a value that the texts say in other words, by its JSON Pointer in `data` (`/items/0/sku`). */
  quotes?: { readonly [pointer: string]: string | readonly string[] };
  /** Verdicts on descriptions that are not `satisfied`, by JSON Pointer in `data`. */
  verdicts?: {
    readonly [pointer: string]: { verdict: 'violated' | 'undetermined'; explanation: string };
  };
  /** Issues; the recognition then ends in an `IntentDataError`. `path` is the path in the error: `/data/orderId`. */
  issues?: readonly { code: DataIssueCode; path: string | null; message?: string }[];
  /** Fields that are not in `data` because they do not apply to the request. */
  absent?: { readonly [field: string]: 'not_applicable' };
}

/**
 * Writes the text of a data candidate that the runtime accepts. It finds the quotes of each value in input
 * and context, and writes verdicts and field results.
 *
 * @throws {IntentError} `MODEL_OUTPUT_INVALID` with all `faults` if the runtime would refuse the candidate; the
 * message says what to change. `CONFIG_INVALID`, `SCHEMA_UNSUPPORTED`, `INPUT_INVALID` or `UNKNOWN_FIELD` as in `parse`.
 */
export declare function dataCandidate(candidate: DataCandidateOptions): string;

/** The text of a candidate, a whole reply, an error to throw, or a function that takes the question. */
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
 * Makes an executor that returns each reply of a script once, and keeps the questions in `requests`. A
 * question after the last reply fails with `MODEL_REQUEST_FAILED`, and the message says which one it was.
 *
 * @throws {IntentError} for a reply that the runtime would refuse. Replies of functions are not checked.
 */
export declare function scriptedExecutor(
  replies: Script,
): ModelExecutor & { readonly requests: readonly ModelRequest[] };

/**
 * Makes an executor that asks another executor and adds each answer to a JSON file. Several processes may
 * write to one file.
 */
export declare function recordingExecutor(inner: ModelExecutor, file: string): ModelExecutor;

/**
 * Makes an executor that answers from a file of {@link recordingExecutor}. A question that is not in the
 * file fails with `MODEL_REQUEST_FAILED`, and the message names file, stage and the beginning of the input.
 *
 * @throws {IntentError} `CONFIG_INVALID` if the file does not exist or is not a recording.
 */
export declare function replayingExecutor(file: string): ModelExecutor;
