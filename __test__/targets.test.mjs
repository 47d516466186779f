// The checks of what is built for other platforms, through their commands: what an addon must not be, what is
// skipped, and what fails. `npm run check:targets` itself builds, loads and tries real addons.

import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dll, elf } from './support/binaries.mjs';

const root = join(import.meta.dirname, '..');
const program = (name) =>
  process.env.PATH.split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));

let folder;
/** A profile of no build: its addons are those that a test puts there. */
let profile;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'intent-targets-'));
  profile = join(root, 'target/check-targets', basename(folder));
  mkdirSync(profile, { recursive: true });
});
afterAll(() => {
  for (const path of [folder, profile]) rmSync(path, { recursive: true, force: true });
});

/** Runs a script where nothing is installed but these programs of the system. */
const running = (script, args, programs) => {
  const path = mkdtempSync(join(folder, 'path-'));
  for (const name of programs) symlinkSync(program(name), join(path, name));
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, PATH: path, INTENT_TARGETS_CACHE: join(folder, 'cache') },
  });
  return { status, stdout, stderr };
};

const checked = (platform, bytes, programs = ['readelf', 'objdump']) => {
  const file = join(mkdtempSync(join(folder, 'addon-')), `intent-runtime.${platform}.node`);
  writeFileSync(file, bytes);
  const { status, stdout, stderr } = running('scripts/targets/check-addon.mjs', [file], programs);
  return { status, stdout, faults: stderr.replaceAll(`${file} `, '').trim() };
};

describe.skipIf(!program('readelf'))('an addon for Linux', () => {
  const MUSL = { glibc: [], needed: ['libc.so'] };

  test.each([
    ['linux-x64-gnu', {}, 'glibc 2.17, libc.so.6'],
    ['linux-arm64-gnu', { arch: 'arm64' }, 'glibc 2.17, libc.so.6'],
    // 2.9 is older than 2.17.
    ['linux-x64-gnu', { glibc: ['2.9', '2.2.5'] }, 'glibc 2.9, libc.so.6'],
    [
      'linux-x64-gnu',
      { needed: ['libc.so.6', 'libpthread.so.0', 'ld-linux-x86-64.so.2'] },
      'glibc 2.17, libc.so.6, libpthread.so.0, ld-linux-x86-64.so.2',
    ],
    ['linux-x64-musl', MUSL, 'libc.so'],
    ['linux-arm64-musl', { ...MUSL, arch: 'arm64' }, 'libc.so'],
  ])('%s: %j passes', (platform, over, needs) => {
    const { status, stdout, faults } = checked(platform, elf(over));
    expect({ status, faults }).toEqual({ status: 0, faults: '' });
    expect(stdout).toMatch(new RegExp(` needs ${needs.replaceAll('.', '\\.')}\\.\n$`));
  });

  test.each([
    ['linux-x64-gnu', { glibc: ['2.2.5', '2.18'] }, 'needs glibc 2.18.'],
    ['linux-x64-gnu', { glibc: ['2.2.5', '2.100'] }, 'needs glibc 2.100.'],
    ['linux-x64-gnu', { executableStack: true }, 'asks for an executable stack.'],
    ['linux-x64-gnu', { buildId: false }, 'has no build id.'],
    ['linux-x64-gnu', { stripped: false }, 'has its symbol table.'],
    ['linux-x64-gnu', { exported: 'other' }, 'exports no napi_register_module_v1.'],
    ['linux-x64-gnu', { arch: 'arm64' }, 'is for AArch64, not Advanced Micro Devices X86-64.'],
    ['linux-arm64-musl', MUSL, 'is for Advanced Micro Devices X86-64, not AArch64.'],
    [
      'linux-x64-gnu',
      { needed: ['libc.so.6', 'libssl.so.3'] },
      'needs libssl.so.3, which not every system has.',
    ],
    // A binary of the one C library in the package of the other.
    [
      'linux-x64-gnu',
      MUSL,
      'needs libc.so, which not every system has.\n' +
        'names no version of glibc; is it built for glibc at all?.',
    ],
    [
      'linux-x64-musl',
      {},
      'needs libc.so.6, which not every system has.\nis built for glibc 2.17.',
    ],
  ])('%s: %j is a fault', (platform, over, faults) => {
    expect(checked(platform, elf(over))).toMatchObject({ status: 1, faults });
  });

  test.each([
    ['nothing', ''],
    ['text', 'version https://git-lfs.github.com/spec/v1\n'],
    ['half of it', elf().subarray(0, 70)],
    ['a DLL', dll()],
  ])('%s is no addon', (_, bytes) => {
    const { status, faults } = checked('linux-x64-gnu', bytes);
    expect({ status, stack: /\n\s+at /.test(faults) }).toEqual({ status: 1, stack: false });
    expect(faults).not.toBe('');
  });
});

describe.skipIf(!program('objdump'))('an addon for Windows', () => {
  test('passes', () => {
    const { status, stdout, faults } = checked('win32-x64-msvc', dll());
    expect({ status, faults }).toEqual({ status: 0, faults: '' });
    expect(stdout).toContain(' needs KERNEL32.dll.');
  });

  test.each([
    [{ library: false }, 'is no DLL.'],
    [{ stripped: false }, 'has its symbol table.'],
    [{ exported: 'other' }, 'exports no napi_register_module_v1.'],
    [{ protections: ['HIGH_ENTROPY_VA'] }, 'is linked without DYNAMIC_BASE, NX_COMPAT.'],
    [{ needed: { 'KERNEL32.dll': 'AllocConsole' } }, 'can open a console.'],
    // Such an addon loads in no Electron, whose program has another name.
    [
      { needed: { 'node.exe': 'napi_throw', 'KERNEL32.dll': 'GetLastError' } },
      'needs node.exe, which not every system has.',
    ],
    [
      { needed: { 'VCRUNTIME140.dll': 'memcpy' } },
      'needs VCRUNTIME140.dll, which not every system has.',
    ],
  ])('%j is a fault', (over, faults) => {
    const found = checked('win32-x64-msvc', dll(over));
    expect(found.status).toBe(1);
    expect(found.faults).toContain(faults);
  });

  test.each([
    ['an ELF library', elf()],
    // objdump reads it, or is not built for that processor.
    ['a library for another processor', dll({ machine: 0x1c4 })],
    ['nothing', ''],
  ])('%s is no addon', (_, bytes) => {
    const { status, faults } = checked('win32-x64-msvc', bytes);
    expect({ status, stack: /\n\s+at /.test(faults) }).toEqual({ status: 1, stack: false });
    expect(faults).not.toBe('');
  });
});

// Links to programs are made as Linux has them.
describe.skipIf(process.platform !== 'linux')('the command', () => {
  const command = (target, programs, bytes) => {
    for (const file of readdirSync(profile)) rmSync(join(profile, file));
    const [platform] = /linux-\w+|windows-gnu/.exec(target) ?? [];
    const names = { 'linux-gnu': 'linux-x64-gnu', 'linux-musl': 'linux-x64-musl' };
    if (bytes) writeFileSync(join(profile, `intent-runtime.${names[platform]}.node`), bytes);
    const args = ['--no-build', '--profile', basename(profile), target];
    const { status, stdout, stderr } = running('scripts/check-targets.mjs', args, programs);
    const [, shown] = /^\| `[\w-]+` \| (.+) \|$/m.exec(stdout) ?? [];
    const [sum] = /^\d+ passed, .*$/m.exec(stdout) ?? [stderr];
    return { status, shown, sum };
  };

  test('a check without its program says so, and is no pass', () => {
    expect(checked('linux-x64-gnu', elf(), [])).toMatchObject({
      status: 1,
      faults: 'readelf is not installed.',
    });
    expect(checked('win32-x64-msvc', dll(), [])).toMatchObject({
      status: 1,
      faults: 'objdump is not installed.',
    });
  });

  test('a target that cannot be had here is skipped with its reason', () => {
    for (const target of ['aarch64-apple-darwin', 'x86_64-unknown-linux-musl']) {
      const { status, shown, sum } = command(target, []);
      expect({ status, sum }, shown).toEqual({ status: 0, sum: '0 passed, 0 failed, 1 skipped' });
      expect(shown).toMatch(/^skipped: (compiled|built) \(.+\)/);
    }
  });

  test.skipIf(!program('readelf'))('so is one whose Node.js cannot be had here', () => {
    const musl = elf({ glibc: [], needed: ['libc.so'] });
    const { status, shown, sum } = command('x86_64-unknown-linux-musl', ['readelf'], musl);
    expect({ status, sum }, shown).toEqual({ status: 0, sum: '0 passed, 0 failed, 1 skipped' });
    expect(shown).toMatch(/symbols checked \(libc\.so\); skipped: its Node\.js starts \(.+\)$/);
  });

  test.skipIf(!program('readelf'))('so is a smoke test without openssl', () => {
    const { status, shown, sum } = command(
      'x86_64-unknown-linux-gnu',
      ['readelf', 'sh', 'env', 'node', 'npm'],
      elf(),
    );
    expect({ status, sum }, shown).toEqual({ status: 0, sum: '0 passed, 0 failed, 1 skipped' });
    expect(shown).toContain('skipped: loaded, smoke passed (openssl is not installed)');
  });

  test('a file that cannot be read here is loaded all the same', () => {
    const { shown } = command('x86_64-unknown-linux-gnu', [], elf());
    expect(shown).toContain('skipped: symbols checked (readelf is not installed)');
    expect(shown).toContain('its Node.js starts (v');
  });

  test.skipIf(!program('readelf'))('an addon with a fault fails', () => {
    const { status, shown, sum } = command(
      'x86_64-unknown-linux-gnu',
      ['readelf'],
      elf({ glibc: ['2.38'], executableStack: true }),
    );
    expect({ status, sum }).toEqual({ status: 1, sum: '0 passed, 1 failed, 0 skipped' });
    expect(shown).toContain('FAILED: the addon needs glibc 2.38; asks for an executable stack');
  });

  test.skipIf(!program('openssl'))('an addon that does not load fails', () => {
    const { status, shown, sum } = command(
      'x86_64-unknown-linux-gnu',
      ['openssl', 'sh', 'env', 'node', 'npm'],
      elf(),
    );
    expect({ status, sum }, shown).toEqual({ status: 1, sum: '0 passed, 1 failed, 0 skipped' });
    expect(shown).toContain('FAILED: ');
  });

  test('a target that is not known', () => {
    const { status, sum } = command('x86_64-unknown-linux', []);
    expect(status).toBe(1);
    expect(sum).toContain('There is no target x86_64-unknown-linux. There are ');
  });
});
