'use strict';
// Writes a caller's object graph as JSON text.

const { has } = require('../own.js');
const { SURROGATE, isPlain, kind, member, readElements } = require('./objects.js');
const { Refusal } = require('./refusal.js');

const { getOwnPropertyDescriptor, hasOwn } = Object;

/** Returns whether a value or its class has a `toJSON`; one on Object.prototype does not count. */
const hasToJSON = (value) =>
  'toJSON' in value &&
  has(value, 'toJSON') &&
  (hasOwn(value, 'toJSON') || !hasOwn(Array.prototype, 'toJSON'));

/** Matches text that needs no escapes in JSON. */
const UNESCAPED = /^[ !#-[\]-~]*$/;

/** Writes a JSON string. Most names and values of schemas need no escapes and therefore no call of JSON.stringify. */
const quote = (text) => (UNESCAPED.test(text) ? `"${text}"` : JSON.stringify(text));

/**
 * Writes an object graph as JSON text. If a value cannot be written as JSON, the error names its path. Each
 * part is read once, and no function of the caller is called.
 */
class JsonWriter {
  #bounds;
  #room;
  #path = [];
  /** The objects that contain the current one. */
  #open = [];

  constructor(bounds) {
    this.#bounds = bounds;
    this.#room = bounds.room;
  }

  write(value) {
    switch (typeof value) {
      case 'string':
        if (!value.isWellFormed()) this.#refuse(SURROGATE);
        this.#count(value.length + 3);
        return quote(value);
      case 'number':
        if (!Number.isFinite(value)) break;
        this.#count(2);
        return JSON.stringify(value);
      case 'boolean':
        this.#count(5);
        return String(value);
      case 'object':
        if (value !== null) return this.#container(value);
        this.#count(5);
        return 'null';
      default:
    }
    return this.#refuse(`must be a JSON value, got ${kind(value)}`);
  }

  #container(value) {
    if (this.#open.includes(value)) this.#refuse('holds itself; JSON cannot carry a cycle');
    if (this.#open.length === this.#bounds.nesting) throw this.#bounds.tooDeep();
    if (!Array.isArray(value) && !isPlain(value))
      this.#refuse(`must be a JSON value, got ${kind(value)}`);
    // An own enumerable `toJSON` is checked below, like every other property.
    if (hasToJSON(value) && getOwnPropertyDescriptor(value, 'toJSON')?.enumerable !== true)
      this.#refuse('must be a JSON value, not an object with a method toJSON');
    this.#count(2);
    this.#open.push(value);
    const text = Array.isArray(value) ? this.#elements(value) : this.#members(value);
    this.#open.pop();
    return text;
  }

  #elements(array) {
    const elements = readElements(array, () => this.#at());
    let text = '';
    for (let i = 0; i < elements.length; i++) {
      this.#path.push(i);
      text += i === 0 ? this.write(elements[i]) : `,${this.write(elements[i])}`;
      this.#path.pop();
    }
    return `[${text}]`;
  }

  /** Symbol keys and non-enumerable properties are marks of libraries, not parts of the schema. */
  #members(object) {
    let text = '';
    for (const key of Object.keys(object)) {
      this.#path.push(key);
      if (!key.isWellFormed()) this.#refuse(`the key ${SURROGATE}`);
      this.#count(key.length + 3);
      const property = getOwnPropertyDescriptor(object, key);
      if (!hasOwn(property, 'value')) this.#refuse('must be a value, not an accessor');
      text += `${text === '' ? '' : ','}${quote(key)}:${this.write(property.value)}`;
      this.#path.pop();
    }
    return `{${text}}`;
  }

  /** Reserves characters for the text; throws if they exceed the limit. */
  #count(characters) {
    this.#room -= characters;
    if (this.#room < 0) throw this.#bounds.tooLong();
  }

  #at() {
    const path = this.#path.reduce(member, this.#bounds.root);
    return path.length > 300 ? `${path.slice(0, 200)}…${path.slice(-90)}`.toWellFormed() : path;
  }

  #refuse(problem) {
    throw new Refusal(`${this.#at()}: ${problem}`);
  }
}

module.exports = { JsonWriter };
