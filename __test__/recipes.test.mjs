// The recipe pages: each block is compiled as part of a user's project and run against the stand-in of
// its service, and holds the options of its row. And the table of services matches the rows.

import { execFile } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { read, root } from './docs/blocks.mjs';
import { serve } from './stand-ins/engine.mjs';
import { serveNative } from './stand-ins/native.mjs';
import { rowOf } from './stand-ins/rows.mjs';
import { literal, optionsOf, pages, RECIPES } from './stand-ins/table.mjs';
import { makeProject, TSC } from './support/project.mjs';

const project = join(root, 'target', 'recipes-test');
const KEY = 'sk-of-the-recipe';
/** Recipes that go by a provider package of the AI SDK, with the wire of their service. */
const NATIVE = { anthropic: 'anthropic', gemini: 'gemini' };

const recipesIn = (folder) =>
  readdirSync(join(root, folder)).map((file) => {
    const page = join(folder, file);
    const blocks = read(page).blocks.filter(({ flags }) => flags.includes('recipe'));
    return { name: file.replace(/\.md$/, ''), page, blocks };
  });
const english = recipesIn(join('docs', 'recipes'));
const recipes = [...english, ...recipesIn(join('docs', 'zh', 'recipes'))];
const fileOf = ({ page }, index) => `${page.replaceAll(/\W+/g, '-')}-${index}`;

const rowFor = (name) => rowOf(Object.keys(RECIPES).find((id) => RECIPES[id] === name));
const serviceFor = (name, options) =>
  NATIVE[name] === undefined ? serve(rowFor(name), options) : serveNative(NATIVE[name], options);

const run = (file, args, options) =>
  new Promise((resolve) => {
    execFile(file, args, { timeout: 60_000, cwd: project, ...options }, (error, stdout, stderr) =>
      resolve({ code: error ? (error.code ?? error.signal) : 0, stdout, stderr }),
    );
  });

/** The block asks the stand-in, and the keys are its own. */
const toStandIn = (code) =>
  code
    .replace(/baseURL: '[^']+'/, "baseURL: process.env.STAND_IN ?? ''")
    .replace(
      "provider: 'openai',\n  model",
      "provider: 'openai',\n  baseURL: process.env.STAND_IN ?? '',\n  model",
    )
    .replaceAll(/process\.env\.\w+_API_KEY/g, 'process.env.STAND_IN_KEY');

beforeAll(async () => {
  makeProject(project, ['@ai-sdk']);
  for (const recipe of recipes)
    recipe.blocks.forEach(({ code }, index) => {
      writeFileSync(join(project, `${fileOf(recipe, index)}.ts`), toStandIn(code));
    });
  const compiled = await run(process.execPath, [TSC, '-p', project]);
  expect(compiled.stdout).toBe('');
  expect(compiled.code).toBe(0);
}, 120_000);

test('there is one for each service that the issue names', () => {
  expect(english.map(({ name }) => name).sort()).toEqual(
    [...new Set([...Object.values(RECIPES), ...Object.keys(NATIVE)])].sort(),
  );
  for (const { blocks } of recipes) expect(blocks.length).toBeGreaterThan(0);
});

for (const recipe of recipes)
  describe(recipe.page, () => {
    recipe.blocks.forEach(({ code }, index) => {
      for (const faulty of [[], ['core', 'data']])
        test(`block ${index + 1} runs${faulty.length > 0 ? ', with a repair in each stage' : ''}`, async () => {
          const service = await serviceFor(recipe.name, { key: KEY, faulty });
          try {
            const file = join(project, 'out', `${fileOf(recipe, index)}.js`);
            const env = { ...process.env, STAND_IN: service.baseURL, STAND_IN_KEY: KEY };
            const ran = await run(process.execPath, [file], { env });
            expect(ran.stderr).toBe('');
            expect([ran.code, ran.stdout.trim()]).toEqual([0, 'query 000123']);
            expect(service.seen).toHaveLength(2 + faulty.length);
          } finally {
            await service.close();
          }
        });

      test(`block ${index + 1} has the options of its row, and no others`, () => {
        if (NATIVE[recipe.name] !== undefined) return;
        const row = rowFor(recipe.name);
        const bare = code.replaceAll(/ \/\/ .*$/gm, '');
        const [, call] = /createApiExecutor\(\{\n([\s\S]*?)\n\}\);/.exec(bare);
        const expected = [
          "provider: 'openai'",
          ...(row.preset ? [] : [`baseURL: '${row.baseURL}'`]),
          `model: '${row.models[0]}'`,
          ...optionsOf(row).map(([name, value]) => `${name}: ${literal(value)}`),
        ];
        const written = call
          .split('\n')
          .map((line) => line.trim().replace(/,$/, ''))
          .filter((line) => !line.startsWith('apiKey:'));
        expect(written.sort()).toEqual(expected.sort());
        expect(/apiKey:/.test(call)).toBe(row.key !== false);
      });
    });
  });

test('the table of services matches the rows', () => {
  for (const [page, text, made] of pages())
    expect(text, `${page}: run node __test__/stand-ins/table.mjs`).toBe(made);
});
