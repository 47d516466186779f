// npm run eval: the package's own set.
// Without arguments it is the gate in CI and asks no model: the set must match its sources, every gold answer
// must be accepted and rated as right, and every wrong one must be found by the check that it names.
// With arguments it is intent-runtime-eval: npm run eval -- --executor my-model.mjs --html out.html

import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const given = process.argv.slice(2);
const gate = ['--executor', 'gold', '--at-least', '1', '--wrong', '--quiet'];

const node = (...args) => {
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
};

node(join(here, 'build.mjs'), '--check');
node(
  join(here, '../bin/intent-runtime-eval.js'),
  join(here, 'cases.jsonl'),
  ...(given.length > 0 ? given : gate),
);
