// The pages of the documentation and the code blocks in them.
//
// A block that runs says so after its language:
//
//   ```ts run      type-checked, compiled and run as a module of a user's project
//   ```ts check    type-checked and compiled only
//   ```js run      run as an ES module; with `cjs`, as CommonJS
//   ```ts recipe   type-checked, compiled and run against the stand-in of its service (recipes.test.mjs)
//   ```js mcp      a configuration that `intent-runtime-mcp --config` must serve
//
// Every `json` block is one JSON text, or, marked `lines`, one on each line.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

const markdownIn = (folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => join(folder, name));

/** Pairs of pages: [English, Chinese]. */
export const pairs = () => [
  ['README.md', 'README.zh-CN.md'],
  ['SECURITY.md', 'SECURITY.zh-CN.md'],
  ...[...markdownIn('docs'), ...markdownIn(join('docs', 'recipes'))].map((page) => [
    page,
    page.replace('docs', join('docs', 'zh')),
  ]),
];

/** The Chinese pages in the folder, to be compared with {@link pairs}. */
export const chinesePages = () => [
  'README.zh-CN.md',
  'SECURITY.zh-CN.md',
  ...markdownIn(join('docs', 'zh')),
  ...markdownIn(join('docs', 'zh', 'recipes')),
];

/**
 * A page taken apart.
 *
 * @returns {{ headings: number[], blocks: { language: string, flags: string[], code: string, line: number }[] }}
 */
export const read = (page) => {
  const headings = [];
  const blocks = [];
  let open;
  readFileSync(join(root, page), 'utf8')
    .split('\n')
    .forEach((text, index) => {
      const fence = /^(`{3,})(.*)$/.exec(text);
      if (open !== undefined) {
        if (fence && fence[1].length >= open.fence && fence[2] === '') {
          blocks.push({ ...open, code: `${open.lines.join('\n')}\n` });
          open = undefined;
        } else open.lines.push(text);
      } else if (fence) {
        const [language = '', ...flags] = fence[2].trim().split(/\s+/);
        open = { language, flags, line: index + 1, fence: fence[1].length, lines: [] };
      } else if (/^#{1,6} /.test(text)) headings.push(text.indexOf(' '));
    });
  if (open !== undefined) throw new Error(`${page}:${open.line}: the code block is not closed`);
  return { headings, blocks };
};

/** Removes the comments from code, because they may be translated. */
export const withoutComments = (code) =>
  code
    .replace(/(^|\s)(\/\/\/?|#) .*$/gm, '')
    .replace(/^\s*\/\*\* .* \*\/$/gm, '')
    .replace(/\s+$/gm, '');

const TEXT = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g;
const isChinese = (text) => /\p{Script=Han}/u.test(text) || text === "'zh-CN'";

/** Code without comments and without the language of the results. */
export const withoutLanguage = (code) =>
  withoutComments(code).replaceAll(/\blanguage: 'zh-CN',\s*/g, '');

/**
 * The code of a Chinese page as the English page has it: without comments, with the English text where the
 * Chinese page has a Chinese one, and without `language: 'zh-CN'`. Whatever else differs still differs.
 */
export const inEnglish = (chinese, english) => {
  const texts = withoutLanguage(english).match(TEXT) ?? [];
  let index = -1;
  return withoutLanguage(chinese).replaceAll(TEXT, (text) => {
    index += 1;
    return isChinese(text) ? (texts[index] ?? text) : text;
  });
};
