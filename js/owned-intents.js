'use strict';
// The instances of a bridge or an MCP service: Intents of the caller, or configurations from which the
// service creates its own Intents.

const { Intent, isIntent } = require('./intent.js');

/** Recognises Intents, creates those that the service owns, and disposes only of these. */
const ownedIntents = () => {
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

module.exports = { ownedIntents };
