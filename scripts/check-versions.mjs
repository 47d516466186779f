// Checks that all files have the same version, before a release.
//
//   node scripts/check-versions.mjs [tag]

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const text = (...path) => readFileSync(join(root, ...path), 'utf8');
const json = (...path) => JSON.parse(text(...path));

/** Returns the faults, one sentence each; `tag` is the tag of the release, as in `v2.0.0`. */
export const versionFaults = (tag) => {
  const { version, name, napi } = json('package.json');
  const faults = [];
  const expect = (where, found) => {
    if (found !== version) faults.push(`${where} has ${found ?? 'none'}, not ${version}.`);
  };
  expect('Cargo.toml', /^version = "(.+)"$/m.exec(text('Cargo.toml'))?.[1]);
  expect(
    'Cargo.lock',
    /^name = "intent-runtime"\r?\nversion = "(.+)"$/m.exec(text('Cargo.lock'))?.[1],
  );
  expect('package-lock.json', json('package-lock.json').version);
  for (const [, found] of text('js/addon-loader.js').matchAll(/mismatch, expected (\S+) but/g))
    if (found !== version) {
      expect('js/addon-loader.js', found);
      break;
    }
  const platforms = readdirSync(join(root, 'npm'));
  if (platforms.length !== napi.targets.length)
    faults.push(`npm/ has ${platforms.length} packages, not ${napi.targets.length}.`);
  for (const platform of platforms) {
    const own = json('npm', platform, 'package.json');
    expect(`npm/${platform}`, own.version);
    if (own.name !== `${name}-${platform}`) faults.push(`npm/${platform} is named ${own.name}.`);
  }
  if (!text('CHANGELOG.md').includes(`\n## [${version}]`))
    faults.push(`CHANGELOG.md has no section for ${version}.`);
  if (tag !== undefined && tag !== `v${version}`)
    faults.push(`The tag is ${tag}, not v${version}.`);
  return faults;
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const faults = versionFaults(process.argv[2]);
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  process.exitCode = faults.length > 0 ? 1 : 0;
}
