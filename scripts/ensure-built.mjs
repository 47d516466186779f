// Builds only the missing parts. `npm run demo` and `npm test` begin with this script.
//
//   node scripts/ensure-built.mjs [--install]
// The addon is built with cargo only, so that a fresh clone needs no `npm install` for the demo.
// An addon of any profile that is newer than every source is kept.

import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, readdirSync, renameSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtLibrary } from './library.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const profile = process.env.INTENT_BUILD_PROFILE ?? 'fast';

if (
  process.argv.includes('--install') &&
  !existsSync(join(root, 'node_modules/.package-lock.json'))
)
  run('npm', ['ci', '--no-audit', '--no-fund']);

const addon = join(root, 'js', `intent-runtime.${triple()}.node`);
if (!existsSync(addon) || statSync(addon).mtimeMs < newest()) {
  say(`Building the addon (cargo, profile ${profile}); the first time takes a few minutes.`);
  run('cargo', ['build', '--lib', '--locked', '--profile', profile]);
  // A rename, so that a process that has opened the old addon can still use it.
  copyFileSync(builtLibrary(profile), `${addon}.new`);
  renameSync(`${addon}.new`, addon);
}

/** The platform's part of the addon's name, as the generated loader looks for it. */
function triple() {
  const { platform, arch } = process;
  if (platform === 'linux') {
    const glibc = process.report.getReport().header.glibcVersionRuntime;
    return `linux-${arch}-${glibc ? 'gnu' : 'musl'}`;
  }
  return platform === 'win32' ? `win32-${arch}-msvc` : `${platform}-${arch}`;
}

/** Returns the modification time of the newest source. */
function newest() {
  const files = ['Cargo.toml', 'Cargo.lock', 'build.rs'];
  for (const folder of ['src', 'data', 'crates'])
    if (existsSync(join(root, folder)))
      for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
        if (entry.isFile()) files.push(join(entry.parentPath ?? entry.path, entry.name));
  return Math.max(...files.map((file) => mtime(file)));
}

function mtime(file) {
  const path = file.startsWith(root) ? file : join(root, file);
  return existsSync(path) ? statSync(path).mtimeMs : 0;
}

function run(command, args) {
  try {
    // Output goes to standard error, because the demo's standard output has only its result.
    execFileSync(command, args, {
      cwd: root,
      stdio: ['inherit', 2, 2],
      shell: process.platform === 'win32',
    });
  } catch (error) {
    say(
      error.code === 'ENOENT'
        ? `${command} was not found. This project needs Rust (https://rustup.rs) and Node.js 20 or later.`
        : `${command} ${args.join(' ')} failed.`,
    );
    process.exit(1);
  }
}

function say(text) {
  process.stderr.write(`${text}\n`);
}
