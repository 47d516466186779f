// The public types of `@devcodex/intent-runtime/eval`. See docs/evaluation.md.

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
 * The expectation of a text. The comparison ignores case, width, and spaces beside Chinese, Japanese
 * and Korean. A number must match a whole number, and a word must match from the start of a word.
 */
export type TextExpectation =
  | string
  | {
      /** Every item must occur; for an array, one of its terms. */
      all?: readonly (string | readonly string[])[];
      /** One of the terms must occur. */
      any?: readonly string[];
      /** None of the terms may occur. */
      none?: readonly string[];
      /** The whole text must be one of these. */
      equals?: string | readonly string[];
      /** Regular expressions with the flags `iu` that must match the text in NFKC. */
      pattern?: string | readonly string[];
    };

/** A number, or its bounds. */
export type CountExpectation = number | { min?: number; max?: number };

/** The expectation of a list of texts; an array is short for `has`. */
export type TextsExpectation =
  | readonly TextExpectation[]
  | {
      /** The number of texts. */
      count?: CountExpectation;
      /** Each expectation must be met by a text of the list. */
      has?: readonly TextExpectation[];
      /** None of the expectations may be met by a text of the list. */
      none?: readonly TextExpectation[];
    };

/** The expectation of one intent. Members that are omitted are not checked. */
export interface IntentExpectation {
  action?: IntentAction | readonly IntentAction[];
  status?: IntentStatus | readonly IntentStatus[];
  target?: TextExpectation | null;
  requirements?: TextsExpectation;
  reason?: TextExpectation;
  /** Each question with its options, as one text. */
  questions?: TextsExpectation;
}

/** The expectation of the value at a place of `data`. */
export interface ValueExpectation {
  equals?: JsonValue;
  anyOf?: readonly JsonValue[];
  /** The array has these items, in any order. */
  sameItems?: readonly JsonValue[];
  /** The object has these members, each with its own expectation, and no others. */
  object?: { readonly [name: string]: ValueExpectation };
  /** The comparison of strings ignores case, space and punctuation. */
  loose?: boolean;
  /** The value must be absent. */
  absent?: true;
  /** The value may be absent. */
  optional?: boolean;
  text?: TextExpectation;
  min?: number;
  max?: number;
}

/** The expectation of a case. Members that are omitted are not checked. */
export interface CaseExpectation {
  /**
   * The outcome of the recognition: a result or an error code.
   * @defaultValue `DATA_EXTRACTION_FAILED` if `issues` are expected, otherwise `result`
   */
  outcome?: 'result' | ErrorCode | readonly ('result' | ErrorCode)[];
  primaryIntent?: TextExpectation | null;
  normalizedInput?: TextExpectation;
  intents?: readonly IntentExpectation[] | { count: CountExpectation };
  /** `any` if the intents may be in any order. */
  order?: 'any';
  /** The requirements of the whole request. */
  requirements?: TextsExpectation;
  prohibitions?: TextsExpectation;
  /** The requirements of the whole request and of all intents together. */
  stated?: TextsExpectation;
  /** All text of the core result that the model wrote, as one text. */
  text?: TextExpectation;
  /** The fields, exactly. */
  data?: { readonly [field: string]: JsonValue };
  /** Values of the fields, by JSON Pointer. */
  values?: { readonly [pointer: string]: ValueExpectation };
  /** The only fields that may be present. */
  fields?: readonly string[];
  /** Every issue; a path that ends in `/*` matches everything below it. */
  issues?: readonly {
    code?: DataIssueCode | readonly DataIssueCode[];
    path?: string | null | readonly string[];
  }[];
  /** Allows other issues. @defaultValue false */
  otherIssues?: boolean;
}

/** Answers that belong to a case: complete candidates, or their short forms. */
export interface CaseAnswers {
  core?: string | { readonly [key: string]: JsonValue };
  data?: string | { readonly [key: string]: JsonValue };
}

/** One case: a line of a cases file. */
export interface EvalCase {
  /** Unique in a set; a baseline pairs cases by it. */
  id: string;
  /** The language of the input, for the report. */
  lang?: string;
  /** The difficulties that the case tests, for the report. */
  tags?: readonly string[];
  /** A remark for people. */
  note?: string;
  input: string;
  context?: IntentContext;
  fields?: readonly string[];
  schema?: JSONSchema;
  /** Options of this case; options of the whole run override them. */
  config?: Omit<IntentConfig, 'schema' | 'executor'>;
  expect: CaseExpectation;
  /** An answer that the package accepts and the scorer rates as right. */
  gold?: CaseAnswers;
  /** Answers that the scorer must rate as wrong by `check`; they have only the differences from `gold`. */
  wrong?: readonly ({ check: string; why?: string } & CaseAnswers)[];
  /** The reason why the case cannot be run. */
  shutOut?: string;
}

/** A share with its Wilson interval, 95 %. */
export interface Rate {
  /** The number of right ones. */
  right: number;
  /** The number of all. */
  total: number;
  /** `right / total`, from 0 to 1; `null` if `total` is 0. */
  share: number | null;
  /** The lower and upper end of the interval, from 0 to 1; `null` if `total` is 0. */
  interval: [number, number] | null;
}

/** Times in milliseconds. The quantiles are accurate to a tenth of their value. */
export interface Times {
  mean: number;
  median: number;
  p95: number;
}

/** A sum of tokens. */
export interface TokenSum {
  /** The tokens of all calls that reported them. */
  sum: number;
  /** The number of calls that reported their tokens. */
  calls: number;
  /** The number of calls that did not report their tokens. */
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

/** The report of a run. */
export interface EvalReport {
  format: 1;
  package: string;
  executor: string;
  interrupted: boolean;
  total: number;
  right: Rate;
  wrong: number;
  /** The number of cases without an answer (network, rate limit, timeout). */
  failed: number;
  /** Cases that could not be run, with the reasons. */
  shutOut: { total: number; reasons: { what: string; times: number }[] };
  langs: { [lang: string]: Rate };
  tags: { [tag: string]: Rate };
  checks: { [check: string]: Rate };
  stages: { core: StageReport; data: StageReport };
  /** The faults for which answers were rejected. */
  causes: { what: string; times: number }[];
  /** The errors with which recognitions ended. */
  ends: { what: string; times: number }[];
  time: Times | null;
  comparison?: Comparison;
}

/** The comparison of two runs of the same cases. */
export interface Comparison {
  /** The number of cases that both runs have. */
  paired: number;
  /** The ids of cases that were right before and are not now. */
  lost: string[];
  /** The ids of cases that were not right before and are now. */
  won: string[];
  /** The probability that a run which is not worse loses at least as many cases; exact, one-sided, paired. */
  probability: number;
  alpha: number;
  significantLoss: boolean;
}

/** The outcome of a finished case. */
export interface CaseOutcome {
  id: string;
  lang?: string;
  tags?: readonly string[];
  state: 'right' | 'wrong' | 'failed' | 'shutOut';
  /** The names of the checks. */
  checks?: string[];
  /** The checks that failed. */
  failed?: { check: string; expected: unknown; got: unknown }[];
  /** The duration of the recognition in milliseconds. */
  ms?: number;
  /** The actual result or error; present if the case is not right. */
  got?: { result?: IntentResult; error?: SerializedIntentError };
}

/** The options of {@link evaluate}. */
export interface EvalOptions {
  /** The path of a cases file, cases, or a function that returns them anew at each call. */
  cases: string | Iterable<EvalCase> | (() => Iterable<EvalCase> | AsyncIterable<EvalCase>);
  /** The executor that answers the questions. */
  executor: ModelExecutor;
  /** Options for every case; they override the options of the case. @defaultValue none */
  config?: Omit<IntentConfig, 'schema' | 'executor'>;
  /** Selects the cases that have one of these tags. @defaultValue all */
  tags?: readonly string[];
  /** Selects the cases in one of these languages. @defaultValue all */
  lang?: readonly string[];
  /** Selects the cases with these ids. @defaultValue all */
  ids?: readonly string[];
  /** The largest number of cases to run. @defaultValue all */
  limit?: number;
  /** The number of cases that run at the same time. @defaultValue 4 */
  concurrency?: number;
  /** The path of a file that keeps finished cases and answers. @defaultValue a temporary file */
  journal?: string;
  /** Continues the run of the journal. @defaultValue false */
  resume?: boolean;
  /** Aborting it ends the run; the finished cases are reported. */
  signal?: IntentParseRequest['signal'];
  /** The path of a JSON report to write. @defaultValue none */
  json?: string;
  /** The path of an HTML report to write. @defaultValue none */
  html?: string;
  /** An older report, as a file, or as pairs of a case id and whether it was right. @defaultValue none */
  baseline?: string | Iterable<[string, boolean]>;
  /** A loss with a probability below this is significant. @defaultValue 0.05 */
  alpha?: number;
  /** Called after each case. */
  onCase?: (outcome: CaseOutcome, one: EvalCase) => void;
  /** Called regularly with the state of the run. */
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
 * Runs cases through an `Intent` and scores every part of each result.
 *
 * @throws {EvaluationError} (as a rejection) for a malformed case or file, and for refused credentials.
 */
export declare function evaluate(options: EvalOptions): Promise<EvalReport>;

/** Scores the wrong answers of the cases, and returns those that the scorer did not find. */
export declare function checkWrong(options: Omit<EvalOptions, 'executor'>): Promise<{
  total: number;
  caught: number;
  missed: { id: string; check: string; why?: string; failed: string[]; got: unknown }[];
  checks: { [check: string]: number };
}>;

/** Compares one outcome with its expectation. */
export declare function score(
  expect: CaseExpectation,
  outcome: { result?: IntentResult; error?: SerializedIntentError },
): {
  readonly right: boolean;
  checks: string[];
  failed: { check: string; expected: unknown; got: unknown }[];
};

/** Reads and checks the cases of a JSONL file, one at a time. */
export declare function readCases(file: string): AsyncGenerator<EvalCase, void>;

/** The names that {@link readPublicSet} takes. */
export declare const PUBLIC_SETS: readonly (
  | 'acebench-zh'
  | 'acebench-en'
  | 'bfcl'
  | 'clinc150'
  | 'nlupp'
)[];

/** Reads the cases of a public set from a folder. The package does not contain these sets. */
export declare function readPublicSet(
  name: (typeof PUBLIC_SETS)[number],
  folder: string,
): AsyncGenerator<EvalCase, void>;

/** Makes an executor that answers with the gold answer of each case. */
export declare function goldExecutor(): ModelExecutor;

/** Wraps an executor, and writes each of its answers to a JSONL file. */
export declare function recording(executor: ModelExecutor, file: string): ModelExecutor;

/**
 * Makes an executor that answers from a file of {@link recording}. A question that is not in the file
 * fails, and the message names its case.
 */
export declare function replaying(
  file: string,
): ModelExecutor & { readonly otherInstructions: number };

/** The error for a mistake in cases, files or options. */
export declare class EvaluationError extends Error {
  readonly name: 'EvaluationError';
}
