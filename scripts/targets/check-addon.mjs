// Checks addons for Linux and Windows: their required libraries, their symbols, their protections. The exit code
// is 1 if one has a fault or could not be checked.
//
//   node scripts/targets/check-addon.mjs FILE...

import { inspect, platformOf } from './binary.mjs';

/** Returns the faults of a file, in words. */
const faultsOf = (file) => {
  try {
    const { needs, faults } = inspect(file, platformOf(file));
    console.log(`${file} needs ${needs.join(', ')}.`);
    return faults.map((fault) => `${file} ${fault}`);
  } catch ({ message }) {
    return [message];
  }
};

for (const fault of process.argv.slice(2).flatMap(faultsOf)) {
  console.error(`${fault}.`);
  process.exitCode = 1;
}
