'use strict';
// Creates a bridge of the addon, for the JavaScript Bridge and for the MCP server.

const addon = require('./addon.js');
const { buildOrThrow, nativeOf } = require('./intent.js');

/** Creates the addon's bridge from a configuration that was read. */
exports.buildBridge = ({ instances, json, unread }) => {
  const names = instances.map(([name]) => name);
  const intents = instances.map(([, intent]) => nativeOf(intent));
  return buildOrThrow('CONFIG_INVALID', () => addon.createBridge(json, unread, names, intents));
};
