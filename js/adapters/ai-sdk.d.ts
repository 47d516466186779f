// The public types of `@devcodex/intent-runtime/adapters/ai-sdk`.

import type { JsonValue, ModelExecutor } from '../../index';

/**
 * The members of a language model of the Vercel AI SDK that are used. `LanguageModelV2`, `V3` and `V4` of
 * `@ai-sdk/provider`, which AI SDK 5, 6 and 7 have, fit this shape.
 */
export interface LanguageModelShape {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  doGenerate(options: any): PromiseLike<any>;
}

/** Options for the calls to a language model. */
export interface LanguageModelOptions {
  /**
   * The sampling temperature, which is passed on. Some models accept only their own value.
   * @defaultValue the model's default
   */
  temperature?: number | undefined;
  /**
   * The largest number of tokens of one answer, including reasoning.
   * @defaultValue the provider package's default
   */
  maxOutputTokens?: number | undefined;
  /**
   * Options for the provider package, under its name, as for `generateText`.
   *
   * In the data stage `strictJsonSchema: false` is set for `openai`, `azure`, `openaiCompatible`
   * and `groq` unless you set it, because your schema need not fit their strict mode.
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
 * Makes an executor that asks a language model of the Vercel AI SDK. The SDK is not a dependency: a model
 * is recognised by its shape.
 *
 * The executor rejects with `MODEL_AUTH_FAILED`, `MODEL_RATE_LIMITED` and `MODEL_REQUEST_FAILED`, which have
 * `http` and `retryable` like those of `createApiExecutor`. The SDK's own error contains the request and the
 * service's body, so it is not the `cause`. The SDK's retries belong to `generateText`; this executor
 * asks each question once.
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
