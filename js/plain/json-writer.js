'use strict';
// JSON text of a caller's object graph.

const { has } = require('../own.js');
const { SURROGATE, isPlain, kind, member, readElements } = require('./objects.js');
const { Refusal } = require('./refusal.js');

const { getOwnPropertyDescriptor, hasOwn } = Object;

/** Whether a value or its class has a `toJSON`; one that everything inherits says nothing. */
const hasToJSON = (value) =>
  'toJSON' in value &&
  has(value, 'toJSON') &&
  (hasOwn(value, 'toJSON') || !hasOwn(Array.prototype, 'toJSON'));

/** Text that JSON writes as it is. */
const UNESCAPED = /^[ !#-[\]-~]*$/;

/** A JSON string. The names and values of most schemas need no escape, and no call. */
const quote = (text) => (UNESCAPED.test(text) ? `"${text}"` : JSON.stringify(text));

/**
 * Writes an object graph as JSON text, and names the path of what JSON cannot carry. Each part is
 * read once, and nothing of the caller's is called.
 */
class JsonWriter {
  #bounds;
  #room;
  #path = [];
  /** The objects that hold the present one. */
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
    // An own enumerable one is looked at below, like every other property.
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

  /** Symbols and what is not enumerable are marks of libraries, and no part of the schema. */
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

  /** At least so many characters go into the text. */
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
