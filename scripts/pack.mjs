// Packs the packages for publication. The tests install the same tarballs.
//
//   node scripts/pack.mjs [--all] [folder]     the folder is target/packages unless given
// The platform packages become optional dependencies here and not in the repository, because `npm ci` cannot
// find them before they are published. `--all` is for a release: no binary may be missing. Otherwise the
// binaries in js/, where builds put them, are used instead of those in npm/.

import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const read = (file) => JSON.parse(readFileSync(file, 'utf8'));
const write = (file, value) => writeFileSync(file, `${JSON.stringify(value, undefined, 2)}\n`);

const npm = (args, cwd) =>
  execFileSync('npm', args, {
    cwd,
    encoding: 'utf8',
    shell: process.platform === 'win32',
    stdio: ['ignore', 'pipe', 'inherit'],
  });

/**
 * The fields of `package.json` that name the repository. Provenance uses them to find the source, and users to
 * find the home page and the place to report bugs. Only a release knows the address.
 */
export const originOf = ({ GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository }) => {
  if (!server || !repository) return {};
  const address = `${server}/${repository}`;
  return {
    repository: { type: 'git', url: `git+${address}.git` },
    homepage: `${address}#readme`,
    bugs: { url: `${address}/issues` },
  };
};
const origin = originOf(process.env);

/** The files of the main package, relative to the root. */
export const packedFiles = () => {
  const [{ files }] = JSON.parse(npm(['pack', '--dry-run', '--json', '--ignore-scripts'], root));
  return files.map(({ path }) => path);
};

/**
 * Packs into `folder`, and returns the paths of the tarballs as `{ main, platforms }`. `which` selects the
 * platforms: 'none', those 'present', or 'all', which fails if one is missing.
 */
export const pack = (folder, which = 'present') => {
  mkdirSync(folder, { recursive: true });
  for (const file of readdirSync(folder)) if (file.endsWith('.tgz')) rmSync(join(folder, file));
  const stage = mkdtempSync(join(tmpdir(), 'intent-pack-'));
  const tarball = (from) => {
    const [{ filename }] = JSON.parse(
      npm(['pack', '--json', '--ignore-scripts', '--pack-destination', resolve(folder)], from),
    );
    return join(folder, filename);
  };
  try {
    const main = read(join(root, 'package.json'));
    const optionalDependencies = {};
    const platforms = [];
    for (const platform of readdirSync(join(root, 'npm'))) {
      const own = read(join(root, 'npm', platform, 'package.json'));
      optionalDependencies[own.name] = main.version;
      if (which === 'none') continue;
      const binary = [join(root, 'npm', platform, own.main), join(root, 'js', own.main)]
        .slice(0, which === 'all' ? 1 : 2)
        .find((file) => existsSync(file));
      if (binary === undefined) {
        if (which === 'all') throw new Error(`npm/${platform}/${own.main} is missing.`);
        continue;
      }
      const copy = join(stage, platform);
      cpSync(join(root, 'npm', platform), copy, { recursive: true });
      copyFileSync(binary, join(copy, own.main));
      copyFileSync(join(root, 'LICENSE'), join(copy, 'LICENSE'));
      write(join(copy, 'package.json'), { ...own, ...origin });
      platforms.push(tarball(copy));
    }
    const copy = join(stage, 'main');
    for (const file of packedFiles()) {
      mkdirSync(dirname(join(copy, file)), { recursive: true });
      copyFileSync(join(root, file), join(copy, file));
    }
    const { scripts, devDependencies, overrides, napi, ...published } = main;
    write(join(copy, 'package.json'), { ...published, ...origin, optionalDependencies });
    return { main: tarball(copy), platforms };
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const args = process.argv.slice(2);
  const folder = args.find((arg) => !arg.startsWith('--')) ?? join(root, 'target/packages');
  const { main, platforms } = pack(folder, args.includes('--all') ? 'all' : 'present');
  for (const file of [main, ...platforms]) process.stdout.write(`${file}\n`);
}
