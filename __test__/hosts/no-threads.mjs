// A parse on a system that gives no thread to check a large candidate; prints its error, or why that cannot be had here.
//
//   node no-threads.mjs core|data

import { spawnSync } from 'node:child_process';
import { Intent } from '@devcodex/intent-runtime';
import { core, data, schema } from './candidate.mjs';

const answers = { core, data };
const generate = async ({ stage }) => ({ outcome: 'complete', text: answers[stage] });
const intent = new Intent({ executor: { id: 'scripted', generate }, schema });
const input = 'Query order 000123.';

/** Takes threads away from this process and its user; says what is missing where it cannot. */
const takeThreads = () => {
  const limited = spawnSync('prlimit', [`--pid=${process.pid}`, '--nproc=0']);
  if (limited.status !== 0) return `prlimit: ${limited.error?.code ?? limited.stderr}`;
  if (process.getuid() !== 0) return undefined;
  // Linux counts no threads of root.
  try {
    process.setgid(65_534);
    process.setuid(65_534);
  } catch (error) {
    return `another user: ${error.message}`;
  }
};

// Everything is loaded; a core candidate of this size is checked without a thread.
await intent.parse({ input, fields: [] });
const skipped = takeThreads();
const stage = process.argv[2];
// Of a core candidate it is the number of values, not of bytes alone, that needs a thread.
if (stage === 'data') answers.data += ' '.repeat(100_000);
else answers.core = JSON.stringify({ ...JSON.parse(core), normalizedInput: 'x,'.repeat(50_000) });
const error = skipped
  ? {}
  : await intent.parse({ input }).then(
      () => ({}),
      (thrown) => thrown,
    );
const { code, retryable, message, limit } = error;
console.log(JSON.stringify({ skipped, code, stage: error.stage, retryable, message, limit }));
