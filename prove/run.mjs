// The whole proof, one part after the other, each in a process of its own.
//
//   npm run prove                    the long form: hours
//   npm run prove -- --short         minutes
//   npm run prove -- leaks faults    these parts alone
//
// Nothing here fails for being slow, save `bounds`, which counts time on a processor against aims.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const short = process.argv.includes('--short');
const named = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const script = (name) => fileURLToPath(new URL(name, import.meta.url));

const PARTS = {
  fuzz: [
    script('../scripts/fuzz.mjs'),
    `--seconds=${short ? 6 : 1800}`,
    `--runs=${short ? -1 : 10_000_000}`,
    // What the short form finds, it finds again.
    `--seed=${short ? 1 : 0}`,
    `--profile=${short ? 'short' : 'release'}`,
  ],
  bounds: ['--expose-gc', script('bounds.mjs')],
  load: [script('load.mjs')],
  leaks: ['--expose-gc', script('leaks.mjs')],
  faults: [script('faults.mjs')],
  exits: [script('exits.mjs')],
  panics: [script('panics.mjs')],
  secrets: [script('secrets.mjs')],
  memory: [script('memory.mjs')],
};

/** Too slow for the short form, unless it is named. */
const LONG_ONLY = ['memory'];

const unknown = named.find((name) => !(name in PARTS));
if (unknown !== undefined) {
  console.error(`prove: no part ${unknown}; there are ${Object.keys(PARTS).join(', ')}`);
  process.exit(1);
}
const failed = Object.entries(PARTS)
  .filter(([name]) =>
    named.length === 0 ? !short || !LONG_ONLY.includes(name) : named.includes(name),
  )
  .filter(([name, args]) => {
    const more = short && name !== 'fuzz' ? ['--short'] : [];
    const { status } = spawnSync(process.execPath, [...args, ...more], { stdio: 'inherit' });
    return status !== 0;
  })
  .map(([name]) => name);
if (failed.length > 0) {
  console.error(`prove: FAILED: ${failed.join(', ')}`);
  process.exit(1);
}
console.log('prove: all of it holds');
