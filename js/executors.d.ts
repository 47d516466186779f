// The public types of `@devcodex/intent-runtime/executors`.

import type { ModelExecutor } from '../index';

/** What {@link RetryOptions.on} is told before each pause. */
export interface RetryEvent {
  /** The id of the executor that failed. */
  readonly executor: string;
  /** The attempt that failed, from 1. */
  readonly attempt: number;
  /** The attempts that there are. */
  readonly attempts: number;
  /** Milliseconds until the next attempt. */
  readonly delayMs: number;
  /** What the executor threw; its `retryable` is `true`. */
  readonly error: unknown;
}

/** How often and how long {@link retrying} asks. */
export interface RetryOptions {
  /** How often one question is asked at most, the first time included: 1 to 100. */
  attempts: number;
  /**
   * The longest pause in milliseconds, 0 to 2147483647. Where a service asks for a longer one
   * (`error.http.retryAfterMs`), there is no further attempt: its error is thrown at once.
   */
  maxDelayMs: number;
  /** Called before each pause. What it throws changes nothing. */
  on?: ((event: RetryEvent) => void) | undefined;
}

/** What {@link FallbackOptions.on} is told before the next executor is asked. */
export interface FallbackEvent {
  /** The id of the executor that failed. */
  readonly from: string;
  /** The id of the one that is asked next. */
  readonly to: string;
  /** What the first one threw. */
  readonly error: unknown;
}

export interface FallbackOptions {
  /** Called before the next executor is asked. What it throws changes nothing. */
  on?: ((event: FallbackEvent) => void) | undefined;
}

/**
 * An executor that asks again where a call failed and `error.retryable` is `true`. The pauses grow
 * from half a second by two, with jitter, and are never shorter than the service asked for. The
 * request's signal ends a pause at once, so that `timeoutMs` bounds all attempts together.
 *
 * @throws IntentError `CONFIG_INVALID` or `HOST_CAPABILITY_UNSUPPORTED`, stage `config`.
 *
 * @example
 * ```ts
 * const executor = retrying(createApiExecutor({ provider: 'openai', model, apiKey }), {
 *   attempts: 3,
 *   maxDelayMs: 10_000,
 *   on: ({ attempt, delayMs }) => console.warn(`attempt ${attempt} failed, again in ${delayMs} ms`),
 * });
 * ```
 */
export declare function retrying(executor: ModelExecutor, options: RetryOptions): ModelExecutor;

/**
 * An executor that asks the next one where a call failed. A reply stands whatever it says: a
 * refusal or a truncated answer is not asked of another model. `MODEL_ABORTED`,
 * `INSTANCE_DISPOSED` and `INPUT_INVALID` are thrown at once, and where all fail the error of the
 * last one is.
 *
 * @throws IntentError `CONFIG_INVALID` or `HOST_CAPABILITY_UNSUPPORTED`, stage `config`.
 *
 * @example
 * ```ts
 * const executor = fallback([retrying(first, { attempts: 2, maxDelayMs: 2000 }), second]);
 * ```
 */
export declare function fallback(
  executors: readonly [ModelExecutor, ModelExecutor, ...ModelExecutor[]],
  options?: FallbackOptions,
): ModelExecutor;
