// Cross-builds the addon of every platform, reads the file, loads it in that platform's Node.js and runs the
// smoke test, as far as this machine can. The table has the result for each platform.
//
//   npm run check:targets [-- options] [TARGET...]      all targets unless some are named
//     --profile NAME   cargo's profile for the builds: release by default
//     --no-build       uses the addons that an earlier run built
// A target that cannot be linked here is compiled with `cargo check`. scripts/targets/tools.mjs installs the
// tools. The exit code is 1 if a step failed; steps that could not be tried are in the table with their reason.

import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { builtLibrary } from './library.mjs';
import { inspect } from './targets/binary.mjs';
import { GLIBC } from './targets/elf.mjs';
import { smoke } from './targets/smoke.mjs';
import { emptyLibnode, nodeFor, rustTarget, Unavailable, zig } from './targets/tools.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/**
 * The released targets with their platform packages, and Windows' GNU target instead of MSVC's, because it can
 * be linked without Microsoft's libraries.
 */
const TARGETS = {
  'x86_64-unknown-linux-gnu': { platform: 'linux-x64-gnu' },
  'x86_64-unknown-linux-musl': { platform: 'linux-x64-musl' },
  'aarch64-unknown-linux-gnu': { platform: 'linux-arm64-gnu' },
  'aarch64-unknown-linux-musl': { platform: 'linux-arm64-musl' },
  'x86_64-pc-windows-gnu': { platform: 'win32-x64-gnu', standsIn: 'win32-x64-msvc' },
  'x86_64-apple-darwin': { c: 'x86_64-macos' },
  'aarch64-apple-darwin': { c: 'aarch64-macos' },
  'x86_64-pc-windows-msvc': { c: 'x86_64-windows-gnu' },
  'aarch64-pc-windows-msvc': { c: 'aarch64-windows-gnu' },
};

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    profile: { type: 'string', default: 'release' },
    'no-build': { type: 'boolean', default: false },
  },
});
const unknown = positionals.filter((name) => !Object.hasOwn(TARGETS, name));
if (unknown.length > 0) {
  console.error(`There is no target ${unknown}. There are ${Object.keys(TARGETS).join(', ')}.`);
  process.exit(1);
}

// Separated by profile: only an addon of the release profile has the size of a release.
const built = join(root, 'target/check-targets', options.profile);

/** Builds the addon of a target and removes it from js/, where a loader would find it. */
const build = (target, { platform }) => {
  const file = `intent-runtime.${platform}.node`;
  const addon = join(built, file);
  if (options['no-build'] && existsSync(addon)) return addon;
  const env = zig();
  rustTarget(target);
  mkdirSync(built, { recursive: true });
  if (target.endsWith('windows-gnu')) return buildDll(target, env, addon);
  const triple = target.endsWith('linux-gnu') ? `${target}.${GLIBC}` : target;
  const profile = options.profile === 'release' ? ['--release'] : ['--profile', options.profile];
  // The addon of this machine's own platform is kept.
  const own = join(root, 'js', file);
  const aside = `${own}.own`;
  if (existsSync(own)) renameSync(own, aside);
  try {
    run('node', ['scripts/build.mjs', ...profile, '--cross-compile', '--target', triple], env);
    renameSync(own, addon);
  } finally {
    if (existsSync(aside)) renameSync(aside, own);
  }
  return addon;
};

/**
 * Builds for Windows' GNU target without napi's command, which cross-builds for Windows only with MSVC, through
 * cargo-xwin, which downloads Microsoft's libraries.
 */
const buildDll = (target, env, addon) => {
  const which = ['--locked', '--profile', options.profile, '--target', target];
  run('node', ['scripts/cargo-cdylib.mjs', 'zigbuild', ...which], {
    ...env,
    LIBNODE_PATH: emptyLibnode(),
  });
  copyFileSync(builtLibrary(options.profile, { target, platform: 'win32' }), addon);
  return addon;
};

/**
 * Compiles without linking. The C of dependencies is compiled with Zig, whose headers are those of the
 * system (MinGW's for MSVC): the objects are never linked.
 */
const check = (target, { c }) => {
  rustTarget(target);
  const name = target.replaceAll('-', '_');
  const env = zig();
  env[`CC_${name}`] = join(root, 'scripts/targets/zig-cc');
  env[`AR_${name}`] = join(root, 'scripts/targets/zig-ar');
  env.ZIG_TARGET = c;
  run('cargo', ['check', '--locked', '--all-features', '--lib', '--target', target], env);
};

const run = (command, args, env) => {
  const { status } = spawnSync(command, args, { cwd: root, env, stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed (${status})`);
};

const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;

/** The results for a target, step by step, until a step fails or the next ones cannot run. */
const show = async (target, what) => {
  const row = { target, shown: [] };
  /** Returns whether the step could be tried here; throws if it failed. */
  const step = async (name, action) => {
    const begun = Date.now();
    console.error(`${target}: ${name} ...`);
    try {
      const told = await action();
      row.shown.push(`${name}${told ? ` (${told})` : ''}`);
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      const [reason] = error.message.split('\n');
      row.skipped = true;
      row.shown.push(`skipped: ${name} (${reason})`);
      return false;
    }
    const seconds = ((Date.now() - begun) / 1000).toFixed(0);
    console.error(`${target}: ${name} in ${seconds} s`);
    return true;
  };
  try {
    await (what.c ? compiled(step, target, what) : tried(step, target, what));
  } catch (error) {
    console.error(error.message);
    row.failed = true;
    // A row of the table is one line.
    row.shown.push(`FAILED: ${error.message.trim().replace(/\s+/g, ' ')}`);
  }
  if (what.c && !row.failed) row.shown.push('not linked: its libraries cannot be had here');
  return row;
};

const compiled = (step, target, what) => step('compiled', () => void check(target, what));

const tried = async (step, target, what) => {
  let addon;
  const built = await step('built', () => {
    addon = build(target, what);
    return `${options.profile}, ${megabytes(statSync(addon).size)}`;
  });
  if (!built) return;
  // The next steps do not need this one, so they run even if the file cannot be read here.
  await step('symbols checked', () => {
    const { needs, faults } = inspect(addon, what.platform);
    if (faults.length > 0) throw new Error(`the addon ${faults.join('; ')}`);
    return needs.join(', ');
  });
  let node;
  const starts = await step('its Node.js starts', () => {
    node = nodeFor[what.platform]();
    const print = 'console.log(process.version, process.platform, process.arch)';
    return execFileSync(node[0], [...node.slice(1), '-e', print], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 120_000,
    }).trim();
  });
  if (!starts) return;
  await step('loaded, smoke passed', async () => {
    const parts = await smoke(node, addon, what.standsIn ?? what.platform);
    return `${parts} parts`;
  });
};

const rows = [];
for (const [target, what] of Object.entries(TARGETS))
  if (positionals.length === 0 || positionals.includes(target)) rows.push(await show(target, what));

console.log('\n| target | shown |\n|---|---|');
for (const { target, shown } of rows) console.log(`| \`${target}\` | ${shown.join('; ')} |`);
const failed = rows.filter(({ failed }) => failed).length;
const skipped = rows.filter(({ failed, skipped }) => skipped && !failed).length;
const passed = rows.length - failed - skipped;
console.log(`\n${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exitCode = failed > 0 ? 1 : 0;
