// Rules for texts in JavaScript; src/text.rs has their counterparts.

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
  let best;
  let least = Math.max(1, Math.floor(name.length / 3)) + 1;
  if (name.length <= MOST)
    for (const candidate of known) {
      const steps = distance(name.toLowerCase(), candidate.toLowerCase());
      if (steps < least) [best, least] = [candidate, steps];
    }
  return best === undefined ? '' : ` (did you mean "${best}"?)`;
}

/** The edit distance of two names: insertions, deletions, replacements and swaps of neighbours. */
function distance(a, b) {
  let before = [];
  let last = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    [before, last, row] = [last, row, [i]];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      row[j] = Math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        row[j] = Math.min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.length];
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
