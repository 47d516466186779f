// Writes js/addon-loader.js like `npm run build`, from the exports of the existing addon. It is used by
// `ensure-built.mjs`, whose cargo build writes no loader, and by the test that compares the two.
//
//   node scripts/write-loader.mjs [folder]

import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeJsBinding } from '@napi-rs/cli';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const require = createRequire(import.meta.url);

/**
 * napi's loader reads `/usr/bin/ldd` first. That file shows the C library of the system, not the one that
 * this process has loaded: a Node.js for musl on a glibc system, or one for glibc on Alpine, would load the
 * wrong addon. So the process report decides, and files are used only if it has no answer. The setting of
 * the report is restored, so that loading the package does not change the process.
 */
const PATCHES = [
  [
    /const isMusl = \(\) => \{\n[\s\S]*?\n\}\n/,
    `const isMusl = () => {
  if (process.platform !== 'linux') return false
  for (const tell of [isMuslFromReport, isMuslFromFilesystem, isMuslFromChildProcess]) {
    const musl = tell()
    if (musl !== null) return musl
  }
  return false
}
`,
  ],
  [
    /const isMuslFromReport = \(\) => \{\n[\s\S]*?\n\}\n/,
    `const isMuslFromReport = () => {
  const { report } = process
  if (!report || typeof report.getReport !== 'function') return null
  const { excludeNetwork } = report
  try {
    report.excludeNetwork = true
    const { header, sharedObjects } = report.getReport()
    if (header && header.glibcVersionRuntime) return false
    return Array.isArray(sharedObjects) && sharedObjects.some(isFileMusl) ? true : null
  } catch {
    // Deno refuses it without --allow-sys.
    return null
  } finally {
    report.excludeNetwork = excludeNetwork
  }
}
`,
  ],
];

/** Changes a loader that napi wrote so that it asks the process for its C library. */
export const patchLoader = (file) => {
  let text = readFileSync(file, 'utf8');
  for (const [found, replacement] of PATCHES) {
    if (!found.test(text)) throw new Error(`${file} has no ${found}: did napi change its loader?`);
    text = text.replace(found, () => replacement);
  }
  writeFileSync(file, text);
};

/** Writes `addon-loader.js` into `outputDir`. */
export const writeLoader = async (outputDir) => {
  const { napi, version } = require('../package.json');
  // napi lists the classes first, then the functions, each sorted by name. Classes begin with a capital, so
  // this is the order of the code units.
  const idents = Object.keys(require('../js/addon-loader.js'))
    .filter((name) => !name.startsWith('__napi'))
    .sort();
  await writeJsBinding({
    platform: true,
    idents,
    jsBinding: 'addon-loader.js',
    binaryName: napi.binaryName,
    packageName: napi.packageName,
    version,
    outputDir,
  });
  patchLoader(join(outputDir, 'addon-loader.js'));
};

if (process.argv[1] === fileURLToPath(import.meta.url))
  await writeLoader(process.argv[2] ?? join(root, 'js'));
