// Runs the smoke test of every entry with an addon, as for a user: with the main package and the platform's
// package in node_modules, and the Node.js of that platform.

import { execFile } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { packedFiles } from '../pack.mjs';
import { runSystem, Unavailable } from './tools.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const MINUTES = 10;

/** Makes a certificate for localhost and the authority that signed it. */
const certificate = (folder) => {
  const openssl = (...args) => runSystem('openssl', args, { cwd: folder });
  const key = (name) => ['-newkey', 'rsa:2048', '-nodes', '-keyout', `${name}.key`];
  writeFileSync(join(folder, 'san'), 'subjectAltName=DNS:localhost\n');
  openssl('req', '-x509', ...key('ca'), '-out', 'ca.pem', '-days', '2', '-subj', '/CN=Smoke');
  openssl('req', ...key('tls'), '-out', 'tls.csr', '-subj', '/CN=localhost');
  const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'san'];
  openssl('x509', '-req', '-in', 'tls.csr', ...signed, '-out', 'tls.pem', '-days', '2');
  return join(folder, 'ca.pem');
};

/** Copies the packages into the folder of the smoke test. */
const layOut = (folder, addon, platform) => {
  const scope = join(folder, 'node_modules/@devcodex');
  for (const file of packedFiles()) {
    const to = join(scope, 'intent-runtime', file);
    mkdirSync(dirname(to), { recursive: true });
    copyFileSync(join(root, file), to);
  }
  const own = join(scope, `intent-runtime-${platform}`);
  mkdirSync(own);
  copyFileSync(addon, join(own, basename(addon)));
  writeFileSync(
    join(own, 'package.json'),
    JSON.stringify({
      name: `@devcodex/intent-runtime-${platform}`,
      version: process.env.npm_package_version,
      main: basename(addon),
    }),
  );
  cpSync(join(root, '__test__/hosts'), join(folder, 'hosts'), { recursive: true });
};

/** Runs the smoke test; returns the number of parts that passed, or throws an error with its output. */
export const smoke = async ([command, ...first], addon, platform) => {
  const folder = mkdtempSync(join(tmpdir(), 'intent-smoke-'));
  try {
    layOut(folder, addon, platform);
    const env = {
      ...process.env,
      NAPI_RS_NATIVE_LIBRARY_PATH: '',
      NODE_EXTRA_CA_CERTS: certificate(folder),
      // Under Wine a process starts another Node.js by its own path.
      SMOKE_NODE: platform.startsWith('win32') ? '' : JSON.stringify([command, ...first]),
      SMOKE_TLS: folder,
    };
    const run = promisify(execFile)(command, [...first, 'hosts/smoke.mjs'], {
      cwd: folder,
      env,
      timeout: MINUTES * 60_000,
    });
    const lines = (await run).stdout.trim().split(/\r?\n/);
    if (lines.at(-1) !== 'all') throw new Error(`it ended after ${lines.at(-1)}`);
    return lines.length - 1;
  } catch (error) {
    if (error instanceof Unavailable) throw error;
    const { message, signal, stdout = '', stderr = '' } = error;
    const after = stdout.trim().split('\n').at(-1);
    const said = stderr.trim() || message.trim();
    throw new Error(`${said} (${signal ? `${signal}, ` : ''}after: ${after || 'nothing'})`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
