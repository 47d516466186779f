'use strict';
// The MCP server for JavaScript: stdio is served natively; for a transport of the official SDK, each message is
// passed to the addon.

const { readMcpConfig } = require('./plain/service-config.js');
const { jsonText } = require('./json.js');
const { assign, property } = require('./properties.js');
const addon = require('./addon.js');
const { begin, promised } = require('./addon-tasks.js');
const { ownedIntents } = require('./owned-intents.js');
const { buildOrThrow, fault } = require('./intent.js');
const { buildBridge } = require('./build-bridge.js');

const freeze = (value) => {
  if (typeof value === 'object' && value !== null) {
    Object.freeze(value);
    Object.values(value).forEach(freeze);
  }
  return value;
};

exports.MCP_TOOLS = freeze(JSON.parse(addon.mcpTools()));

const callable = (value) => (typeof value === 'function' ? value : undefined);

/** The time in milliseconds after which a closing transport that makes no progress is given up. */
const STALLED_MS = 1000;

/** Returns the value of a promise, or `undefined` if it takes too long. */
const beforeStall = (promise) => {
  let late;
  const stalled = new Promise((resolve) => {
    late = setTimeout(resolve, STALLED_MS);
  });
  return Promise.race([promise, stalled]).finally(() => clearTimeout(late));
};

/** A transport with the shape of the official SDK's, between the host at its other end and the addon. */
class Connection {
  #transport;
  #gone = false;
  #sending = 0;
  #moved = () => undefined;

  constructor(transport) {
    this.#transport = transport;
  }

  /** Sets the transport's callbacks, which then call the existing ones, and starts it. */
  async start(mcp) {
    const transport = this.#transport;
    const onmessage = callable(property(transport, 'onmessage'));
    const onclose = callable(property(transport, 'onclose'));
    assign(transport, 'onmessage', (message, ...extra) => {
      const text = this.#textOf(message);
      if (text !== undefined) mcp.receive(text);
      onmessage?.call(transport, message, ...extra);
    });
    assign(transport, 'onclose', () => {
      this.#gone = true;
      mcp.end();
      this.#moved();
      onclose?.call(transport);
    });
    await transport.start();
  }

  /** Sends a message without waiting for the previous one, like the SDK's own servers. */
  async send(text) {
    if (this.#gone) return;
    this.#sending++;
    await this.#attempt(() => this.#transport.send(JSON.parse(text)));
    this.#sending--;
    this.#moved();
  }

  /** Waits for the messages that are being sent, and closes the transport unless its other end has closed it. */
  async close() {
    while (this.#sending > 0 && !this.#gone && (await this.#moves()));
    if (this.#gone) return;
    await beforeStall(this.#attempt(() => this.#transport.close()));
    this.#gone = true;
  }

  /** Returns the JSON of a message; if JSON cannot represent it, the part that is enough for an answer. */
  #textOf(message) {
    try {
      return jsonText(message);
    } catch (error) {
      this.report(error);
    }
    try {
      const { jsonrpc, id, method } = message;
      return jsonText({ jsonrpc, id, method, params: null });
    } catch {
      return undefined; // There is no id to answer to.
    }
  }

  /** Returns whether a send or the transport ends within the time. */
  #moves() {
    return beforeStall(
      new Promise((resolve) => {
        this.#moved = () => resolve(true);
      }),
    );
  }

  async #attempt(run) {
    try {
      await run();
    } catch (error) {
      this.report(error);
    }
  }

  /** Calls a listener. Its errors are ignored, because they have no receiver. */
  async report(error) {
    try {
      await callable(property(this.#transport, 'onerror'))?.call(this.#transport, error);
    } catch {}
  }
}

/** Makes a task of the service that settles without a value. */
const serviceTask = (call) =>
  promised(
    call,
    () => undefined,
    (text) => fault('MODEL_REQUEST_FAILED', text),
  );

exports.serveIntentMcp = async (config) => {
  const owned = ownedIntents();
  const read = readMcpConfig(config, owned);
  const bridge = buildBridge(read);
  const names = read.instances.map(([name]) => name);
  const connection = read.transport && new Connection(read.transport);

  let mcp;
  let forget;
  const messages = { message: (text) => void connection.send(text) };
  begin(messages, (host, id, forgetTask) => {
    forget = forgetTask;
    mcp = buildOrThrow('CONFIG_INVALID', () =>
      host.serve(id, bridge, names, connection !== undefined),
    );
    return [];
  });

  const closed = serviceTask((host, id) => host.served(id, mcp))
    .catch((error) => connection?.report(error))
    .then(async () => {
      bridge.close();
      owned.dispose();
      await connection?.close();
      forget();
    });
  let closing;
  const close = () => {
    closing ??= serviceTask((host, id) => host.stop(id, mcp)).then(() => closed);
    return closing;
  };

  try {
    await connection?.start(mcp);
  } catch (error) {
    await close();
    throw error;
  }
  return { close, closed };
};
