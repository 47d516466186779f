// Publishes the packages of scripts/pack.mjs: the platforms first, so that the main package never names a
// package that does not exist. Packages that are already published are skipped, so a run can be repeated.
//
//   node scripts/publish.mjs [--dry-run] [folder]

import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

const { name, version } = createRequire(import.meta.url)('../package.json');
const args = process.argv.slice(2);
const folder = resolve(args.find((arg) => !arg.startsWith('--')) ?? 'target/packages');
const main = `${name.replace('@', '').replace('/', '-')}-${version}.tgz`;
const packed = readdirSync(folder).filter((file) => file.endsWith('.tgz'));
if (!packed.includes(main)) throw new Error(`${folder} holds no ${main}.`);

const isPublished = (id) => {
  try {
    return execFileSync('npm', ['view', id, 'version'], { encoding: 'utf8', stdio: 'pipe' }) !== '';
  } catch (error) {
    if (/E404/.test(error.stderr)) return false;
    throw error;
  }
};

for (const file of [...packed.filter((other) => other !== main), main]) {
  const platform = file.slice(main.length - `${version}.tgz`.length, -`-${version}.tgz`.length);
  const id = `${name}${platform && `-${platform}`}@${version}`;
  if (isPublished(id)) {
    console.log(`${id} is published already.`);
    continue;
  }
  execFileSync(
    'npm',
    [
      'publish',
      join(folder, file),
      '--access=public',
      // `npm install` must not install a pre-release by default.
      `--tag=${version.includes('-') ? 'next' : 'latest'}`,
      ...(args.includes('--dry-run') ? ['--dry-run'] : ['--provenance']),
    ],
    { stdio: 'inherit' },
  );
}
