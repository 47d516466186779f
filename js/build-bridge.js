'use strict';
// A bridge of the addon: the Bridge for JavaScript and the MCP server both begin with one.

const addon = require('./addon.js');
const { builtOr, nativeOf } = require('./intent.js');

/** The addon's bridge for a configuration that was read. */
exports.buildBridge = ({ instances, json }) => {
  const names = instances.map(([name]) => name);
  const intents = instances.map(([, intent]) => nativeOf(intent));
  return builtOr('CONFIG_INVALID', () => addon.createBridge(json, names, intents));
};
