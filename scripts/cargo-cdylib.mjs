#!/usr/bin/env node
// What build.mjs has `napi build` start in place of cargo: a `cargo build` becomes a `cargo rustc` of
// the cdylib, and so does a `cargo zigbuild`.

import { spawnSync } from 'node:child_process';

const [command, ...options] = process.argv.slice(2);
const cdylib = ['rustc', '--lib', '--crate-type', 'cdylib', ...options];
const [program, args] =
  command === 'zigbuild'
    ? ['cargo-zigbuild', cdylib]
    : ['cargo', command === 'build' ? cdylib : [command, ...options]];
// This script is nobody's cargo but napi's.
const { CARGO, ...env } = process.env;
const { status, error } = spawnSync(program, args, { stdio: 'inherit', env });
if (error) console.error(`${program}: ${error.message}`);
process.exit(status ?? 1);
