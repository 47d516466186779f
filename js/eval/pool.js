'use strict';
// A pool of Intents for cases. Each Intent runs one case at a time, so that every question to its executor
// belongs to that case, which is in `slot.session`. Cases with the same schema and configuration share a few Intents.

const { Intent } = require('../intent.js');

/** The number of idle Intents that are kept; cases with the same schema are usually adjacent. */
const MOST_IDLE = 64;

class Pool {
  #make;
  #idle = new Map();
  #idleCount = 0;
  /** The keys of schemas by object, because the cases of one reader share their schema objects. */
  #keys = new WeakMap();

  /** @param {(slot) => executor} make - Makes the executor of a slot; it reads `slot.session`. */
  constructor(make) {
    this.#make = make;
  }

  acquire(schema, config) {
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

  release(slot) {
    slot.session = undefined;
    const list = this.#idle.get(slot.key) ?? [];
    list.push(slot);
    // Delete and set, so that the map is ordered by last use.
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
