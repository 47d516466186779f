#!/usr/bin/env node
// node benches/node/import.mjs: measures the time that loading the package adds to a process, as medians of
// 25 processes of each kind, run alternately.

import { spawnSync } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';

const cwd = fileURLToPath(new URL('../..', import.meta.url));
const module = ['--input-type=module', '-e'];
const CASES = {
  'node -e 0': ['-e', '0'],
  require: ['-e', "require('@devcodex/intent-runtime')"],
  'an empty module': [...module, ''],
  import: [...module, "import '@devcodex/intent-runtime'"],
};
const samples = Object.fromEntries(Object.keys(CASES).map((name) => [name, []]));
for (let i = 0; i < 25; i++)
  for (const [name, args] of Object.entries(CASES)) {
    const start = performance.now();
    const { status } = spawnSync(process.execPath, args, { cwd, stdio: 'inherit' });
    samples[name].push(performance.now() - start);
    if (status !== 0) process.exit(1);
  }
for (const [name, times] of Object.entries(samples))
  console.log(`${name}: ${times.sort((a, b) => a - b)[12].toFixed(1)} ms`);
