// The public types of `@devcodex/intent-runtime/adapters/ai-sdk`.

import type { JsonValue, ModelExecutor } from '../../index';

/**
 * What is used of a language model of the Vercel AI SDK: `LanguageModelV2`, `V3` and `V4` of
 * `@ai-sdk/provider`, which the packages of AI SDK 5, 6 and 7 make.
 */
export interface LanguageModelShape {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  doGenerate(options: any): PromiseLike<any>;
}

/** How a language model is asked. */
export interface LanguageModelOptions {
  /**
   * Passed on as it is. Some models take no other than their own.
   * @defaultValue the model's
   */
  temperature?: number | undefined;
  /**
   * Tokens of one answer, reasoning included.
   * @defaultValue the provider package's
   */
  maxOutputTokens?: number | undefined;
  /**
   * Options of the provider package by its name, as `generateText` takes them.
   *
   * In the data stage `strictJsonSchema: false` stands under `openai`, `azure`, `openaiCompatible`
   * and `groq` unless you say otherwise: a schema of your own need not fit their strict mode.
   *
   * @example
   * ```ts
   * providerOptions: { google: { thinkingConfig: { thinkingBudget: 0 } } }
   * ```
   */
  providerOptions?:
    | { readonly [provider: string]: { readonly [option: string]: JsonValue } }
    | undefined;
}

/**
 * An executor that asks a language model of the Vercel AI SDK. The SDK is no dependency: a model
 * is known by its shape.
 *
 * It rejects with `MODEL_AUTH_FAILED`, `MODEL_RATE_LIMITED` and `MODEL_REQUEST_FAILED`, which have
 * `http` and `retryable` as those of `createApiExecutor` have; the SDK's own error, which holds the
 * request and the service's body, is not their cause. The SDK's retries are those of
 * `generateText`; here nothing is asked twice.
 *
 * @throws IntentError `CONFIG_INVALID`, stage `config`.
 *
 * @example
 * ```ts
 * import { anthropic } from '@ai-sdk/anthropic';
 *
 * const executor = fromLanguageModel(anthropic('claude-sonnet-4-5'), { maxOutputTokens: 8192 });
 * ```
 */
export declare function fromLanguageModel(
  model: LanguageModelShape,
  options?: LanguageModelOptions,
): ModelExecutor;
