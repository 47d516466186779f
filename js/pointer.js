'use strict';
// JSON Pointer (RFC 6901). crates/strict-json/src/pointer.rs has the counterparts.

/** Escapes a key for a pointer. */
const escapeToken = (key) => key.replaceAll('~', '~0').replaceAll('/', '~1');

/** Returns the keys of a pointer, from the root down. */
const tokensOf = (pointer) =>
  pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));

/** Returns the value at the end of a list of keys; `undefined` if there is none. */
const valueAt = (value, tokens) => {
  let here = value;
  for (const key of tokens) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, key)) return undefined;
    here = here[key];
  }
  return here;
};

module.exports = { escapeToken, tokensOf, valueAt };
