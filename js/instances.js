'use strict';
// The instances of a bridge or an MCP service: Intents of the caller, or configurations of which
// the service makes Intents of its own.

const { Intent, isIntent } = require('./intent.js');

/** Tells Intents, makes those that the service owns, and disposes these alone. */
const instanceKeeper = () => {
  const own = [];
  return {
    isIntent,
    make(config) {
      const intent = new Intent(config);
      own.push(intent);
      return intent;
    },
    dispose() {
      for (const intent of own.splice(0)) intent.dispose();
    },
  };
};

module.exports = { instanceKeeper };
