'use strict';
// Loads the addon of this version, or throws an error that says why it cannot. The search for the file
// is in ./addon-loader.js, which napi-rs generates.

const { version } = require('../package.json');
const { own } = require('./properties.js');

const MOST_CAUSES = 64;

/** Returns the attempts of the loader and their errors, in order: the loader chains its errors, newest first. */
const attempts = (error) => {
  const lines = [];
  let cause = error?.cause;
  for (let i = 0; i < MOST_CAUSES && cause != null; i++, cause = cause.cause) {
    const [line] = String(cause.message).split('\n');
    // The loader's last attempt is a WebAssembly build, which this package does not have.
    if (!/intent-runtime(-wasm32-wasi|\.wasi\.cjs)'/.test(line)) lines.unshift(line);
  }
  return lines.length > 0 ? lines : [String(error?.message ?? error)];
};

/** The C library of this process; only Linux has several. */
const libc = () => {
  const { platform, report } = process;
  if (platform !== 'linux' || typeof report?.getReport !== 'function') return '';
  // Without this setting, a report looks up the host names of all peers.
  const { excludeNetwork } = report;
  report.excludeNetwork = true;
  const glibc = own(report.getReport().header, 'glibcVersionRuntime');
  report.excludeNetwork = excludeNetwork;
  return glibc === undefined ? ', musl' : `, glibc ${glibc}`;
};

/** Reads a fact about the platform; a missing permission must not hide the reason of the failure. */
const readOrEmpty = (read) => {
  try {
    return read();
  } catch {
    return '';
  }
};

const notLoaded = (cause) => {
  const platform = `${process.platform} ${process.arch}${readOrEmpty(libc)}, Node-API ${process.versions.napi}`;
  const tried = attempts(cause).map((line) => `\n  - ${line}`);
  return new Error(
    `@devcodex/intent-runtime ${version} has no native addon that loads on ${platform}. Tried:${tried.join('')}\n` +
      'There are addons for Linux (glibc 2.17 or musl), macOS and Windows on x64 and arm64, each a ' +
      'package of its own and an optional dependency. Where it was not found, install without ' +
      '--omit=optional on the platform that runs it; if npm left it out all the same, remove ' +
      'node_modules and package-lock.json first (https://github.com/npm/cli/issues/4828).',
    { cause },
  );
};

const load = () => {
  let addon;
  try {
    addon = require('./addon-loader.js');
  } catch (error) {
    throw notLoaded(error);
  }
  const found = addon.version?.();
  if (found !== version) {
    throw new Error(
      `@devcodex/intent-runtime ${version} found the native addon of version ${found ?? 'unknown'}. ` +
        'Both must be of one version: install anew, and check what pins or overrides ' +
        '@devcodex/intent-runtime-* or sets NAPI_RS_NATIVE_LIBRARY_PATH.',
    );
  }
  return addon;
};

module.exports = load();
