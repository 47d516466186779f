// Tests that need a process of their own: whether it ends by itself, what it writes.

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Runs a module's text, or a file, in a process of its own.
 *
 * @returns {Promise<{ code: number | null, signal: string | null, stdout: string, stderr: string, ms: number }>}
 */
export const runNode = (module, { env = {}, timeoutMs = 20_000, args = [] } = {}) =>
  new Promise((resolve) => {
    const began = performance.now();
    const what = Array.isArray(module) ? module : ['--input-type=module', '-e', module];
    const child = spawn(process.execPath, [...what, ...args], {
      cwd: root,
      env: { ...process.env, NODE_OPTIONS: '', ...env },
    });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
    });
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      resolve({ code, signal, stdout, stderr, ms: performance.now() - began });
    });
  });
