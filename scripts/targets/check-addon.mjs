// Checks addons for Linux: what they need, what they name, what they leave out.
//
//   node scripts/targets/check-addon.mjs FILE...

import { basename } from 'node:path';
import { addonFaults, readAddon } from './binary.mjs';

for (const file of process.argv.slice(2)) {
  const [, platform] = basename(file).split('.');
  const [, arch, libc] = platform.split('-');
  const facts = readAddon(file);
  const needs = facts.glibc ? `glibc ${facts.glibc}, ` : '';
  console.log(`${file} needs ${needs}${facts.needed.join(', ')}; build id ${facts.buildId}.`);
  for (const fault of addonFaults(facts, { arch, libc })) {
    console.error(`${file} ${fault}.`);
    process.exitCode = 1;
  }
}
