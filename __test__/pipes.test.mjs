// A reader that stops early, as `| head` does, ends a command quietly.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');

test.each([
  ['the demo', 'examples/demo/demo.mjs', ['查询订单 000123，先不要修改']],
  ['the demo as JSON', 'examples/demo/demo.mjs', ['--json', 'Show order 000123']],
  ['the demo without a rule', 'examples/demo/demo.mjs', ['Sing me a song about the sea']],
  ['the doctor', 'bin/intent-runtime-doctor.js', ['--help']],
  ['the doctor at work', 'bin/intent-runtime-doctor.js', ['http://127.0.0.1:9/v1', '--model', 'm']],
  ['the evaluation', 'bin/intent-runtime-eval.js', ['--help']],
  ['the MCP command', 'bin/intent-runtime-mcp.js', ['--help']],
])('%s', async (_, command, args) => {
  const child = spawn(process.execPath, [command, ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, INTENT_API_KEY: '', INTENT_MODEL: '' },
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  child.stdout.destroy();
  const [code, signal] = await once(child, 'close');
  expect(signal).toBeNull();
  expect([0, 1]).toContain(code);
  expect(stderr).not.toMatch(/EPIPE|\bat .+:\d+:\d+/);
});
