// Checks the packed main package: publint, Are The Types Wrong, and that it holds what a user
// needs and nothing else.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pack, packedFiles } from './pack.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

const NEEDED = [
  /^(package\.json|LICENSE|CHANGELOG\.md|README(\.zh-CN)?\.md|index\.d\.ts)$/,
  /^bin\/intent-runtime-(doctor|mcp)\.js$/,
  /^js\/(adapters\/|doctor\/)?[a-z-]+(\.d\.ts|\.js)$/,
];

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

const folder = mkdtempSync(join(tmpdir(), 'intent-check-'));
try {
  const { main } = pack(folder, 'none');
  bin('publint/src/cli.js', [main, '--strict']);
  bin('@arethetypeswrong/cli/dist/index.js', [main]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
