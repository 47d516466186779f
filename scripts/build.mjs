// npm run build, build:fast, build:debug [-- options of `napi build`]: builds the addon. With --release it
// is the addon of a release.
//
// The crate is an rlib for Rust and a cdylib for Node. If cargo links both at once, the addon keeps every
// public function of the crate and everything that they use. So `napi build` gets a cargo that builds only
// the cdylib. Windows cannot start a script instead of cargo, and builds both.

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
