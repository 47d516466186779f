// The public types of `@devcodex/intent-runtime/adapters/api`.

import type { JsonValue, ModelExecutor, ModelReply, ModelRequest } from '../../index';

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
  /**
   * Sent as bearer token, and shown nowhere. A function is asked for the key of each request, and
   * may give a promise; where it throws, or gives no key, the request ends with
   * `MODEL_AUTH_FAILED`. May be left out beside a `baseURL`: no key is sent then.
   *
   * @example
   * ```ts
   * apiKey: async () => (await credential.getToken(scope)).token
   * ```
   */
  apiKey?: string | (() => string | Promise<string>) | undefined;
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
   * What is asked of the service: structured output by JSON Schema, a JSON object (the schema then
   * stands behind the instructions), or nothing. There is no fallback.
   * @defaultValue 'json_schema'
   */
  format?: 'json_schema' | 'json_object' | 'text' | undefined;
  /**
   * The field that carries `maxOutputTokens` with `chat-completions`; `'none'` sends none, with
   * `responses` as well.
   * @defaultValue 'max_completion_tokens', with `responses` 'max_output_tokens'
   */
  outputLimit?: 'max_completion_tokens' | 'max_tokens' | 'none' | undefined;
  /**
   * Headers of your own. Values are secrets, like `apiKey`. Not `authorization`, `host`,
   * `content-*`, `transfer-encoding`, `connection`.
   */
  headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Fields of your own in the body of each request, merged last: `{ enable_thinking: false }`.
   * `null` takes a field away that is sent otherwise: `{ store: null }`. Not `model`, `messages`,
   * `input`, `instructions`, `stream`, `tools`, `functions`, `response_format`, `text`.
   */
  body?: { readonly [field: string]: JsonValue } | undefined;
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
