// Writes js/native.js as `napi build` does, from the exports of the addon that is there: for
// `ensure-built.mjs`, whose cargo build writes no loader, and for the test that compares the two.
//
//   node scripts/write-loader.mjs [folder]

import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeJsBinding } from '@napi-rs/cli';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const require = createRequire(import.meta.url);

/** Writes `native.js` into `outputDir`. */
export const writeLoader = (outputDir) => {
  const { napi, version } = require('../package.json');
  // napi puts the classes first, then the functions, each by name. Classes begin with a capital,
  // so this is the order of the code units.
  const idents = Object.keys(require('../js/native.js'))
    .filter((name) => !name.startsWith('__napi'))
    .sort();
  return writeJsBinding({
    platform: true,
    idents,
    jsBinding: 'native.js',
    binaryName: napi.binaryName,
    packageName: napi.packageName,
    version,
    outputDir,
  });
};

if (process.argv[1] === fileURLToPath(import.meta.url))
  await writeLoader(process.argv[2] ?? join(root, 'js'));
