// The public types of `@devcodex/intent-runtime/executors`.

import type { ModelExecutor } from '../index';

/** The event that {@link RetryOptions.on} receives before each pause. */
export interface RetryEvent {
  /** The id of the executor that failed. */
  readonly executor: string;
  /** The number of the failed attempt, from 1. */
  readonly attempt: number;
  /** The number of attempts that are allowed. */
  readonly attempts: number;
  /** Milliseconds until the next attempt. */
  readonly delayMs: number;
  /** The error that the executor threw; its `retryable` is `true`. */
  readonly error: unknown;
}

/** The options of {@link retrying}. */
export interface RetryOptions {
  /** The largest number of attempts for one question, including the first: 1 to 100. */
  attempts: number;
  /**
   * The longest pause in milliseconds, 0 to 2147483647. If a service asks for a longer pause
   * (`error.http.retryAfterMs`), there is no further attempt: its error is thrown at once.
   */
  maxDelayMs: number;
  /** Called before each pause. An error that it throws has no effect. @defaultValue none */
  on?: ((event: RetryEvent) => void) | undefined;
}

/** The event that {@link FallbackOptions.on} receives before the next executor is asked. */
export interface FallbackEvent {
  /** The id of the executor that failed. */
  readonly from: string;
  /** The id of the executor that is asked next. */
  readonly to: string;
  /** The error that the failed executor threw. */
  readonly error: unknown;
}

/** The options of {@link fallback}. */
export interface FallbackOptions {
  /** Called before the next executor is asked. An error that it throws has no effect. @defaultValue none */
  on?: ((event: FallbackEvent) => void) | undefined;
}

/**
 * Makes an executor that asks again if a call failed and `error.retryable` is `true`. The pauses start
 * at half a second and double, with jitter, and are never shorter than the service asks for. The
 * request's signal ends a pause at once, so `timeoutMs` applies to all attempts together.
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
 * Makes an executor that asks the next executor if a call failed. Every reply is final: after a
 * refusal or a truncated answer, no other model is asked. `MODEL_ABORTED`, `INSTANCE_DISPOSED` and
 * `INPUT_INVALID` are thrown at once. If all executors fail, the error of the last one is thrown.
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
