// The public types of `@devcodex/intent-runtime/mcp`.

import type { JSONSchema } from '../index';
import type { BridgeConfig } from './bridge';

/**
 * The members of a transport that are used. It has the shape of the official TypeScript SDK's
 * `Transport`, so that these types do not depend on the SDK.
 */
export interface IntentMcpTransport {
  start(): Promise<void>;
  send(message: any, options?: any): Promise<void>;
  close(): Promise<void>;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: any, extra?: any) => void) | undefined;
}

/** The configuration of {@link serveIntentMcp}: every option of a bridge, and the transport. */
export interface IntentMcpConfig extends BridgeConfig {
  /**
   * The transport of the one connection.
   * @defaultValue stdio, served natively
   */
  transport?: IntentMcpTransport | undefined;
}

/** A running server: one connection, one bridge session. */
export interface IntentMcpService {
  /**
   * Closes the connection and the bridge, but does not dispose of the caller's Intents. You may call it
   * more than once.
   */
  close(): Promise<void>;
  /** Settles when the connection ends for any reason; it never rejects. */
  readonly closed: Promise<void>;
}

/**
 * Serves the three tools over MCP. The promise resolves when the server is listening. A later failure of
 * the transport is reported to its own `onerror`.
 *
 * @throws IntentError (as a rejection) `CONFIG_INVALID`, stage `config`; or the error that
 * `transport.start()` throws.
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
  /** The description for the host's model. */
  readonly description: string;
  /** The schema of the tool's arguments. */
  readonly inputSchema: JSONSchema;
  /** Hints of the protocol. `readOnlyHint`: the tool changes nothing outside the server. */
  readonly annotations: { readonly readOnlyHint: boolean };
}

/** The three tools as hosts see them, frozen. */
export declare const MCP_TOOLS: readonly [
  IntentMcpTool<'intent_prepare'>,
  IntentMcpTool<'intent_accept'>,
  IntentMcpTool<'intent_cancel'>,
];
