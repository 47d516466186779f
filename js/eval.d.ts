// The public types of `@devcodex/intent-runtime/eval`. docs/evaluation.md tells how to use it.

import type {
  DataIssueCode,
  ErrorCode,
  IntentAction,
  IntentConfig,
  IntentContext,
  IntentParseRequest,
  IntentResult,
  IntentStatus,
  JSONSchema,
  JsonValue,
  ModelExecutor,
  SerializedIntentError,
} from '../index.js';

/**
 * What a text must say. Texts are compared without case, width and spaces beside Chinese, Japanese
 * and Korean; a number must stand alone, a word must begin where a word begins.
 */
export type TextExpectation =
  | string
  | {
      /** Each must be said; of an array, any of its terms. */
      all?: readonly (string | readonly string[])[];
      /** One of them must be said. */
      any?: readonly string[];
      /** None may be said. */
      none?: readonly string[];
      /** The whole text is one of these. */
      equals?: string | readonly string[];
      /** Regular expressions, flags `iu`, on the text in NFKC. */
      pattern?: string | readonly string[];
    };

/** A number, or its bounds. */
export type CountExpectation = number | { min?: number; max?: number };

/** What a list of texts must hold; an array stands for `has`. */
export type TextsExpectation =
  | readonly TextExpectation[]
  | {
      count?: CountExpectation;
      /** For each of them there is a text that meets it. */
      has?: readonly TextExpectation[];
      /** No text meets one of them. */
      none?: readonly TextExpectation[];
    };

/** What one intent must be; what is left out is free. */
export interface IntentExpectation {
  action?: IntentAction | readonly IntentAction[];
  status?: IntentStatus | readonly IntentStatus[];
  target?: TextExpectation | null;
  requirements?: TextsExpectation;
  reason?: TextExpectation;
  /** Each question with its options, as one text. */
  questions?: TextsExpectation;
}

/** What the value at a place of `data` must be. */
export interface ValueExpectation {
  equals?: JsonValue;
  anyOf?: readonly JsonValue[];
  /** The same items in any order. */
  sameItems?: readonly JsonValue[];
  /** Every member by its own expectation, and no other member. */
  object?: { readonly [name: string]: ValueExpectation };
  /** Strings are compared without case, space and punctuation. */
  loose?: boolean;
  /** It must not be there. */
  absent?: true;
  /** It may be left out. */
  optional?: boolean;
  text?: TextExpectation;
  min?: number;
  max?: number;
}

/** What a case expects; what is left out is free. */
export interface CaseExpectation {
  /** @defaultValue `DATA_EXTRACTION_FAILED` where `issues` are expected, else `result` */
  outcome?: 'result' | ErrorCode | readonly ('result' | ErrorCode)[];
  primaryIntent?: TextExpectation | null;
  normalizedInput?: TextExpectation;
  intents?: readonly IntentExpectation[] | { count: CountExpectation };
  /** `any` where the order of the intents is free. */
  order?: 'any';
  /** Of the whole request. */
  requirements?: TextsExpectation;
  prohibitions?: TextsExpectation;
  /** Requirements wherever they stand: of the request, or of any intent. */
  stated?: TextsExpectation;
  /** All that the model wrote into the default part, as one text. */
  text?: TextExpectation;
  /** The fields, exactly. */
  data?: { readonly [field: string]: JsonValue };
  /** Places of the fields, by JSON Pointer. */
  values?: { readonly [pointer: string]: ValueExpectation };
  /** The only fields that may be there. */
  fields?: readonly string[];
  /** Every issue; a path ending in `/*` stands for what is below. */
  issues?: readonly {
    code?: DataIssueCode | readonly DataIssueCode[];
    path?: string | null | readonly string[];
  }[];
  /** Whether there may be others. @defaultValue false */
  otherIssues?: boolean;
}

/** Answers that a case ships: candidates to the letter, or their short forms. */
export interface CaseAnswers {
  core?: string | { readonly [key: string]: JsonValue };
  data?: string | { readonly [key: string]: JsonValue };
}

/** One case: a line of a cases file. */
export interface EvalCase {
  /** Stands once in a set; a baseline pairs cases by it. */
  id: string;
  /** The language of the input, a tag for the report. */
  lang?: string;
  /** What it tries. */
  tags?: readonly string[];
  note?: string;
  input: string;
  context?: IntentContext;
  fields?: readonly string[];
  schema?: JSONSchema;
  /** Of its own; options of the whole run come on top. */
  config?: Omit<IntentConfig, 'schema' | 'executor'>;
  expect: CaseExpectation;
  /** An answer that the package accepts and the scorer calls right. */
  gold?: CaseAnswers;
  /** Answers that the scorer must call wrong by `check`; only what differs from `gold`. */
  wrong?: readonly ({ check: string; why?: string } & CaseAnswers)[];
  /** Why it cannot be run. */
  shutOut?: string;
}

/** A share with its Wilson interval, 95 %. */
export interface Rate {
  right: number;
  total: number;
  share: number | null;
  interval: [number, number] | null;
}

/** Milliseconds; the quantiles are exact to a tenth. */
export interface Times {
  mean: number;
  median: number;
  p95: number;
}

/** A sum of tokens, of how many calls, and how many did not tell. */
export interface TokenSum {
  sum: number;
  calls: number;
  untold: number;
}

/** The calls of one stage. */
export interface StageReport {
  questions: number;
  firstAnswerAccepted: Rate;
  repairs: number;
  /** Cases whose stage was accepted after a repair. */
  repaired: number;
  time: Times | null;
  inputTokens: TokenSum | null;
  outputTokens: TokenSum | null;
}

/** What a run adds up to. */
export interface EvalReport {
  format: 1;
  package: string;
  executor: string;
  interrupted: boolean;
  total: number;
  right: Rate;
  wrong: number;
  /** Cases whose calls brought no answer. */
  failed: number;
  shutOut: { total: number; reasons: { what: string; times: number }[] };
  langs: { [lang: string]: Rate };
  tags: { [tag: string]: Rate };
  checks: { [check: string]: Rate };
  stages: { core: StageReport; data: StageReport };
  /** What rejected answers were rejected for. */
  causes: { what: string; times: number }[];
  ends: { what: string; times: number }[];
  time: Times | null;
  comparison?: Comparison;
}

/** Two runs of the same cases. */
export interface Comparison {
  paired: number;
  lost: string[];
  won: string[];
  /** That a run which is not worse loses so many; exact, one-sided, paired. */
  probability: number;
  alpha: number;
  significantLoss: boolean;
}

/** A finished case. */
export interface CaseOutcome {
  id: string;
  lang?: string;
  tags?: readonly string[];
  state: 'right' | 'wrong' | 'failed' | 'shutOut';
  /** What was looked at, and what of it failed. */
  checks?: string[];
  failed?: { check: string; expected: unknown; got: unknown }[];
  ms?: number;
  /** Where it is not right. */
  got?: { result?: IntentResult; error?: SerializedIntentError };
}

export interface EvalOptions {
  /** A cases file, cases, or a function that gives them anew each time it is called. */
  cases: string | Iterable<EvalCase> | (() => Iterable<EvalCase> | AsyncIterable<EvalCase>);
  executor: ModelExecutor;
  /** Comes on top of what cases configure. */
  config?: Omit<IntentConfig, 'schema' | 'executor'>;
  /** Only cases with one of them. */
  tags?: readonly string[];
  lang?: readonly string[];
  ids?: readonly string[];
  limit?: number;
  /** Cases at a time. @defaultValue 4 */
  concurrency?: number;
  /** A file that keeps finished cases and answers. @defaultValue a temporary one */
  journal?: string;
  /** Goes on with the journal. @defaultValue false */
  resume?: boolean;
  /** Ends the run; what was done is reported. */
  signal?: IntentParseRequest['signal'];
  /** Files to write. */
  json?: string;
  html?: string;
  /** An older report, as a file or as pairs of id and whether it was right. */
  baseline?: string | Iterable<[string, boolean]>;
  /** @defaultValue 0.05 */
  alpha?: number;
  onCase?: (outcome: CaseOutcome, one: EvalCase) => void;
  onProgress?: (state: {
    done: number;
    total: number;
    right: number;
    judged: number;
    seconds: number;
    inputTokens: number;
    outputTokens: number;
  }) => void;
}

/**
 * Runs cases through an `Intent` and scores every part of what comes back.
 *
 * @throws {EvaluationError} For a case or a file that is not well formed, and for refused credentials.
 */
export declare function evaluate(options: EvalOptions): Promise<EvalReport>;

/** Runs the wrong answers that cases ship. */
export declare function checkWrong(options: Omit<EvalOptions, 'executor'>): Promise<{
  total: number;
  caught: number;
  missed: { id: string; check: string; why?: string; failed: string[]; got: unknown }[];
  checks: { [check: string]: number };
}>;

/** Holds one outcome against what is expected. */
export declare function score(
  expect: CaseExpectation,
  outcome: { result?: IntentResult; error?: SerializedIntentError },
): {
  readonly right: boolean;
  checks: string[];
  failed: { check: string; expected: unknown; got: unknown }[];
};

/** The cases of a JSONL file, checked, one at a time. */
export declare function readCases(file: string): AsyncGenerator<EvalCase, void>;

/** Names of {@link readPublicSet}. */
export declare const PUBLIC_SETS: readonly (
  | 'acebench-zh'
  | 'acebench-en'
  | 'bfcl'
  | 'clinc150'
  | 'nlupp'
)[];

/** The cases of a public set that lies in a folder; none of them is part of this package. */
export declare function readPublicSet(
  name: (typeof PUBLIC_SETS)[number],
  folder: string,
): AsyncGenerator<EvalCase, void>;

/** Answers with each case's own gold answer. */
export declare function goldExecutor(): ModelExecutor;

/** Notes every answer of an executor in a JSONL file. */
export declare function recording(executor: ModelExecutor, file: string): ModelExecutor;

/** Answers from such a file. A question that it does not hold fails by the name of its case. */
export declare function replaying(
  file: string,
): ModelExecutor & { readonly otherInstructions: number };

/** A mistake in cases, files or options. */
export declare class EvaluationError extends Error {
  readonly name: 'EvaluationError';
}
