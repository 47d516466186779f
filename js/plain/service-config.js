'use strict';
// Reads the configurations of `createIntentBridge` and `serveIntentMcp`.

const { jsonText } = require('../json.js');
const { blank, entriesOf, kind, member, partsAt, readMembers, scalarAt } = require('./objects.js');
const { Refusal, refused } = require('./refusal.js');

const READERS = {
  maxJobs: scalarAt,
  maxReplayEntries: scalarAt,
  maxReplayBytes: scalarAt,
  jobTtlMs: scalarAt,
  replayTtlMs: scalarAt,
};
const KEYS = { instances: undefined, ...blank(READERS) };

/**
 * Reads the configuration of `createIntentBridge`.
 *
 * @param {unknown} config
 * @param {{ isIntent(value: unknown): boolean, make(config: object): object }} owned
 * @returns {{ instances: [name: string, intent: object][], json: string, unread: object[] }} `json` has the
 * given capacities.
 * @throws {IntentError} `CONFIG_INVALID`, stage `config`.
 */
function readBridgeConfig(config, owned) {
  try {
    return bridgeOf(readMembers(config, 'config', { ...KEYS }), owned);
  } catch (thrown) {
    throw refused(thrown, 'CONFIG_INVALID', 'config');
  }
}

/**
 * Reads the configuration of `serveIntentMcp`: that of {@link readBridgeConfig}, and the transport.
 *
 * @returns {{
 *   instances: [name: string, intent: object][],
 *   json: string,
 *   unread: object[],
 *   transport: object | undefined,
 * }}
 * @throws {IntentError} `CONFIG_INVALID`, stage `config`.
 */
function readMcpConfig(config, owned) {
  try {
    const read = readMembers(config, 'config', { ...KEYS, transport: undefined });
    const { transport } = read;
    if (transport !== undefined) checkTransport(transport);
    return { ...bridgeOf(read, owned), transport };
  } catch (thrown) {
    throw refused(thrown, 'CONFIG_INVALID', 'config');
  }
}

function bridgeOf(read, owned) {
  const unread = [];
  const json = jsonText(partsAt(read, READERS, unread));
  return { instances: instancesOf(read.instances, owned), json, unread };
}

function instancesOf(instances, owned) {
  if (kind(instances) !== 'an object')
    throw new Refusal(
      `instances must be a plain object of Intents by name, got ${kind(instances)}`,
    );
  const entries = entriesOf(instances, 'instances').map(([name, given]) => {
    if (owned.isIntent(given)) return [name, given];
    if (kind(given) !== 'an object')
      throw new Refusal(
        `${member('instances', name)} must be an Intent of this package or its configuration, got ${kind(given)}`,
      );
    try {
      return [name, owned.make(given)];
    } catch (error) {
      const message = `${member('instances', name)}: ${error.message.replace(/\.$/, '')}`;
      throw new Refusal(message, { code: error.code });
    }
  });
  if (entries.length === 0) throw new Refusal('instances must hold at least one Intent');
  return entries;
}

/** Checks a transport. It may be an instance of any class; only its methods are checked. */
function checkTransport(transport) {
  if (typeof transport !== 'object' || transport === null)
    throw new Refusal(`transport must be an MCP transport, got ${kind(transport)}`);
  for (const name of ['start', 'send', 'close'])
    if (typeof transport[name] !== 'function')
      throw new Refusal(`transport.${name} must be a function, got ${kind(transport[name])}`);
}

module.exports = { readBridgeConfig, readMcpConfig };
