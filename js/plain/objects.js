'use strict';
// Reads plain objects: the prototype is null or the Object.prototype of any realm, the keys are own,
// enumerable and known, and no property is an accessor. Getters of a plain object are never called.
//
// Scalars cross to the addon unchanged. If only a scalar is allowed, an array crosses as `[]` and an object as
// `{}`; the addon refuses them, and their size does not matter. A value that JSON cannot carry crosses as `null`,
// which no such place may be, and its place and kind in the list `unread`.

const { didYouMean, quoted, shown } = require('../text.js');
const { Refusal } = require('./refusal.js');

const { getOwnPropertyDescriptor, getPrototypeOf } = Object;
const { ownKeys } = Reflect;
const hasOwn = Object.hasOwn;

const SURROGATE = 'holds a lone surrogate, which no text can carry';

/** Returns whether an object's prototype is null or the Object.prototype of any realm. */
function isPlain(object) {
  const proto = getPrototypeOf(object);
  return (
    proto === Object.prototype ||
    proto === null ||
    (getPrototypeOf(proto) === null &&
      hasOwn(proto, 'isPrototypeOf') &&
      hasOwn(proto, 'hasOwnProperty'))
  );
}

/** Returns the name of an object's class, without running code of the class. */
function classOf(object) {
  const maker = Object.getOwnPropertyDescriptor(getPrototypeOf(object), 'constructor')?.value;
  const name = typeof maker === 'function' && Object.getOwnPropertyDescriptor(maker, 'name')?.value;
  return typeof name === 'string' && name !== '' ? shown(name) : 'a class';
}

/** Describes the kind of a value for messages; never the value itself, which may be secret or long. */
function kind(value) {
  switch (typeof value) {
    case 'undefined':
      return 'undefined';
    case 'number':
      return Number.isFinite(value) ? 'a number' : String(value);
    case 'object':
      if (value === null) return 'null';
      if (Array.isArray(value)) return 'an array';
      return isPlain(value) ? 'an object' : `an instance of ${classOf(value)}`;
    default:
      return `a ${typeof value}`;
  }
}

/**
 * Reads the values of a plain object by its known keys.
 *
 * @param {object} into - Has every known key, and receives the values.
 */
function readMembers(value, what, into) {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Refusal(`${what} must be a plain object, got ${kind(value)}`);
  if (!isPlain(value))
    throw new Refusal(
      `${what} must be a plain object, got ${kind(value)}; copy its properties into one: { ...it }`,
    );
  const keys = ownKeys(value);
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i];
    if (typeof key === 'symbol' || !hasOwn(into, key)) throw unknownKey(what, key, into);
    into[key] = dataOf(value, key, what);
  }
  return into;
}

/** Returns the value of one own property, which must be enumerable and not an accessor. */
function dataOf(object, key, what) {
  const property = getOwnPropertyDescriptor(object, key);
  if (property === undefined) return undefined;
  if (!hasOwn(property, 'value'))
    throw new Refusal(`${member(what, key)} must be a value, not an accessor`);
  if (!property.enumerable) throw new Refusal(`${member(what, key)} must be enumerable`);
  return property.value;
}

function unknownKey(what, key, known) {
  if (typeof key === 'symbol')
    return new Refusal(`${what} must not have symbols as keys, got ${shown(String(key))}`);
  const names = Object.keys(known);
  const guess = didYouMean(key, names);
  const rest = guess || (names.length > 8 ? '' : `; it takes ${names.join(', ')}`);
  return new Refusal(`${what}: unknown key ${quoted(key)}${rest}`);
}

/** Appends a name to a path: `a.b`, or `a["b c"]` if a dot would be misleading. */
function member(path, key) {
  if (typeof key === 'number') return `${path}[${key}]`;
  const whole = path === 'config' || path === 'request' ? '' : path;
  if (!/^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(key)) return `${whole}[${quoted(key)}]`;
  return whole === '' ? shown(key) : `${whole}.${shown(key)}`;
}

/**
 * Reads the elements of an array, which must have no holes, accessors or other properties.
 *
 * @param {() => string} what
 */
function readElements(array, what) {
  const { length } = array;
  const elements = [];
  for (let i = 0; i < length; i++) {
    const property = getOwnPropertyDescriptor(array, i);
    if (property === undefined) throw new Refusal(`${what()} has a hole at index ${i}`);
    if (!hasOwn(property, 'value'))
      throw new Refusal(`${what()}[${i}] must be a value, not an accessor`);
    elements.push(property.value);
  }
  if (Object.keys(array).length !== length)
    throw new Refusal(`${what()} is an array with keys besides its elements`);
  return elements;
}

/**
 * Returns a scalar that JSON can carry unchanged, an empty array or object for an array or object, and
 * `undefined` for a value that JSON cannot carry.
 */
function scalarOf(value) {
  switch (typeof value) {
    case 'string':
      return value.isWellFormed() ? value : undefined;
    case 'number':
      return Number.isFinite(value) ? value : undefined;
    case 'boolean':
      return value;
    case 'object':
      if (value === null) return null;
      if (Array.isArray(value)) return [];
      return isPlain(value) ? {} : undefined;
    default:
      return undefined;
  }
}

/** Returns the {@link scalarOf} a value. If JSON cannot carry it, returns `null` and adds its place to `unread`. */
function scalarAt(value, place, unread) {
  const read = scalarOf(value);
  return read === undefined ? noted(value, place, unread) : read;
}

/** Reads an array of scalars, up to the first that is refused. */
function scalarsAt(values, place, unread) {
  return Array.isArray(values)
    ? elementsAt(values, place, unread, scalarAt)
    : scalarAt(values, place, unread);
}

/** Reads the elements of an array, up to the first that is refused. */
function elementsAt(array, place, unread, read) {
  const elements = readElements(array, () => place);
  const before = unread.length;
  for (let i = 0; i < elements.length; i++) {
    elements[i] = read(elements[i], `${place}[${i}]`, unread);
    if (unread.length > before) elements.length = i + 1;
  }
  return elements;
}

/** Reads a plain object of scalars with names of the caller's own. */
function entriesAt(object, place, unread) {
  if (kind(object) !== 'an object') return scalarAt(object, place, unread);
  const read = { __proto__: null };
  for (const [name, value] of entriesOf(object, place))
    read[name] = scalarAt(value, `${place}.${name}`, unread);
  return read;
}

/** Returns the entries of a plain object with names of the caller's own. */
function entriesOf(object, what) {
  return ownKeys(object).map((name) => {
    if (typeof name === 'symbol') throw unknownKey(what, name, {});
    if (!name.isWellFormed()) throw new Refusal(`${member(what, name)}: the name ${SURROGATE}`);
    return [name, dataOf(object, name, what)];
  });
}

/** Calls the reader of each member that is given. */
function partsAt(values, readers, unread, prefix = '') {
  const parts = { __proto__: null };
  for (const name of Object.keys(readers))
    if (values[name] !== undefined)
      parts[name] = readers[name](values[name], prefix + name, unread);
  return parts;
}

/**
 * Adds a place to `unread`, and returns `null`, which is written there. An entry has the kind of the value, or no
 * kind for a text with a lone surrogate. Its keys are own properties, which the addon looks up.
 */
function noted(value, place, unread, hint = '') {
  const found = typeof value === 'string' ? undefined : `${kind(value)}${hint}`;
  unread.push({ place, kind: found, fault: undefined });
  return null;
}

/** Returns whether a value is a text that JSON can carry. */
function isText(value) {
  return typeof value === 'string' && value.isWellFormed();
}

const blank = (names) => Object.fromEntries(Object.keys(names).map((name) => [name, undefined]));

module.exports = {
  SURROGATE,
  blank,
  elementsAt,
  entriesAt,
  entriesOf,
  isPlain,
  isText,
  kind,
  member,
  noted,
  partsAt,
  readElements,
  readMembers,
  scalarAt,
  scalarsAt,
};
