// Tests the documentation: every runnable block is compiled and run as part of a user's project, both languages
// have the same structure, and links lead to files.

import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  chinesePages,
  inEnglish,
  pairs,
  read,
  root,
  withoutComments,
  withoutLanguage,
} from './docs/blocks.mjs';
import { serve } from './docs/stand-in.mjs';
import { makeProject, TSC } from './support/project.mjs';

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const project = join(root, 'target', 'docs-test');
const out = join(project, 'out');

const run = (file, args, options) =>
  new Promise((resolve) => {
    const child = execFile(file, args, { timeout: 30_000, ...options }, (error, stdout, stderr) =>
      resolve({ code: error ? (error.code ?? error.signal) : 0, stdout, stderr }),
    );
    child.stdin.end(options?.input ?? '');
  });

/** The blocks of a Chinese page that differ from the English ones by more than comments. */
const chineseBlocks = (english, chinese) => {
  const { blocks } = read(english);
  return read(chinese).blocks.filter(
    ({ code }, index) => withoutComments(code) !== withoutComments(blocks[index]?.code ?? ''),
  );
};

/** The runnable blocks of all pages. */
const runnable = pairs()
  .flatMap(([english, chinese]) => [
    [english, read(english).blocks],
    [chinese, chineseBlocks(english, chinese)],
  ])
  .flatMap(([page, blocks]) =>
    blocks.flatMap((block) => {
      const flag = ['run', 'check', 'mcp'].find((name) => block.flags.includes(name));
      if (flag === undefined) return [];
      const name = `${page.replace(/\.md$/, '').replaceAll(/\W+/g, '-')}-${block.line}`;
      return [{ ...block, flag, name, where: `${page}:${block.line}` }];
    }),
  );

/** Redirects the requests of an example to the stand-in. */
const toStandIn = (code, url) => code.replaceAll(/(baseURL: )'https?:\/\/[^']+'/g, `$1'${url}'`);

describe('code blocks', () => {
  let standIn;
  let env;

  beforeAll(async () => {
    standIn = await serve();
    env = {
      ...process.env,
      INTENT_BASE_URL: standIn.url,
      INTENT_GATEWAY_URL: `${standIn.url}/chat/completions`,
      INTENT_MODEL: 'stand-in',
      INTENT_API_KEY: 'key-of-the-stand-in',
    };
    makeProject(project);
    writeFileSync(
      join(project, 'host.ts'),
      `import { answer } from './stand-in.mjs';
export const askHostModel = async (task: { instructions: string; payload: string; format: object }) =>
  answer(task.payload);
`,
    );
    const standInModule = pathToFileURL(join(root, '__test__', 'docs', 'stand-in.mjs'));
    writeFileSync(join(out, 'stand-in.mjs'), `export * from '${standInModule}';\n`);
    writeFileSync(
      join(project, 'stand-in.d.mts'),
      'export declare const answer: (payload: string) => string;\n',
    );
    for (const { name, language, flags, code, flag } of runnable) {
      const text = toStandIn(code, standIn.url);
      if (language === 'ts') writeFileSync(join(project, `${name}.ts`), `${text}\nexport {};\n`);
      else if (flag === 'mcp') writeFileSync(join(out, `${name}.mjs`), text);
      else writeFileSync(join(out, `${name}.${flags.includes('cjs') ? 'cjs' : 'mjs'}`), text);
    }
  });

  afterAll(() => standIn.close());

  it('compile', { timeout: 60_000 }, async () => {
    const { code, stdout } = await run(process.execPath, [TSC, '-p', project], { cwd: project });
    expect(stdout).toBe('');
    expect(code).toBe(0);
  });

  for (const { name, language, flags, flag, where } of runnable) {
    if (flag === 'run')
      it(`${where} runs`, { timeout: 40_000 }, async () => {
        const ending = language === 'ts' ? 'js' : flags.includes('cjs') ? 'cjs' : 'mjs';
        const ran = await run(process.execPath, [join(out, `${name}.${ending}`)], {
          cwd: out,
          env,
        });
        expect(ran.stderr).toBe('');
        expect(ran.code).toBe(0);
      });
    if (flag === 'mcp')
      it(`${where} is served`, { timeout: 40_000 }, async () => {
        const bin = join(root, 'bin', 'intent-runtime-mcp.js');
        const lines = [
          {
            method: 'initialize',
            id: 1,
            params: {
              protocolVersion: '2025-06-18',
              capabilities: {},
              clientInfo: { name: 'docs', version: '1' },
            },
          },
          { method: 'notifications/initialized' },
          { method: 'tools/list', id: 2 },
        ];
        const input = lines
          .map((line) => `${JSON.stringify({ jsonrpc: '2.0', ...line })}\n`)
          .join('');
        const args = [bin, '--config', join(out, `${name}.mjs`)];
        const ran = await run(process.execPath, args, { cwd: out, env, input });
        expect(ran.stderr).toBe('');
        expect(ran.code).toBe(0);
        const answers = ran.stdout
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line));
        const { tools } = answers.find(({ id }) => id === 2).result;
        expect(tools.map((tool) => tool.name)).toEqual([
          'intent_prepare',
          'intent_accept',
          'intent_cancel',
        ]);
      });
  }

  it('there are some', () => {
    expect(runnable.length).toBeGreaterThan(20);
  });

  it('JSON blocks are JSON', () => {
    for (const page of pairs().flat())
      for (const { language, flags, code, line } of read(page).blocks) {
        if (language !== 'json') continue;
        const texts = flags.includes('lines') ? code.trim().split('\n') : [code];
        for (const text of texts) expect(() => JSON.parse(text), `${page}:${line}`).not.toThrow();
      }
  });
});

describe('both languages', () => {
  it('have the same pages', () => {
    expect(chinesePages().sort()).toEqual(
      pairs()
        .map(([, chinese]) => chinese)
        .sort(),
    );
  });

  for (const [english, chinese] of pairs())
    it(`${english} and ${chinese} have the same headings and code`, () => {
      const [ours, theirs] = [read(english), read(chinese)];
      expect(theirs.headings).toEqual(ours.headings);
      // `text` blocks, comments and the texts in code are Chinese on the Chinese page.
      const code = (blocks, each) =>
        blocks.map(({ language, flags, code }, index) => ({
          language,
          flags,
          code: language === 'text' ? undefined : each(code, ours.blocks[index]?.code ?? ''),
        }));
      expect(code(theirs.blocks, inEnglish)).toEqual(code(ours.blocks, withoutLanguage));
    });
});

describe('facts', () => {
  const load = () => import('@devcodex/intent-runtime');
  const pagesOf = (name) => pairs().find(([page]) => page === join('docs', `${name}.md`));

  it('every error and issue code has its row', async () => {
    const { ERROR_CODES, DATA_ISSUE_CODES } = await load();
    for (const page of pagesOf('errors')) {
      const text = readFileSync(join(root, page), 'utf8');
      for (const code of [...ERROR_CODES, ...DATA_ISSUE_CODES])
        expect(text, `${page} has no row for ${code}`).toMatch(new RegExp(`^\\| \`${code}\``, 'm'));
    }
  });

  it('every limit has its row, with its default', async () => {
    const { DEFAULT_LIMITS } = await load();
    for (const page of pagesOf('limits')) {
      const text = readFileSync(join(root, page), 'utf8');
      for (const [name, value] of Object.entries(DEFAULT_LIMITS))
        expect(text, `${page}: ${name}`).toContain(`| \`${name}\` | ${value} |`);
    }
  });

  it('every export of every entry is on the API page', async () => {
    const entries = Object.keys(manifest.exports).filter((entry) => !entry.endsWith('.json'));
    for (const page of pagesOf('api')) {
      const text = readFileSync(join(root, page), 'utf8');
      for (const entry of entries) {
        const names = Object.keys(await import(join('@devcodex/intent-runtime', entry)));
        for (const name of names.filter((name) => !['default', 'module.exports'].includes(name)))
          expect(text, `${page}: ${name} of ${entry}`).toContain(`\`${name}`);
      }
    }
  });
});

describe('links', () => {
  for (const page of [...pairs().flat(), 'ARCHITECTURE.md'])
    it(`of ${page} lead to files`, () => {
      const text = readFileSync(join(root, page), 'utf8').replaceAll(/^```[\s\S]*?^```$/gm, '');
      for (const [, target] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^[a-z]+:/.test(target) || target.startsWith('#')) continue;
        const file = normalize(join(dirname(page), target.split('#')[0]));
        expect(existsSync(join(root, file)), `${page}: ${target}`).toBe(true);
      }
    });
});

it('every file that SECURITY.md names as a test exists', () => {
  const text = readFileSync(join(root, 'SECURITY.md'), 'utf8');
  const paths = [...text.matchAll(/`((?:src|tests|__test__|prove|\.github)\/[\w./-]*\w)`/g)];
  expect(paths.length).toBeGreaterThan(25);
  expect(paths.map(([, path]) => path).filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

it('every path that ARCHITECTURE.md names exists', () => {
  const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
  const paths = [...text.matchAll(/`((?:src|js|docs|data)\/[\w./-]*\w\/?)`/g)].map(
    ([, path]) => path,
  );
  expect(paths.length).toBeGreaterThan(25);
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});
