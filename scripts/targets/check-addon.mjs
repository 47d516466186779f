// Checks addons for Linux and Windows: what they need, what they name, what they leave out.
//
//   node scripts/targets/check-addon.mjs FILE...

import { inspect, platformOf } from './binary.mjs';

for (const file of process.argv.slice(2)) {
  const { needs, faults } = inspect(file, platformOf(file));
  console.log(`${file} needs ${needs.join(', ')}.`);
  for (const fault of faults) {
    console.error(`${file} ${fault}.`);
    process.exitCode = 1;
  }
}
