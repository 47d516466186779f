#!/usr/bin/env node
// Builds the native addon where it is missing or older than its sources; silent when it is not.
// Everything it says goes to standard error, so that a script's own output stays clean.

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SOURCES = ['src', 'data', 'Cargo.toml', 'Cargo.lock', 'build.rs', 'rust-toolchain.toml'];
const BINARY = new RegExp(`^intent-runtime\\.${process.platform}-${process.arch}\\b.*\\.node$`);

/** Builds what is missing. Throws with a message for people where it cannot. */
export function ensureBuilt() {
  // A published package brings its binary with its platform package, and no sources.
  if (!existsSync(join(ROOT, 'Cargo.toml'))) return;
  const built = newestBinary();
  const changed = Math.max(...SOURCES.map((source) => newest(join(ROOT, source))));
  if (built && built.time >= changed) return;

  say(built ? 'The sources are newer than the native addon: building it again.' : 'The native addon is not built yet: building it. The first build takes some minutes.');
  if (spawnSync('cargo', ['--version'], { cwd: ROOT, stdio: 'ignore' }).status !== 0) {
    throw new Error('Building needs Rust, and no working `cargo` was found: see https://rustup.rs');
  }
  if (!existsSync(join(ROOT, 'node_modules'))) npm('install', '--ignore-scripts');
  npm('run', 'build');
  const binary = newestBinary();
  if (!binary) throw new Error(`\`npm run build\` left no ${BINARY.source} in ${ROOT} or its js/`);
  // Where nothing had to be compiled, the copy may have kept its old time.
  utimesSync(binary.file, new Date(), new Date());
}

function npm(...args) {
  say(`> npm ${args.join(' ')}`);
  // Under `npm run` this is npm's own script; else the command, which on Windows is a batch file.
  const script = process.env.npm_execpath;
  const [command, prefix] = script?.endsWith('.js') ? [process.execPath, [script]] : ['npm', []];
  const { status, error } = spawnSync(command, [...prefix, ...args], {
    cwd: ROOT,
    stdio: ['ignore', 2, 2],
    shell: command === 'npm' && process.platform === 'win32',
  });
  if (status !== 0) throw new Error(`\`npm ${args.join(' ')}\` failed${error ? `: ${error.message}` : ', see above'}`);
}

function newestBinary() {
  const found = [ROOT, join(ROOT, 'js')]
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder).filter((name) => BINARY.test(name)).map((name) => join(folder, name)))
    .map((file) => ({ file, time: statSync(file).mtimeMs }));
  return found.sort((a, b) => b.time - a.time)[0];
}

/** The latest change of a file, or of a folder and all in it: a file taken away counts too. */
function newest(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat?.isDirectory()) return stat?.mtimeMs ?? 0;
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}

function say(line) {
  process.stderr.write(`${line}\n`);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    ensureBuilt();
  } catch (error) {
    say(error.message);
    process.exitCode = 1;
  }
}
