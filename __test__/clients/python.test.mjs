// The official Python SDK.

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, inject, test } from 'vitest';
import { command, version } from '../support/mcp.mjs';
import { goRound } from '../support/mcp-session.mjs';
import { configFile } from './files.mjs';

const installed = inject('python');
const script = fileURLToPath(new URL('./session.py', import.meta.url));

test.skipIf(!installed)('a whole session', async () => {
  const args = [script, process.execPath, command, '--config', configFile()];
  const python = spawn(installed.python, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  let stderr = '';
  python.stderr.on('data', (text) => {
    stderr += text;
  });
  const ended = new Promise((resolve) => python.on('close', resolve));
  const lines = createInterface({ input: python.stdout })[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error(stderr);
    return JSON.parse(value);
  };
  try {
    const { greeting, tools } = await next();
    expect(greeting.serverInfo).toMatchObject({ name: 'intent-runtime', version });
    expect(greeting.instructions).toContain('"orders"');
    expect(tools).toEqual(['intent_prepare', 'intent_accept', 'intent_cancel']);
    await goRound(async (name, given) => {
      python.stdin.write(`${JSON.stringify([name, given])}\n`);
      const { content, structuredContent, isError } = await next();
      expect(JSON.parse(content[0].text)).toEqual(structuredContent);
      expect(isError).toBe(structuredContent.kind === 'error');
      return structuredContent;
    });
    python.stdin.end();
    expect(await ended).toBe(0);
    expect(stderr).toBe('');
  } finally {
    python.kill('SIGKILL');
  }
});
