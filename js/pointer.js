'use strict';
// JSON Pointer (RFC 6901). src/text.rs has the counterparts.

/** A key as it stands in a pointer. */
const escapeToken = (key) => key.replaceAll('~', '~0').replaceAll('/', '~1');

/** The keys that a pointer names, from the root down. */
const tokensOf = (pointer) =>
  pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));

/** The value that keys lead to; `undefined` where they lead to nothing. */
const valueAt = (value, tokens) => {
  let here = value;
  for (const key of tokens) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, key)) return undefined;
    here = here[key];
  }
  return here;
};

module.exports = { escapeToken, tokensOf, valueAt };
