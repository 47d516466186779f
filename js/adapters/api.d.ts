// The public types of `@devcodex/intent-runtime/adapters/api`.

import type { JsonValue, ModelExecutor, ModelReply, ModelRequest } from '../../index';

/** The service, and the options of the requests to it. */
export interface ApiExecutorConfig {
  /** The preset of base URL and message shape. For a gateway, also set `baseURL`. */
  provider: 'openai' | 'xai';
  /**
   * The endpoint: `POST {base}/responses` or `POST {base}/chat/completions`. The package does not guess it.
   * @defaultValue 'responses'
   */
  protocol?: 'responses' | 'chat-completions' | undefined;
  /** A model name that the service accepts. */
  model: string;
  /**
   * The key, which is sent as bearer token and never displayed. A function is called for the key of each
   * request, and may return a promise; if it throws or returns no key, the request ends with
   * `MODEL_AUTH_FAILED`. You may omit it if you set `baseURL`: no key is then sent.
   * @example
   * ```ts
   * apiKey: async () => (await credential.getToken(scope)).token
   * ```
   */
  apiKey?: string | (() => string | Promise<string>) | undefined;
  /**
   * The API root: an absolute http(s) URL without credentials, query or fragment. Plain http is allowed
   * only to private addresses.
   * @defaultValue 'https://api.openai.com/v1' or 'https://api.x.ai/v1'
   */
  baseURL?: string | undefined;
  /**
   * The largest number of tokens of one answer.
   * @defaultValue 8192
   */
  maxOutputTokens?: number | undefined;
  /**
   * The largest size of one response body in bytes, after decompression; more is `RESOURCE_LIMIT`.
   * @defaultValue 8388608
   */
  maxResponseBytes?: number | undefined;
  /**
   * The output format to request: structured output by JSON Schema, a JSON object (the schema is then
   * appended to the instructions), or none. There is no fallback.
   * @defaultValue 'json_schema'
   */
  format?: 'json_schema' | 'json_object' | 'text' | undefined;
  /**
   * The request field for `maxOutputTokens` with `chat-completions`. `'none'` sends no such field, also with
   * `responses`.
   * @defaultValue 'max_completion_tokens', with `responses` 'max_output_tokens'
   */
  outputLimit?: 'max_completion_tokens' | 'max_tokens' | 'none' | undefined;
  /**
   * Additional headers. Their values are secrets, like `apiKey`. The names `authorization`, `host`,
   * `content-*`, `transfer-encoding` and `connection` are refused.
   * @defaultValue none
   */
  headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Additional fields in the body of each request, merged last: `{ enable_thinking: false }`.
   * `null` removes a field that would be sent: `{ store: null }`. The names `model`, `messages`,
   * `input`, `instructions`, `stream`, `tools`, `functions`, `response_format` and `text` are refused.
   * @defaultValue none
   */
  body?: { readonly [field: string]: JsonValue } | undefined;
}

/**
 * The request of {@link ApiExecutor.generate}. If both are given, `payload` wins over `input`, and
 * `outputSchema` over `format`.
 */
export interface ApiModelRequest
  extends Pick<ModelRequest, 'instructions'>,
    Partial<Omit<ModelRequest, 'instructions'>> {}

/** A {@link ModelExecutor} that runs in the addon. */
export interface ApiExecutor extends ModelExecutor {
  /** `api:<provider>` */
  readonly id: `api:${ApiExecutorConfig['provider']}`;
  /**
   * Asks the service once. The request needs `instructions`, `payload` or `input`, and `outputSchema` or
   * `format`.
   *
   * @throws IntentError (as a rejection) `MODEL_AUTH_FAILED`, `MODEL_RATE_LIMITED`,
   * `MODEL_REQUEST_FAILED`, `MODEL_TIMEOUT`, `MODEL_ABORTED`, `RESOURCE_LIMIT`.
   */
  generate(request: ApiModelRequest): Promise<ModelReply>;
}

/**
 * Makes an executor for OpenAI, xAI and compatible services.
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
 * Reads a response object of the Responses API into a {@link ModelReply}.
 *
 * @throws IntentError `MODEL_REQUEST_FAILED`, stage `model`.
 */
export declare function readCompletedResponse(response: unknown): ModelReply;

/**
 * Reads a response object of Chat Completions into a {@link ModelReply}.
 *
 * @throws IntentError `MODEL_REQUEST_FAILED`, stage `model`.
 */
export declare function readChatCompletion(response: unknown): ModelReply;
