'use strict';
// Reading objects so that what everything inherits belongs to nobody. A library or an attack that
// writes to Object.prototype gives every object its property; none of them may steer this package.

const { getPrototypeOf, hasOwn } = Object;
const ROOT = Object.prototype;

/** More classes than that stand above no object, only above a proxy that invents them. */
const MOST_CLASSES = 100;

/** The value of an own property, for objects that this package or the addon made. */
const own = (object, key) => (hasOwn(object, key) ? object[key] : undefined);

/** Whether an object or one of its classes has a property; Object.prototype counts for none. */
const has = (object, key) => {
  let holder = object;
  for (let i = 0; i < MOST_CLASSES && holder !== null && holder !== ROOT; i++) {
    if (hasOwn(holder, key)) return true;
    holder = getPrototypeOf(holder);
  }
  return false;
};

/** A property of a caller's object, which may be an instance of any class. It is read once. */
const property = (object, key) =>
  hasOwn(ROOT, key) && !has(object, key) ? undefined : object[key];

/** Gives an object a property as an assignment does, but whatever it inherits of that name. */
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

/** Sets a property of a caller's object, which may have a setter for it; what everything inherits is none. */
const assign = (object, key, value) => {
  if (hasOwn(ROOT, key) && !has(object, key)) define(object, key, value);
  else object[key] = value;
};

module.exports = { assign, define, has, own, property };
