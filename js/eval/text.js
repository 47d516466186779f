'use strict';
// Compares a text with an expectation: strict about its content, flexible about its spelling.
// docs/evaluation.md documents these rules.

const CJK = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}';
const SPACE_BESIDE_CJK = new RegExp(`(?<=[${CJK}])\\s+|\\s+(?=[${CJK}])`, 'gu');
const GROUPING = /(?<=\d),(?=\d{3}(?!\d))/g;

/**
 * Normalises a text for comparison: NFKC (full-width becomes half-width), lower case, without thousands
 * separators, with single spaces and no spaces beside Chinese, Japanese or Korean.
 */
function normal(text) {
  return String(text)
    .normalize('NFKC')
    .toLowerCase()
    .replace(GROUPING, '')
    .replace(SPACE_BESIDE_CJK, '')
    .replace(/\s+/g, ' ')
    .trim();
}

const isDigit = (c) => c !== undefined && c >= '0' && c <= '9';
const isLatin = (c) => c !== undefined && /[\p{Script=Latin}]/u.test(c);

/**
 * Returns whether a normalised text contains a term. A number must be a whole number of the text (`88` is
 * not in `880`); a word in Latin letters must match from the start of a word (`port` is not in `export`, but
 * is in `ports`).
 */
function holds(text, term) {
  const wanted = normal(term);
  if (wanted === '') return true;
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    const before = text[at - 1];
    const after = text[at + wanted.length];
    const first = wanted[0];
    const last = wanted[wanted.length - 1];
    const inNumber = (isDigit(first) && isDigit(before)) || (isDigit(last) && isDigit(after));
    const inWord = isLatin(first) && isLatin(before);
    if (!inNumber && !inWord) return true;
  }
  return false;
}

const listOf = (value) => (value === undefined ? [] : Array.isArray(value) ? value : [value]);

/**
 * Describes the part of a text expectation that a text does not meet; `undefined` if it meets all.
 *
 * A string is short for `{ all: [it] }`. For an array inside `all`, one of its terms is enough.
 */
function textFault(expected, text) {
  const wanted = typeof expected === 'string' ? { all: [expected] } : expected;
  const subject = normal(text ?? '');
  for (const group of listOf(wanted.all)) {
    const terms = listOf(group);
    if (!terms.some((term) => holds(subject, term))) return `does not say ${anyOf(terms)}`;
  }
  const any = listOf(wanted.any);
  if (any.length > 0 && !any.some((term) => holds(subject, term)))
    return `does not say ${anyOf(any)}`;
  const said = listOf(wanted.none).find((term) => holds(subject, term));
  if (said !== undefined) return `says "${said}"`;
  const equals = listOf(wanted.equals);
  if (equals.length > 0 && !equals.some((one) => normal(one) === subject))
    return `is not ${anyOf(equals)}`;
  for (const pattern of listOf(wanted.pattern))
    if (!new RegExp(pattern, 'iu').test(String(text ?? '').normalize('NFKC')))
      return `does not match /${pattern}/`;
  return undefined;
}

const anyOf = (terms) => terms.map((term) => `"${term}"`).join(' or ');

module.exports = { normal, holds, textFault, listOf };
