// The package as a whole: one version, one generated loader, one addon for every way in, and an
// error that helps where no addon loads.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { versionFaults } from '../scripts/check-versions.mjs';
import { writeLoader } from '../scripts/write-loader.mjs';

const require = createRequire(import.meta.url);
const root = join(import.meta.dirname, '..');
const manifest = require('../package.json');

let folder;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'intent-package-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('versions', () => {
  test('are one everywhere', () => {
    expect(versionFaults(`v${manifest.version}`)).toEqual([]);
  });

  test('another tag is found out', () => {
    for (const tag of ['v0.0.1', manifest.version, ''])
      expect(versionFaults(tag)).toEqual([`The tag is ${tag}, not v${manifest.version}.`]);
  });
});

test('every target has its platform package', () => {
  const systems = { linux: 'linux', darwin: 'darwin', win32: 'windows' };
  const arches = { x64: 'x86_64', arm64: 'aarch64' };
  const targets = readdirSync(join(root, 'npm')).map((name) => {
    const { os, cpu, libc, main, files } = require(`../npm/${name}/package.json`);
    expect(main).toBe(`intent-runtime.${name}.node`);
    expect(files).toEqual([main]);
    const abi = libc === undefined ? '' : { glibc: 'gnu', musl: 'musl' }[libc[0]];
    return [arches[cpu[0]], systems[os[0]], abi].join(' ');
  });
  expect(targets.sort()).toEqual(
    manifest.napi.targets
      .map((target) => {
        const [arch, , system, abi] = target.split('-');
        return [arch, system, system === 'linux' ? abi : ''].join(' ');
      })
      .sort(),
  );
});

test('js/addon-loader.js equals the loader that napi generates for this addon', async () => {
  await writeLoader(folder);
  const lines = (text) => text.replaceAll('\r\n', '\n');
  expect(lines(readFileSync(join(root, 'js/addon-loader.js'), 'utf8'))).toBe(
    lines(readFileSync(join(folder, 'addon-loader.js'), 'utf8')),
  );
});

test('require and import in one process give the same values, each by name', () => {
  const entries = Object.keys(manifest.exports)
    .filter((entry) => !entry.endsWith('.json'))
    .map((entry) => manifest.name + entry.slice(1));
  // Not under vitest, which imports in a way of its own.
  const code = `
    import { createRequire } from 'node:module';
    const require = createRequire('${import.meta.filename.replaceAll('\\', '/')}');
    const differing = [];
    for (const entry of ${JSON.stringify(entries)}) {
      const required = require(entry);
      const { default: whole, 'module.exports': _, ...imported } = await import(entry);
      const names = new Set([...Object.keys(required), ...Object.keys(imported)]);
      for (const name of names)
        if (required[name] === undefined || imported[name] !== required[name])
          differing.push(entry + ' ' + name);
      if (whole !== required || names.size === 0) differing.push(entry);
    }
    console.log(JSON.stringify(differing));`;
  const run = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    cwd: root,
    encoding: 'utf8',
  });
  expect(run.stderr).toBe('');
  expect(JSON.parse(run.stdout)).toEqual([]);
});

describe('without an addon that loads', () => {
  const load = (env) => {
    const code = "try { require('./js/index.js'); } catch (error) { console.log(error.message); }";
    const run = spawnSync(process.execPath, ['-e', code], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, NAPI_RS_NATIVE_LIBRARY_PATH: '', ...env },
    });
    expect(run.stderr).toBe('');
    expect(run.status).toBe(0);
    return run.stdout;
  };
  const binary = () =>
    readdirSync(join(root, 'js')).find((file) => /^intent-runtime\..+\.node$/.test(file));

  beforeEach(() => {
    cpSync(join(root, 'js'), join(folder, 'js'), {
      recursive: true,
      filter: (file) => !file.endsWith('.node'),
    });
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  });

  test('the error names version, platform, what was tried and what to do', () => {
    const error = load();
    expect(error).toContain(
      `${manifest.name} ${manifest.version} has no native addon that loads on ${process.platform} ${process.arch}`,
    );
    if (process.platform === 'linux') expect(error).toMatch(/(arm64|x64), (glibc \d+\.\d+|musl), /);
    expect(error).toContain(`  - Cannot find module './${binary()}'\n`);
    expect(error).toContain(
      `  - Cannot find module '${manifest.name}-${binary().split('.')[1]}'\n`,
    );
    expect(error).not.toContain('wasi');
    expect(error).toContain('--omit=optional');
  });

  test('the error gives the reason of the system loader', () => {
    writeFileSync(join(folder, 'js', binary()), 'no library');
    const said = {
      linux: /- .+\.node: (file too short|invalid ELF header|Error loading shared library)/,
      darwin: /- dlopen\(.+\.node/,
      win32: /- .+\.node is not a valid Win32 application/,
    };
    expect(load()).toMatch(said[process.platform]);
  });

  test('the error says so where NAPI_RS_NATIVE_LIBRARY_PATH leads nowhere', () => {
    const error = load({ NAPI_RS_NATIVE_LIBRARY_PATH: join(folder, 'nowhere.node') });
    expect(error).toContain('nowhere.node');
    expect(error).not.toContain(`'${manifest.name}-`);
  });

  describe('the attempts of the loader follow the C library of the process', () => {
    /** Loads the package in a process that says of itself what `preload` makes it say. */
    const loadAs = (preload) => {
      const file = join(folder, 'preload.cjs');
      writeFileSync(file, preload);
      return load({ NODE_OPTIONS: `--require ${file}` });
    };
    const system = (platform, arch) => `
      Object.defineProperty(process, 'platform', { value: ${JSON.stringify(platform)} });
      Object.defineProperty(process, 'arch', { value: ${JSON.stringify(arch)} });`;
    const libc = (arch, report, ldd) => `${system('linux', arch)}
      process.report.getReport = () => (${report});
      const fs = require('node:fs');
      const { readFileSync } = fs;
      fs.readFileSync = (file, ...rest) =>
        file === '/usr/bin/ldd' ? ${JSON.stringify(ldd)} : readFileSync(file, ...rest);`;
    const glibc = "{ header: { glibcVersionRuntime: '2.36' }, sharedObjects: ['/lib/libc.so.6'] }";
    const musl = "{ header: {}, sharedObjects: ['/lib/ld-musl-x86_64.so.1'] }";
    const silent = '{ header: {}, sharedObjects: [] }';
    const refusing = "(() => { throw new Error('no permission') })()";

    test.each([
      ['glibc', glibc, 'GNU libc', 'x64', 'linux-x64-gnu'],
      ['glibc on a musl system', glibc, 'musl libc', 'x64', 'linux-x64-gnu'],
      ['musl', musl, 'musl libc', 'arm64', 'linux-arm64-musl'],
      ['musl on a glibc system', musl, 'GNU libc', 'x64', 'linux-x64-musl'],
      ['a silent report on a musl system', silent, 'musl libc', 'x64', 'linux-x64-musl'],
      ['a silent report on a glibc system', silent, 'GNU libc', 'arm64', 'linux-arm64-gnu'],
      ['a refused report on a musl system', refusing, 'musl libc', 'x64', 'linux-x64-musl'],
    ])('%s', (_, report, ldd, arch, platform) => {
      const error = loadAs(libc(arch, report, ldd));
      const tried = [...error.matchAll(/'@devcodex\/intent-runtime-([\w-]+)'/g)].map(([, a]) => a);
      expect(tried).toEqual([platform]);
    });

    test.each([
      ['darwin', 'arm64', 'darwin-arm64'],
      ['darwin', 'x64', 'darwin-x64'],
      ['win32', 'arm64', 'win32-arm64-msvc'],
      ['win32', 'x64', 'win32-x64-msvc'],
    ])('%s %s', (platform, arch, wanted) => {
      const error = loadAs(system(platform, arch));
      expect(error).toContain(`no native addon that loads on ${platform} ${arch},`);
      expect(error).toContain(`'${manifest.name}-${wanted}'`);
    });

    test.each([
      ['linux', 's390x'],
      ['linux', 'ia32'],
      ['freebsd', 'x64'],
      ['aix', 'ppc64'],
    ])('%s %s has none, and the error names the platforms that do', (platform, arch) => {
      const error = loadAs(system(platform, arch));
      expect(error).toContain(`no native addon that loads on ${platform} ${arch},`);
      expect(error).toContain('Linux (glibc 2.17 or musl), macOS and Windows on x64 and arm64');
    });

    test('loading leaves the settings of the process report as they were', () => {
      for (const setting of [true, false]) {
        const code = `process.report.excludeNetwork = ${setting};
          require('./js/index.js');
          console.log(process.report.excludeNetwork);`;
        const run = spawnSync(process.execPath, ['-e', code], { cwd: root, encoding: 'utf8' });
        expect(run.stdout).toBe(`${setting}\n`);
      }
    });
  });

  test('an addon of another version is refused', () => {
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest, version: '9.9.9' }));
    const error = load({ NAPI_RS_NATIVE_LIBRARY_PATH: join(root, 'js', binary()) });
    expect(error).toContain(
      `${manifest.name} 9.9.9 found the native addon of version ${manifest.version}.`,
    );
  });
});

test('a release names home page, repository and bugs; other builds name no address', async () => {
  const { originOf } = await import('../scripts/pack.mjs');
  expect(originOf({})).toEqual({});
  const env = { GITHUB_SERVER_URL: 'https://github.com', GITHUB_REPOSITORY: 'me/runtime' };
  expect(originOf(env)).toEqual({
    repository: { type: 'git', url: 'git+https://github.com/me/runtime.git' },
    homepage: 'https://github.com/me/runtime#readme',
    bugs: { url: 'https://github.com/me/runtime/issues' },
  });
});
