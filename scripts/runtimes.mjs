// Runs the JavaScript suite under each supported Node.js version, and a smoke test of every entry on Bun and
// Deno. All of these runtimes are installed from npm.
//
//   node scripts/runtimes.mjs [node20 node22 node24 node26 bun deno]

import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const SUITE = ['node_modules/vitest/vitest.mjs', 'run'];
const SMOKE = ['__test__/hosts/smoke.mjs'];

const runtimes = {
  node20: ['node@20', SUITE],
  node22: ['node@22', SUITE],
  node24: ['node@24', SUITE],
  node26: ['node@26', SUITE],
  bun: ['bun@1', SMOKE],
  deno: ['deno@2', ['run', '--allow-all', ...SMOKE]],
};

const npx = (name, args, stdio) =>
  spawnSync('npx', ['--yes', name, ...args], {
    cwd: root,
    encoding: 'utf8',
    shell: process.platform === 'win32',
    stdio,
    timeout: 20 * 60_000,
  });

const wanted = process.argv.slice(2);
let failed = 0;
for (const [runtime, [name, args]] of Object.entries(runtimes)) {
  if (wanted.length > 0 && !wanted.includes(runtime)) continue;
  const [version] = npx(name, ['--version'], 'pipe').stdout?.trim().split('\n') ?? [];
  const begun = Date.now();
  const { status, signal } = version ? npx(name, args, 'inherit') : { status: 'not available' };
  const seconds = ((Date.now() - begun) / 1000).toFixed(0);
  console.log(
    status === 0
      ? `${runtime} (${version}): ${args === SUITE ? 'the whole suite' : 'every entry'} passed in ${seconds} s`
      : `${runtime} (${version}): failed (${signal ?? status})`,
  );
  if (status !== 0) failed++;
}
process.exitCode = failed > 0 ? 1 : 0;
