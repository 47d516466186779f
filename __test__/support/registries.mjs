// Installs software of others from its registry, once, into a folder under target/: for tests
// against it. Nothing of it is a dependency of the package.

import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const windows = process.platform === 'win32';
const LIMIT_MS = 420_000;

const target = (...names) =>
  join(fileURLToPath(new URL('../../target', import.meta.url)), ...names);

/** Runs `install` unless the folder says that just this was installed before. */
const once = async (dir, what, install) => {
  const mark = join(dir, 'installed.json');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === what) return;
  mkdirSync(dir, { recursive: true });
  await install();
  writeFileSync(mark, what);
};

/** Packages of npm by version; gives the folder `node_modules`. */
export const fromNpm = async (names, packages) => {
  const dir = target(...names);
  const manifest = JSON.stringify({ private: true, dependencies: packages });
  await once(dir, manifest, async () => {
    writeFileSync(join(dir, 'package.json'), manifest);
    const args = ['install', '--no-audit', '--no-fund', '--omit=dev', '--loglevel=error'];
    await run('npm', args, { cwd: dir, timeout: LIMIT_MS, shell: windows });
  });
  return join(dir, 'node_modules');
};

/** Requirements of PyPI in a virtual environment; gives the folder of its programs. */
export const fromPyPI = async (names, requirements) => {
  const dir = target(...names);
  const programs = join(dir, windows ? 'Scripts' : 'bin');
  await once(dir, JSON.stringify(requirements), async () => {
    await run('python3', ['-m', 'venv', dir], { timeout: LIMIT_MS });
    const args = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
    const python = join(programs, windows ? 'python.exe' : 'python');
    await run(python, [...args, ...requirements], { timeout: LIMIT_MS });
  });
  return programs;
};

/** Describes the failure of an installation in one line. */
export const reasonOf = (error) =>
  String(error.stderr || error.message)
    .trim()
    .split('\n')
    .slice(-3)
    .join(' ');
