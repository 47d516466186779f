'use strict';
// Reads properties, and ignores those of Object.prototype. A library or an attack that writes to
// Object.prototype adds a property to every object; it must not influence this package.

const { getPrototypeOf, hasOwn } = Object;
const ROOT = Object.prototype;

/** The longest prototype chain to follow; only a proxy that invents prototypes has a longer one. */
const MOST_CLASSES = 100;

/** Returns the value of an own property, for objects that this package or the addon made. */
const own = (object, key) => (hasOwn(object, key) ? object[key] : undefined);

/** Returns whether an object or one of its classes has a property, without Object.prototype. */
const has = (object, key) => {
  let holder = object;
  for (let i = 0; i < MOST_CLASSES && holder !== null && holder !== ROOT; i++) {
    if (hasOwn(holder, key)) return true;
    holder = getPrototypeOf(holder);
  }
  return false;
};

/** Reads a property of a caller's object once; the object may be an instance of any class. */
const property = (object, key) =>
  hasOwn(ROOT, key) && !has(object, key) ? undefined : object[key];

/** Adds a property like an assignment, but independent of inherited setters of that name. */
const define = (object, key, value) => {
  if (!(key in object)) object[key] = value;
  else
    Object.defineProperty(object, key, {
      __proto__: null,
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
};

/** Defines a property that is not enumerable, so that printing and copying leave it out. */
const hide = (object, key, value) =>
  Object.defineProperty(object, key, {
    __proto__: null,
    value,
    writable: true,
    enumerable: false,
    configurable: true,
  });

/** Sets a property of a caller's object, by its own or its class's setter if there is one, but not by one of Object.prototype. */
const assign = (object, key, value) => {
  if (hasOwn(ROOT, key) && !has(object, key)) define(object, key, value);
  else object[key] = value;
};

module.exports = { assign, define, has, hide, own, property };
