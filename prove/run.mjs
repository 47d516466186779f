// Runs the whole proof, one part after the other, each in its own process.
//
//   npm run prove                    the long form: hours
//   npm run prove -- --short         minutes
//   npm run prove -- leaks faults    only these parts
//
// Slowness alone fails no part except `bounds`, which compares processor time with its aims.

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
    // A fixed seed, so that findings of the short form can be reproduced.
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

/** Parts that are too slow for the short form; they run only if they are named. */
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
