#!/usr/bin/env node
// The program that build.mjs makes `napi build` start instead of cargo: it turns `cargo build` and
// `cargo zigbuild` into a `cargo rustc` of the cdylib.

import { spawnSync } from 'node:child_process';

const [command, ...options] = process.argv.slice(2);
const cdylib = ['rustc', '--lib', '--crate-type', 'cdylib', ...options];
const [program, args] =
  command === 'zigbuild'
    ? ['cargo-zigbuild', cdylib]
    : ['cargo', command === 'build' ? cdylib : [command, ...options]];
// Only napi uses this script as its cargo; child processes use the real one.
const { CARGO, ...env } = process.env;
const { status, error } = spawnSync(program, args, { stdio: 'inherit', env });
if (error) console.error(`${program}: ${error.message}`);
process.exit(status ?? 1);
