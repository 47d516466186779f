// A user's project below target/: ES modules, TypeScript, the package installed.

import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Starts TypeScript's compiler, as an argument of Node.js. */
export const TSC = join(
  dirname(createRequire(import.meta.url).resolve('typescript/package.json')),
  'bin',
  'tsc',
);

/** Lays out the project anew, with `packages` of this repository's own beside the package itself. */
export const makeProject = (project, packages = []) => {
  const modules = join(project, 'node_modules');
  const link = (from, name) => symlinkSync(from, join(modules, name), 'junction');
  rmSync(project, { recursive: true, force: true });
  mkdirSync(join(modules, '@devcodex'), { recursive: true });
  mkdirSync(join(project, 'out'));
  link(root, '@devcodex/intent-runtime');
  for (const name of packages) link(join(root, 'node_modules', name), name);
  writeFileSync(join(project, 'package.json'), '{ "type": "module", "private": true }');
  const compilerOptions = {
    target: 'es2022',
    lib: ['es2022', 'esnext.disposable'],
    module: 'nodenext',
    types: ['node'],
    typeRoots: [join(root, 'node_modules', '@types')],
    strict: true,
    skipLibCheck: true,
    // A file that a block imports is in the same folder, before and after compiling.
    rootDir: '.',
    outDir: 'out',
  };
  writeFileSync(
    join(project, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, include: ['*.ts'] }),
  );
};
