// npm run build, build:fast, build:debug [-- options of `napi build`]: the addon, with --release as it
// is released.
//
// The crate is an rlib for Rust and a cdylib for Node. Linked for both at once, every public function
// of it stays in the addon, with all that they use; so `napi build` is given a cargo that makes the
// cdylib alone. Windows cannot start a script in cargo's place and builds as the crate says.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { patchLoader } from './write-loader.mjs';

const napi = fileURLToPath(new URL('../node_modules/@napi-rs/cli/dist/cli.js', import.meta.url));
const cargo = fileURLToPath(new URL('./cargo-cdylib.mjs', import.meta.url));
const env = process.platform === 'win32' ? process.env : { ...process.env, CARGO: cargo };
const options = ['--platform', '--output-dir', 'js', '--js', 'addon-loader.js'];
const declarations = ['--dts', '../target/native.d.ts'];
const { status } = spawnSync(
  process.execPath,
  [napi, 'build', ...options, ...declarations, ...process.argv.slice(2)],
  { stdio: 'inherit', env },
);
if (status !== 0) process.exit(status ?? 1);
patchLoader(fileURLToPath(new URL('../js/addon-loader.js', import.meta.url)));
