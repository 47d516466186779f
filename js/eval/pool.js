'use strict';
// A pool of Intents for cases. Each Intent runs one case at a time, so that the questions to its executor
// belong to that case. Cases with the same schema and configuration share a few Intents.

const { Intent } = require('../intent.js');

/** The number of idle Intents that are kept; cases with the same schema are usually adjacent. */
const MOST_IDLE = 64;

class Pool {
  #make;
  #idle = new Map();
  #idleCount = 0;
  /** The last schema objects and their keys; the cases of one reader share these objects. */
  #keys = new WeakMap();

  /** @param {(slot) => executor} make - The executor of a slot; it reads `slot.session`. */
  constructor(make) {
    this.#make = make;
  }

  take(schema, config) {
    const key = `${this.#schemaKey(schema)} ${JSON.stringify(config)}`;
    const list = this.#idle.get(key);
    const slot = list?.pop();
    if (slot === undefined) return this.#build(key, schema, config);
    this.#idleCount -= 1;
    return slot;
  }

  #schemaKey(schema) {
    if (schema === undefined) return '';
    let key = this.#keys.get(schema);
    if (key === undefined) {
      key = JSON.stringify(schema);
      this.#keys.set(schema, key);
    }
    return key;
  }

  #build(key, schema, config) {
    const slot = { key, session: undefined, intent: undefined };
    slot.intent = new Intent({ ...config, schema, executor: this.#make(slot) });
    return slot;
  }

  give(slot) {
    slot.session = undefined;
    const list = this.#idle.get(slot.key) ?? [];
    list.push(slot);
    // Set again, so that the order of the map is the order of use.
    this.#idle.delete(slot.key);
    this.#idle.set(slot.key, list);
    this.#idleCount += 1;
    if (this.#idleCount > MOST_IDLE) this.#dropOldest();
  }

  #dropOldest() {
    for (const [key, list] of this.#idle) {
      const slot = list.shift();
      if (list.length === 0) this.#idle.delete(key);
      if (slot === undefined) continue;
      this.#idleCount -= 1;
      slot.intent.dispose();
      return;
    }
  }

  async close() {
    const slots = [...this.#idle.values()].flat();
    this.#idle.clear();
    await Promise.all(slots.map(({ intent }) => intent.dispose()));
  }
}

module.exports = { Pool };
