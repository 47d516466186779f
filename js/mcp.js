'use strict';
// The MCP server for JavaScript: stdio is served natively, a transport of the official SDK is
// bridged in message by message.

const { readMcpConfig } = require('./plain.js');
const { native, begin, promised } = require('./host.js');
const { builtOr, fault, isIntent } = require('./intent.js');
const { buildBridge } = require('./bridge.js');

const freeze = (value) => {
  if (typeof value === 'object' && value !== null) {
    Object.freeze(value);
    Object.values(value).forEach(freeze);
  }
  return value;
};

exports.MCP_TOOLS = freeze(JSON.parse(native.mcpTools()));

const nothing = () => undefined;
/** A task of the service that settles without a value. */
const settled = (call) =>
  promised(call, nothing, (event) => fault('MODEL_REQUEST_FAILED', event.text));

/** Connects a transport's callbacks to the addon, after those that it has. */
const bridgeIn = (transport, mcp) => {
  const { onclose, onmessage } = transport;
  transport.onmessage = (message, ...extra) => {
    onmessage?.call(transport, message, ...extra);
    let text;
    try {
      text = JSON.stringify(message);
    } catch (error) {
      transport.onerror?.(error);
      return;
    }
    if (text !== undefined) mcp.receive(text);
  };
  transport.onclose = () => {
    onclose?.call(transport);
    mcp.end();
  };
};

exports.serveIntentMcp = async (config) => {
  const read = readMcpConfig(config, isIntent);
  const { transport } = read;
  const bridge = buildBridge(read);
  const names = read.instances.map(([name]) => name);

  // Outgoing messages leave one after the other.
  let sending = Promise.resolve();
  const send = (text) => {
    sending = sending
      .then(() => transport.send(JSON.parse(text)))
      .catch((error) => transport.onerror?.(error));
  };
  let mcp;
  let forget;
  begin({ message: send, end: nothing }, (host, id, forgetTask) => {
    forget = forgetTask;
    mcp = builtOr('CONFIG_INVALID', () => host.serve(id, bridge, names, transport !== undefined));
    return [];
  });

  const ended = settled((host, id) => host.served(id, mcp));
  let over = false;
  const closed = ended.then(async () => {
    over = true;
    bridge.close();
    if (transport !== undefined) {
      await sending;
      await Promise.resolve(transport.close()).catch((error) => transport.onerror?.(error));
    }
    forget();
  });
  let closing;
  const close = () => {
    closing ??= over ? closed : settled((host, id) => host.stop(id, mcp)).then(() => closed);
    return closing;
  };

  if (transport !== undefined) {
    bridgeIn(transport, mcp);
    try {
      await transport.start();
    } catch (error) {
      await close();
      throw error;
    }
  }
  return { close, closed };
};
