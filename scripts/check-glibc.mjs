// The oldest glibc that an addon runs with, read off its symbols: a build machine that is newer
// than expected would shut out older systems without a word.
//
//   node scripts/check-glibc.mjs FILE [HIGHEST]

import { execFileSync } from 'node:child_process';

const [file, highest = '2.17'] = process.argv.slice(2);
const readelf = (option) =>
  execFileSync('readelf', ['--wide', option, file], { encoding: 'utf8', maxBuffer: 1 << 28 });

/** What every Linux system with that C library has. */
const EVERYWHERE = /^(lib(c|m|dl|rt|pthread|gcc_s)\.so\.\d|ld-linux-[\w-]+\.so\.\d)$/;

const needed = [...readelf('--dynamic').matchAll(/\(NEEDED\).*\[(.+)\]/g)].map(([, name]) => name);
const versions = [...new Set(readelf('--version-info').match(/(?<=Name: GLIBC_)[\d.]+/g))];
const order = new Intl.Collator('en', { numeric: true }).compare;
const newest = versions.sort(order).at(-1);
const strange = needed.filter((name) => !EVERYWHERE.test(name));

console.log(`${file} needs glibc ${newest} and ${needed.join(', ')}.`);
if (newest === undefined) fail('It names no version of glibc; is it built for glibc at all?');
if (order(newest, highest) > 0) {
  const symbols = readelf('--dyn-syms').match(new RegExp(`\\S+@+GLIBC_${newest} `, 'g')) ?? [];
  fail(`That is newer than ${highest}: ${symbols.join(' ')}`);
}
if (strange.length > 0) fail(`Not every system has ${strange.join(', ')}.`);

function fail(message) {
  console.error(message);
  process.exitCode = 1;
}
