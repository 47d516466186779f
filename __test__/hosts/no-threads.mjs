// Work on a system that gives no thread for it; prints the error, or why that cannot be had here.
//
//   node no-threads.mjs WORK

import { spawnSync } from 'node:child_process';
import { Intent } from '@devcodex/intent-runtime';
import { createApiExecutor } from '@devcodex/intent-runtime/adapters/api';
import { createIntentBridge } from '@devcodex/intent-runtime/bridge';
import { core, data, schema } from './candidate.mjs';

const answers = { core, data };
const generate = async ({ stage }) => ({ outcome: 'complete', text: answers[stage] });
const intentOf = (config) =>
  new Intent({ executor: { id: 'scripted', generate }, schema, ...config });
const intent = intentOf();
const bridge = createIntentBridge({ instances: { default: intent } });
const input = 'Query order 000123.';
// Of a core candidate it is the number of values, not of bytes alone, that needs a thread.
const largeCore = JSON.stringify({ ...JSON.parse(core), normalizedInput: 'x,'.repeat(50_000) });

/** An API executor; no service is reached without a thread. */
const api = (baseURL = 'http://127.0.0.1:1/v1') =>
  createApiExecutor({ provider: 'openai', model: 'm', apiKey: 'k', baseURL });
const parse = (config) => intentOf(config).parse({ input });
const format = { kind: 'json_object' };
const { signal } = new AbortController();

const works = {
  'a core candidate': () => {
    answers.core = largeCore;
    return intent.parse({ input });
  },
  'a data candidate': () => {
    answers.data += ' '.repeat(100_000);
    return intent.parse({ input });
  },
  timeoutMs: () => parse({ timeoutMs: 60_000 }),
  'a recognition over HTTP': () => parse({ executor: api() }),
  'a question over HTTP': () =>
    api().generate({ stage: 'core', instructions: 'i', payload: '{}', format, signal }),
  certificates: () => parse({ executor: api('https://127.0.0.1:1/v1') }),
  'a name': () => parse({ executor: api('http://host.test:1/v1') }),
  'a candidate of a bridge': async () => {
    const session = bridge.connect();
    const { jobId, stepToken } = await session.prepare({ instance: 'default', input });
    throw (await session.accept({ jobId, stepToken, candidateText: largeCore })).error;
  },
};

/** Works of a process that has started its threads, but not those for this work. */
const STARTED = ['certificates', 'a name'];

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

const work = process.argv[2];
// Everything is loaded; a core candidate of this size is checked without a thread.
await intent.parse({ input, fields: [] });
if (STARTED.includes(work)) await parse({ timeoutMs: 60_000 });
const skipped = takeThreads();
const error = skipped
  ? {}
  : await works[work]().then(
      () => ({}),
      (thrown) => thrown,
    );
const { code, stage, retryable, message, limit } = error;
console.log(JSON.stringify({ skipped, code, stage, retryable, message, limit }));
