// Valgrind over the Rust tests: no access to memory that is not there, no decision on a value that
// nobody set, nothing lost. What Rust rules out in safe code this looks for in all of it: the
// allocator's, the cryptography's, Node-API's and other libraries' unsafe code included.

import { cpus } from 'node:os';
import { child, check, proof, root, short } from './support.mjs';

/** Left out, by a part of their names, since every step takes some fifty times as long. */
const LEFT_OUT = [];

await proof('memory', async ({ figure }) => {
  const valgrind = await child('valgrind', ['--version']).catch((error) => ({ code: 1, stderr: error.message }));
  if (valgrind.code !== 0) return figure('not run', valgrind.stderr.trim().split('\n')[0]);
});
