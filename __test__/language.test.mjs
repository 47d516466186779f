// The language of results: 'auto', and the option of the MCP command. See docs/api.md and docs/mcp.md.

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Intent } from '@devcodex/intent-runtime';
import { createIntentBridge } from '@devcodex/intent-runtime/bridge';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { command, initialize, request, root } from './support/mcp.mjs';
import { core, INPUT, order, orderSchema, parseWith, refusal, scripted } from './support/model.mjs';

const AUTO = 'the language of currentInput; where it mixes several, the main one';
const toldBy = async (language, config) => {
  const executor = scripted(core(), order);
  await parseWith(executor, { language, schema: orderSchema, ...config });
  return executor.requests.map(({ input, payload }) => {
    expect(JSON.parse(payload).structuredLanguage).toBe(input.structuredLanguage);
    return input.structuredLanguage;
  });
};

describe("language: 'auto'", () => {
  test('is described to the model in words, in both stages', async () => {
    for (const language of ['auto', 'AUTO', 'Auto'])
      expect(await toldBy(language)).toEqual([AUTO, AUTO]);
    expect(await toldBy('zh-cn')).toEqual(['zh-CN', 'zh-CN']);
    expect(await toldBy(undefined)).toEqual(['en', 'en']);
  });

  test('and to the host of a Bridge', async () => {
    const intent = new Intent({ language: 'auto' });
    const bridge = createIntentBridge({ instances: { default: intent } });
    const reply = await bridge.connect().prepare({ instance: 'default', input: INPUT });
    expect(JSON.stringify(reply)).toContain(AUTO);
    await bridge.close();
    await intent.dispose();
  });

  test('the instructions explain structuredLanguage', async () => {
    for (const proof of ['full', 'brief']) {
      const executor = scripted(core(), order);
      await parseWith(executor, { language: 'auto', schema: orderSchema, proof }).catch(() => {});
      for (const { instructions } of executor.requests)
        expect(instructions).toMatch(/in `structuredLanguage`/);
    }
  });

  test('is no part of a tag', () => {
    for (const language of ['auto-CN', 'en-auto', 'auto ', ' auto', 'x-auto', 'automatic'])
      refusal(() => new Intent({ language }), 'CONFIG_INVALID', 'config', /language/);
  });
});

describe('intent-runtime-mcp --language', () => {
  let dir;
  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), 'intent-language-'));
    mkdirSync(join(dir, 'node_modules/@devcodex'), { recursive: true });
    symlinkSync(root, join(dir, 'node_modules/@devcodex/intent-runtime'), 'dir');
  });
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  const config = (text) => {
    const file = join(dir, 'config.mjs');
    writeFileSync(file, text);
    return file;
  };
  const run = (args, input = '') =>
    spawnSync(process.execPath, [command, ...args], {
      cwd: dir,
      encoding: 'utf8',
      input,
      timeout: 30_000,
    });

  /** Returns the languages of a server's instances, as the host sees them. */
  const told = (args, instances = ['default']) => {
    const calls = instances.map((instance, i) =>
      request(10 + i, 'tools/call', {
        name: 'intent_prepare',
        arguments: { instance, input: INPUT },
      }),
    );
    const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };
    const messages = [initialize(1), initialized, ...calls];
    const lines = messages.map(
      (line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`,
    );
    const { status, stderr, stdout } = run(args, lines.join(''));
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const replies = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    return instances.map((_, i) => {
      const { result } = replies.find(({ id }) => id === 10 + i);
      expect(result.isError ?? false, JSON.stringify(result)).toBe(false);
      const [, language] = /structuredLanguage\\*":\s*\\*"([^"\\]+)/.exec(
        JSON.stringify(result.structuredContent),
      );
      return language;
    });
  };

  test('is the language of the built-in instance', () => {
    expect(told([])).toEqual(['en']);
    expect(told(['--language', 'zh-cn'])).toEqual(['zh-CN']);
    expect(told(['--language=auto'])).toEqual([AUTO]);
  });

  test('and of those of a file that set none', () => {
    const file = config(`
      import { Intent } from '@devcodex/intent-runtime';
      export default { instances: {
        bare: {}, unset: { language: undefined }, own: { language: 'fr' }, built: new Intent(),
      } };`);
    expect(told(['--config', file, '--language', 'ja'], ['bare', 'unset', 'own', 'built'])).toEqual(
      ['ja', 'ja', 'fr', 'en'],
    );
  });

  test('a configuration is refused as it is without the option', () => {
    const file = config(
      "export default { instances: { a: { get language() { return 'fr'; } } } };",
    );
    const { status, stderr } = run(['--config', file, '--language', 'ja']);
    expect(status).toBe(1);
    expect(stderr).toContain('language must be a value, not an accessor');
  });

  test.each(['xx-', 'und', '', 'x-mine', 'english'])('%j is refused', (tag) => {
    const { status, stdout, stderr } = run([`--language=${tag}`]);
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^intent-runtime-mcp: --language /);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  test('the help names it', () => {
    expect(run(['--help']).stdout).toContain('--language <tag>');
    expect(run(['--language']).stderr).toContain("'--language <value>' argument missing");
  });
});
