// The quick start, pasted step by step into an empty folder under what `npm init` writes today.

import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { read, root } from './docs/blocks.mjs';
import { serve } from './docs/stand-in.mjs';

const PAGES = [join('docs', 'quick-start.md'), join('docs', 'zh', 'quick-start.md')];
const stepsOf = (page) =>
  read(page).blocks.filter(({ flags }) => flags.includes('step') || flags.includes('output'));

const parent = realpathSync(mkdtempSync(join(tmpdir(), 'quick-start-')));
let standIn;
beforeAll(async () => {
  standIn = await serve();
});
afterAll(async () => {
  await standIn.close();
  rmSync(parent, { recursive: true, force: true });
});

/** Links the packages that `npm install` would download, because this test does not use the network. */
const install = (folder, names) => {
  for (const name of names) {
    const from = name === '@devcodex/intent-runtime' ? root : join(root, 'node_modules', name);
    const to = join(folder, 'node_modules', name);
    mkdirSync(dirname(to), { recursive: true });
    symlinkSync(from, to, 'junction');
    if (name !== 'typescript') continue;
    mkdirSync(join(folder, 'node_modules', '.bin'), { recursive: true });
    symlinkSync(join(from, 'bin', 'tsc'), join(folder, 'node_modules', '.bin', 'tsc'));
  }
};

const isWindows = process.platform === 'win32';

it.skipIf(isWindows).each(PAGES)(
  'each step of %s does what it says',
  async (page) => {
    const folder = join(parent, dirname(page), 'intents');
    const env = { ...process.env, INTENT_BASE_URL: standIn.url, NO_COLOR: '1' };
    let printed = '';
    let ran = 0;
    for (const { language, flags, code, line } of stepsOf(page)) {
      const where = `${page}:${line}`;
      if (flags.includes('output')) {
        expect(printed, where).toBe(code);
      } else if (language === 'sh') {
        printed = '';
        for (const command of code.trim().split('\n')) {
          ran++;
          const exported = /^export (\w+)=(.*)$/.exec(command);
          const installed = /^npm install (?:--save-dev )?(.*)$/.exec(command);
          if (exported) env[exported[1]] = exported[2];
          else if (installed) install(folder, installed[1].split(' '));
          else if (command.startsWith('mkdir ') || command.startsWith('cd '))
            mkdirSync(folder, { recursive: true });
          else printed += await shell(command, { cwd: folder, env }, where);
        }
        if (code.startsWith('mkdir')) printed = '';
      } else {
        const name = flags.at(-1);
        expect(name, where).toMatch(/^\w+\.(?:mjs|mts|json)$/);
        writeFileSync(join(folder, name), code);
      }
    }
    expect(ran).toBeGreaterThan(12);
  },
  120_000,
);

/** Standard output of a command that must succeed and complain of nothing. */
const shell = (command, options, where) =>
  new Promise((resolve, reject) => {
    const child = spawn('sh', ['-c', command], options);
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
    });
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    child.on('close', (code) => {
      if (code === 0 && stderr === '') resolve(stdout);
      else reject(new Error(`${where}: ${command}: exit code ${code}\n${stdout}${stderr}`));
    });
  });
