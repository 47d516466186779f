// Installs the clients under target/clients. Where that cannot be done, the tests of a client are
// skipped and the reason is printed.

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fromNpm, fromPyPI, reasonOf } from '../support/registries.mjs';

const run = promisify(execFile);
const windows = process.platform === 'win32';

const PACKAGES = {
  '@modelcontextprotocol/client': '2.4.0',
  '@modelcontextprotocol/conformance': '0.1.16',
  '@modelcontextprotocol/inspector': '2.12.0',
  // The Node.js that the suite and the Inspector need.
  node: '22.23.3',
};
const PYTHON_SDK = 'mcp==2.3.0';

const npm = async () => {
  const modules = await fromNpm(['clients', 'npm'], PACKAGES);
  const node = join(modules, 'node/bin', windows ? 'node.exe' : 'node');
  await run(node, ['--version']);
  return { node, modules };
};

const python = async () => {
  const programs = await fromPyPI(['clients', 'python'], [PYTHON_SDK]);
  return { python: join(programs, windows ? 'python.exe' : 'python') };
};

export default async ({ provide }) => {
  const names = ['npm', 'python'];
  const outcomes = await Promise.allSettled([npm(), python()]);
  for (const [i, { value, reason }] of outcomes.entries()) {
    if (reason !== undefined)
      console.warn(
        `the ${names[i]} clients are skipped, they cannot be installed: ${reasonOf(reason)}`,
      );
    provide(names[i], value ?? null);
  }
  const scratch = mkdtempSync(join(tmpdir(), 'intent-clients-'));
  provide('scratch', scratch);
  return () => rmSync(scratch, { recursive: true, force: true });
};
