// Tests that readers can find each page: both READMEs name every page and every example, the recipes name every
// example, and the troubleshooting pages have the words of the error messages.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SEARCHES } from '../scripts/check-site.mjs';
import { pairs, root } from './docs/blocks.mjs';

const text = (page) => readFileSync(join(root, page), 'utf8');
const linksOf = (page) =>
  [...text(page).matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map(([, link]) => link);

const examples = readdirSync(join(root, 'examples')).map((name) => `examples/${name}`);
const programs = readdirSync(join(root, 'examples'), { recursive: true });

describe.each([
  ['README.md', 'docs', 'SECURITY.md', 0],
  ['README.zh-CN.md', 'docs/zh', 'SECURITY.zh-CN.md', 1],
])('%s', (readme, folder, security, side) => {
  it('links every page', () => {
    const links = linksOf(readme);
    // The site's own front page and what only includes another file have their links elsewhere.
    const others = {
      'index.md': readme,
      'security.md': security,
      'architecture.md': 'ARCHITECTURE.md',
    };
    const pages = pairs()
      .map((pair) => pair[side].replaceAll('\\', '/'))
      .filter((page) => page.startsWith('docs/') && !page.includes('/recipes/'));
    expect(pages.length).toBeGreaterThan(25);
    for (const page of pages) {
      const other = others[page.slice(folder.length + 1)];
      if (other !== readme) expect(links, page).toContain(other ?? page);
    }
  });

  it('links every example', () => {
    const links = linksOf(readme);
    for (const example of examples)
      expect(
        links.some((link) => link === example || link.startsWith(`${example}/`)),
        example,
      ).toBe(true);
    for (const link of links.filter((link) => link.startsWith('examples/')))
      expect(existsSync(join(root, normalize(link))), link).toBe(true);
  });

  it('has the recipes beside it name every example', () => {
    const recipes = text(`${folder}/recipes.md`);
    for (const example of examples) expect(recipes, example).toContain(`\`${example}\``);
    const named = [...recipes.matchAll(/`(examples\/[\w./-]+)`/g)].map(([, path]) => path);
    for (const path of named) expect(existsSync(join(root, path)), path).toBe(true);
  });
});

it('the programs of examples/server and examples/testing are linked one by one', () => {
  const found = programs
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => /^server\/(?!main)\w.*\.mjs$|^testing\/.*\.mjs$/.test(name));
  expect(found.length).toBeGreaterThan(5);
  for (const name of found) expect(linksOf('README.md'), name).toContain(`examples/${name}`);
});

// The search of the site is tried in a browser by site.test.mjs, where there is one. It finds whole words.
it.each(SEARCHES)('from %s the word "%s" stands in the page %s', (from, word, path) => {
  const page = text(`docs${path}.md`).toLowerCase();
  expect(path.startsWith('/zh/')).toBe(from === '/zh/');
  expect(page).toContain(word.toLowerCase());
});

describe('the error messages of the troubleshooting pages', () => {
  const filesIn = (folder, ending) =>
    readdirSync(join(root, folder), { recursive: true })
      .filter((name) => name.endsWith(ending))
      .map((name) => text(join(folder, name)));
  // Long texts stand on several lines of the code.
  const code = [
    ...filesIn('js', '.js').map((file) => file.replaceAll(/['`]\s*\+\s*['`]/g, '')),
    ...['src', 'crates']
      .flatMap((folder) => filesIn(folder, '.rs'))
      .map((file) => file.replaceAll(/\\\n\s*/g, '').replaceAll(/\\(["\\])/g, '$1')),
  ].join('\n');
  const messagesOf = (page, heading) => {
    const [, section] = text(page).split(`## ${heading}\n`);
    return [...section.split('\n## ')[0].matchAll(/^\| `([^`]+)` \|/gm)].map(([, words]) => words);
  };
  const english = messagesOf('docs/troubleshooting.md', 'Error messages');

  it('are the same in both languages', () => {
    expect(english.length).toBeGreaterThan(50);
    expect(messagesOf('docs/zh/troubleshooting.md', '报错原文')).toEqual(english);
  });

  it.each(english)('"%s" stands in the code', (words) => {
    expect(code).toContain(words);
  });
});

// The address of a heading, as the site (@mdit-vue/shared) and, for these headings, GitHub make it.
const addressOf = (heading) =>
  heading
    .replaceAll('`', '')
    .normalize('NFKD')
    .replaceAll(/[\s~`!@#$%^&*()\-_+=[\]{}|\\;:"'“”‘’<>,.?/]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .toLowerCase();

const withoutCode = (page) => text(page).replaceAll(/^```[\s\S]*?^```$/gm, '');
const addressesIn = (page) =>
  [...withoutCode(page).matchAll(/^#{1,6} (.*)$/gm)].map(([, heading]) => addressOf(heading));

it.each(pairs().flat())('every link of %s to a heading finds it', (page) => {
  for (const [, link] of withoutCode(page).matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^[a-z]+:/.test(link) || !link.includes('#')) continue;
    const [file, address] = link.split('#');
    const target = file === '' ? page : normalize(join(dirname(page), file));
    expect(addressesIn(target), link).toContain(address);
  }
});
