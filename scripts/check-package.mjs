// Checks the packed main package: publint, Are The Types Wrong, and that it contains exactly the files
// that a user needs. Prints the size of every package whose binary exists: those that a build left in js/,
// or a release in npm/, and those of `npm run check:targets` in its release profile.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { pack, packedFiles } from './pack.mjs';
import { platformOf } from './targets/binary.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

const NEEDED = [
  /^(package\.json|LICENSE|CHANGELOG\.md|README(\.zh-CN)?\.md|index\.d\.ts)$/,
  /^bin\/intent-runtime-(doctor|eval|mcp)\.js$/,
  /^js\/(adapters\/|doctor\/|eval\/(sets\/)?|plain\/|testing\/)?[a-z\d-]+(\.d\.ts|\.js)$/,
];

/** The largest download for one platform, in bytes; notes/performance.md lists its parts. */
const MOST_COMPRESSED = 4_200_000;

/** Finds the existing addons; each platform counts once, and the packed addon takes precedence. */
const binaries = () => {
  const folders = [
    'js',
    'target/check-targets/release',
    ...readdirSync(join(root, 'npm')).map((name) => `npm/${name}`),
  ];
  const found = new Map();
  for (const folder of folders.map((name) => join(root, name)).filter((path) => existsSync(path)))
    for (const file of readdirSync(folder))
      if (file.endsWith('.node')) found.set(file, join(folder, file));
  return [...found.values()].sort();
};

/** Prints the size of each platform's package. */
const checkSizes = (main) => {
  const megabytes = (bytes) => `${(bytes / 1e6).toFixed(2)} MB`;
  console.log(`main package: ${megabytes(statSync(main).size)} compressed`);
  for (const file of binaries()) {
    const compressed = gzipSync(readFileSync(file), { level: 9 }).length;
    console.log(
      `${platformOf(file)}: ${megabytes(compressed)} compressed, ${megabytes(statSync(file).size)} unpacked`,
    );
    if (compressed > MOST_COMPRESSED)
      throw new Error(
        `${file} is past ${megabytes(MOST_COMPRESSED)} compressed. Is it of a release build (npm run build)?`,
      );
  }
};

const bin = (name, args) =>
  execFileSync(process.execPath, [join(root, 'node_modules', name), ...args], {
    cwd: root,
    stdio: 'inherit',
  });

const packed = packedFiles();
const surplus = packed.filter((file) => !NEEDED.some((pattern) => pattern.test(file)));
if (surplus.length > 0) throw new Error(`The package holds what no user needs: ${surplus}`);
for (const entry of Object.values(JSON.parse(readFileSync(join(root, 'package.json'))).exports))
  for (const target of typeof entry === 'string' ? [entry] : Object.values(entry))
    if (!packed.includes(target.slice(2))) throw new Error(`${target} is not packed.`);

// npx starts the bin that has the package's last name; without it, `npx PACKAGE` starts none of several.
const { name, bin: bins } = JSON.parse(readFileSync(join(root, 'package.json')));
if (bins[name.split('/').at(-1)] === undefined) throw new Error(`npx ${name} would start nothing.`);

const folder = mkdtempSync(join(tmpdir(), 'intent-check-'));
try {
  const { main } = pack(folder, 'none');
  bin('publint/src/cli.js', [main, '--strict']);
  bin('@arethetypeswrong/cli/dist/index.js', [main]);
  checkSizes(main);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
