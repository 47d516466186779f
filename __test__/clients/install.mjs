// Installs the clients, once, under target/clients; nothing of them is a dependency of the
// package. Where that cannot be done, the tests of a client are skipped and the reason is printed.

import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const home = fileURLToPath(new URL('../../target/clients', import.meta.url));
const LIMIT_MS = 180_000;

const PACKAGES = {
  '@modelcontextprotocol/client': '2.4.0',
  '@modelcontextprotocol/conformance': '0.1.16',
  '@modelcontextprotocol/inspector': '2.12.0',
  // What the suite and the Inspector need to run on.
  node: '22.23.3',
};
const PYTHON_SDK = 'mcp==2.3.0';

const npm = async () => {
  const dir = join(home, 'npm');
  const node = join(
    dir,
    'node_modules/node/bin',
    process.platform === 'win32' ? 'node.exe' : 'node',
  );
  const manifest = JSON.stringify({ private: true, dependencies: PACKAGES });
  const mark = join(dir, 'installed.json');
  if (!existsSync(mark)) {
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, 'package.json'), manifest);
    const args = ['install', '--no-audit', '--no-fund', '--omit=dev', '--loglevel=error'];
    await run('npm', args, { cwd: dir, timeout: LIMIT_MS, shell: process.platform === 'win32' });
    await run(node, ['--version']);
    writeFileSync(mark, manifest);
  }
  return { node, modules: join(dir, 'node_modules') };
};

const python = async () => {
  const dir = join(home, 'python');
  const bin = join(dir, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
  const mark = join(dir, 'installed');
  if (!existsSync(mark)) {
    await run('python3', ['-m', 'venv', dir], { timeout: LIMIT_MS });
    const args = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', PYTHON_SDK];
    await run(bin, args, { timeout: LIMIT_MS });
    writeFileSync(mark, PYTHON_SDK);
  }
  return { python: bin };
};

export default async ({ provide }) => {
  const names = ['npm', 'python'];
  const outcomes = await Promise.allSettled([npm(), python()]);
  for (const [i, { value, reason }] of outcomes.entries()) {
    if (reason !== undefined) {
      const why = String(reason.stderr || reason.message)
        .trim()
        .split('\n')
        .slice(-3)
        .join(' ');
      console.warn(`the ${names[i]} clients are skipped, they cannot be installed: ${why}`);
    }
    provide(names[i], value ?? null);
  }
  const scratch = mkdtempSync(join(tmpdir(), 'intent-clients-'));
  provide('scratch', scratch);
  return () => rmSync(scratch, { recursive: true, force: true });
};
