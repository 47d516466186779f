// Checks addons for Linux and Windows: what they need, what they name, what they leave out. The exit code is 1
// where one has a fault, or could not be checked.
//
//   node scripts/targets/check-addon.mjs FILE...

import { inspect, platformOf } from './binary.mjs';

/** What is wrong with a file, in words. */
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
