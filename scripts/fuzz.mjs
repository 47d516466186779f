// Builds and runs the fuzz targets with the pinned stable toolchain.
//
//   node scripts/fuzz.mjs [--seconds N] [--runs N] [--seed N] [--profile release|short] [target...]
// By default every target runs for six seconds, a minute in total. A target first replays its corpus,
// including earlier findings. Then it generates new inputs, the same ones for the same seed (0: different
// ones each time), until its time or its number of runs is reached. New inputs stay in fuzz/corpus, which
// git ignores. A crash leaves its input in fuzz/artifacts/<target>. The profile `short` builds in a third
// of the time.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const fuzz = fileURLToPath(new URL('../fuzz', import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '6' },
    runs: { type: 'string', default: '-1' },
    seed: { type: 'string', default: '0' },
    profile: { type: 'string', default: 'release' },
  },
});

const unfit =
  process.platform !== 'linux' && process.platform !== 'darwin'
    ? `on ${process.platform}`
    : spawnSync(process.env.CXX ?? 'c++', ['--version']).error && 'without a C++ compiler';
if (unfit) {
  console.log(`fuzz: not run ${unfit}`);
  process.exit(0);
}

const { profile } = values;
const built = spawnSync('cargo', ['build', '--quiet', '--locked', '--profile', profile], {
  cwd: fuzz,
  env: {
    ...process.env,
    CARGO_TARGET_DIR: join(fuzz, 'target'),
    RUSTC_WRAPPER: join(fuzz, 'rustc.sh'),
  },
  stdio: ['ignore', 'inherit', 'inherit'],
});
if (built.status !== 0) process.exit(1);

const all = readdirSync(join(fuzz, 'fuzz_targets')).map((file) => file.replace(/\.rs$/, ''));
for (const target of positionals)
  if (!all.includes(target)) {
    console.error(`fuzz: no target ${target}; there are ${all.join(', ')}`);
    process.exit(1);
  }
let failed = false;
for (const target of positionals.length > 0 ? positionals : all.sort()) {
  const [corpus, artifacts] = ['corpus', 'artifacts'].map((name) => join(fuzz, name, target));
  mkdirSync(corpus, { recursive: true });
  mkdirSync(artifacts, { recursive: true });
  const dictionary = join(fuzz, 'dictionaries', `${target}.dict`);
  const { status, stderr } = spawnSync(
    join(fuzz, 'target', profile, target),
    [
      corpus,
      `-artifact_prefix=${artifacts}/`,
      `-max_total_time=${values.seconds}`,
      `-runs=${values.runs}`,
      `-seed=${values.seed}`,
      '-max_len=2048',
      '-timeout=30',
      '-rss_limit_mb=2048',
      '-print_final_stats=1',
      ...(existsSync(dictionary) ? [`-dict=${dictionary}`] : []),
    ],
    { cwd: fuzz, encoding: 'utf8', maxBuffer: 1 << 30, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const stat = (pattern) => stderr.match(pattern)?.at(-1) ?? '?';
  console.log(
    `fuzz: ${target}: ${stat(/number_of_executed_units: (\d+)/)} executions, ` +
      `coverage ${stat(/cov: (\d+)(?![\s\S]*cov: )/)}, ` +
      `peak ${stat(/peak_rss_mb: +(\d+)/)} MiB`,
  );
  if (status !== 0) {
    failed = true;
    console.error(stderr.split('\n').slice(-60).join('\n'));
  }
}
process.exit(failed ? 1 : 0);
