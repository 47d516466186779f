'use strict';
// Writes a caller's object graph as JSON text.

const { has } = require('../properties.js');
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

/** The strings that are kept as written: this many, each of at most so many characters. */
const MOST_WRITTEN = 64;
const MOST_LENGTH = 24;

const KEY_SURROGATE = `the key ${SURROGATE}`;

/**
 * Writes an object graph as JSON text. If a value cannot be written as JSON, the error names its path. Each
 * part is read once, and no function of the caller is called.
 */
class JsonWriter {
  #bounds;
  #room;
  #text = '';
  /** Short strings as they were written: a schema repeats its keywords. */
  #written = new Map();
  #path = [];
  /** The objects that contain the current one. */
  #open = [];

  constructor(bounds) {
    this.#bounds = bounds;
    this.#room = bounds.room;
  }

  write(value) {
    this.#value(value);
    return this.#text;
  }

  #value(value) {
    switch (typeof value) {
      case 'string':
        this.#string(value, SURROGATE);
        return;
      case 'number':
        if (!Number.isFinite(value)) break;
        this.#count(2);
        this.#text += JSON.stringify(value);
        return;
      case 'boolean':
        this.#count(5);
        this.#text += value;
        return;
      case 'object':
        if (value !== null) {
          this.#container(value);
          return;
        }
        this.#count(5);
        this.#text += 'null';
        return;
      default:
    }
    this.#refuse(`must be a JSON value, got ${kind(value)}`);
  }

  /** Writes a string. Most names and values of schemas need no escapes, and so no call of JSON.stringify. */
  #string(text, surrogate) {
    // Before it is written: the limit bounds memory as well.
    this.#count(text.length + 3);
    let written = this.#written.get(text);
    if (written === undefined) {
      const plain = UNESCAPED.test(text);
      if (!plain && !text.isWellFormed()) this.#refuse(surrogate);
      written = plain ? `"${text}"` : JSON.stringify(text);
      if (text.length <= MOST_LENGTH && this.#written.size < MOST_WRITTEN)
        this.#written.set(text, written);
    }
    this.#text += written;
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
    if (Array.isArray(value)) this.#elements(value);
    else this.#members(value);
    this.#open.pop();
  }

  #elements(array) {
    const elements = readElements(array, () => this.#at());
    this.#text += '[';
    for (let i = 0; i < elements.length; i++) {
      if (i > 0) this.#text += ',';
      this.#path.push(i);
      this.#value(elements[i]);
      this.#path.pop();
    }
    this.#text += ']';
  }

  /** Symbol keys and non-enumerable properties are marks of libraries, not parts of the schema. */
  #members(object) {
    const keys = Object.keys(object);
    this.#text += '{';
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i];
      if (i > 0) this.#text += ',';
      this.#path.push(key);
      this.#string(key, KEY_SURROGATE);
      this.#text += ':';
      const property = getOwnPropertyDescriptor(object, key);
      if (!hasOwn(property, 'value')) this.#refuse('must be a value, not an accessor');
      this.#value(property.value);
      this.#path.pop();
    }
    this.#text += '}';
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
