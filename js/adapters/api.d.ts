// The public types of `@devcodex/intent-runtime/adapters/api`.

import type { ModelExecutor, ModelReply, ModelRequest } from '../../index';

/** Which service, and how to ask it. */
export interface ApiExecutorConfig {
  /** Preset of base URL and message shape; a gateway's own URL goes into `baseURL`. */
  provider: 'openai' | 'xai';
  /**
   * `POST {base}/responses` or `POST {base}/chat/completions`; never guessed.
   * @defaultValue 'responses'
   */
  protocol?: 'responses' | 'chat-completions' | undefined;
  /** A model name that the service accepts. */
  model: string;
  /** Sent as bearer token, and shown nowhere. */
  apiKey: string;
  /**
   * Absolute http(s) URL without credentials, query or fragment. Plain http only to private
   * addresses.
   * @defaultValue 'https://api.openai.com/v1' or 'https://api.x.ai/v1'
   */
  baseURL?: string | undefined;
  /**
   * Tokens of one answer.
   * @defaultValue 8192
   */
  maxOutputTokens?: number | undefined;
  /**
   * Bytes of one response body after decompression; more is `RESOURCE_LIMIT`.
   * @defaultValue 8388608
   */
  maxResponseBytes?: number | undefined;
  /**
   * Whether structured output is asked of the service; there is no fallback.
   * @defaultValue 'json_schema'
   */
  format?: 'json_schema' | 'text' | undefined;
}

/** What {@link ApiExecutor.generate} needs of a request: the first of each pair wins. */
export interface ApiModelRequest
  extends Pick<ModelRequest, 'instructions'>,
    Partial<Omit<ModelRequest, 'instructions'>> {}

/** A {@link ModelExecutor} that runs natively. */
export interface ApiExecutor extends ModelExecutor {
  /** `api:<provider>` */
  readonly id: `api:${ApiExecutorConfig['provider']}`;
  /**
   * Asks the service once. `payload` or `input`, and `outputSchema` or `format`, suffice.
   *
   * @throws IntentError (as a rejection) `MODEL_AUTH_FAILED`, `MODEL_RATE_LIMITED`,
   * `MODEL_REQUEST_FAILED`, `MODEL_TIMEOUT`, `MODEL_ABORTED`, `RESOURCE_LIMIT`.
   */
  generate(request: ApiModelRequest): Promise<ModelReply>;
}

/**
 * An executor for OpenAI, xAI and services that speak like them.
 *
 * @throws IntentError `CONFIG_INVALID`, stage `config`.
 *
 * @example
 * ```ts
 * const executor = createApiExecutor({
 *   provider: 'openai',
 *   protocol: 'chat-completions',
 *   baseURL: 'https://gateway.example.com/v1',
 *   model: 'my-model',
 *   apiKey: process.env.GATEWAY_KEY ?? '',
 * });
 * ```
 */
export declare function createApiExecutor(config: ApiExecutorConfig): ApiExecutor;

/**
 * Reads a Responses API envelope that the caller already has.
 *
 * @throws IntentError `MODEL_REQUEST_FAILED`, stage `model`.
 */
export declare function readCompletedResponse(response: unknown): ModelReply;

/**
 * Reads a Chat Completions envelope that the caller already has.
 *
 * @throws IntentError `MODEL_REQUEST_FAILED`, stage `model`.
 */
export declare function readChatCompletion(response: unknown): ModelReply;
