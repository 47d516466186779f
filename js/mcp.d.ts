// The public types of `@devcodex/intent-runtime/mcp`.

import type { JSONSchema } from '../index';
import type { BridgeConfig } from './bridge';

/**
 * What is needed of a transport: the shape of the official TypeScript SDK's `Transport`, so that
 * no package is needed to name it.
 */
export interface IntentMcpTransport {
  start(): Promise<void>;
  send(message: any, options?: any): Promise<void>;
  close(): Promise<void>;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: any, extra?: any) => void) | undefined;
}

/** What {@link serveIntentMcp} takes: every option of a bridge, and where to serve. */
export interface IntentMcpConfig extends BridgeConfig {
  /** @defaultValue stdio, served natively */
  transport?: IntentMcpTransport | undefined;
}

/** A running server: one connection, one bridge session. */
export interface IntentMcpService {
  /** Closes connection and bridge, and never an Intent. May be called more than once. */
  close(): Promise<void>;
  /** Settles when the connection ends for any reason; it never rejects. */
  readonly closed: Promise<void>;
}

/**
 * Serves the three tools over MCP. Resolves once the server is listening. A transport that fails
 * later is told so through its own `onerror`.
 *
 * @throws IntentError `CONFIG_INVALID`, stage `config`; what `transport.start()` throws (both as
 * a rejection).
 *
 * @example
 * ```ts
 * const service = await serveIntentMcp({ instances: { default: new Intent() } });
 * await service.closed;
 * ```
 */
export declare function serveIntentMcp(config: IntentMcpConfig): Promise<IntentMcpService>;

/** One declaration of {@link MCP_TOOLS}, in the shape of `tools/list`. */
export interface IntentMcpTool<TName extends string = string> {
  readonly name: TName;
  /** For the host's model. */
  readonly description: string;
  readonly inputSchema: JSONSchema;
  /** Hints of the protocol: no tool changes anything outside the server. */
  readonly annotations: { readonly readOnlyHint: boolean };
}

/** The three tools as hosts see them, frozen. */
export declare const MCP_TOOLS: readonly [
  IntentMcpTool<'intent_prepare'>,
  IntentMcpTool<'intent_accept'>,
  IntentMcpTool<'intent_cancel'>,
];
