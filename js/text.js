// Rules for texts in JavaScript; src/text.rs has their counterparts.

const { closest } = require('./addon.js');

const MOST = 100;
// Control characters, line separators and bidirectional overrides, with which a name could forge a message.
const RISKY = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;
const EACH_RISKY = new RegExp(RISKY, 'g');
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Prepares a name for a message: at most 100 characters, with risky characters escaped. */
function shown(name) {
  let text = name.toWellFormed();
  if (text.length > MOST) {
    // 200 code units contain at least 100 characters.
    const characters = Array.from(text.slice(0, 2 * MOST + 2));
    if (characters.length > MOST) text = `${characters.slice(0, MOST).join('')}…`;
  }
  return RISKY.test(text)
    ? text.replace(EACH_RISKY, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
    : text;
}

/** Returns {@link shown} in double quotes. */
function quoted(name) {
  return `"${shown(name)}"`;
}

/** Returns ` (did you mean "..."?)` if a known name is close, otherwise an empty text. */
function didYouMean(name, known) {
  const best = closest(name, known);
  return best === null ? '' : ` (did you mean "${best}"?)`;
}

/**
 * Prepares a candidate's text for the native side. A text with a lone surrogate cannot cross, and
 * replacing the surrogate would change the text. It is therefore written as `\u{d800}`, which the strict
 * reader refuses at every place (crates/strict-json/src/reader.rs, `hex4`). After an odd number of backslashes, the last
 * of them is used as the backslash of the escape.
 */
function wellFormed(text) {
  if (text.isWellFormed()) return text;
  return text.replace(LONE_SURROGATE, (unit, at) => {
    let backslashes = 0;
    while (text[at - 1 - backslashes] === '\\') backslashes++;
    return `${backslashes % 2 === 0 ? '\\' : ''}u{${unit.charCodeAt(0).toString(16)}}`;
  });
}

module.exports = { shown, quoted, didYouMean, wellFormed };
