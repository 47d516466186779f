#!/usr/bin/env node
// node --expose-gc benches/node/growth.mjs [--svg notes/growth.svg]
// Measures the time of a call against the size of its input. Growth must be at most linear, so the time for
// each KB or entry must not rise. With --svg it also draws the curves.

import { writeFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { Intent } from '@devcodex/intent-runtime';
import { createIntentBridge } from '@devcodex/intent-runtime/bridge';
import { coreCandidate } from './fixtures.mjs';
import { plot } from './plot.mjs';

const { values } = parseArgs({ options: { svg: { type: 'string' } } });

const limits = {
  maxSchemaProperties: 4096,
  maxSchemaBytes: 1 << 22,
  maxRequestBytes: 1 << 24,
  maxOutputBytes: 1 << 24,
  maxCandidateNodes: 1 << 20,
  maxInputBytes: 1 << 22,
  maxContextBytes: 1 << 22,
  maxContextMessages: 4096,
  maxIntentCount: 100_000,
};
const RUNS = 15;

/** The minimum of several runs, which is the time of the work itself on a machine with other load. */
const least = async (run) => {
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < RUNS; i++) best = Math.min(best, await run());
  return best;
};
const timed = async (run) => {
  const start = performance.now();
  const given = await run();
  return [performance.now() - start, given];
};
const expectKind = (reply, kind) => {
  if (reply.kind !== kind) throw new Error(JSON.stringify(reply).slice(0, 400));
};
const connect = (intent, options = {}) =>
  createIntentBridge({
    instances: { x: intent },
    maxReplayBytes: 2147483647,
    ...options,
  }).connect();
const step = ({ jobId, stepToken }, candidateText) => ({ jobId, stepToken, candidateText });

/** Submits the candidates of a job and measures the last one, whose reply must be of this kind. */
const lastAccept = (session, request, candidates, kind) =>
  least(async () => {
    let reply = session.prepare({ instance: 'x', ...request });
    for (const candidate of candidates.slice(0, -1))
      reply = await session.accept(step(reply, candidate));
    const [took, last] = await timed(() => session.accept(step(reply, candidates.at(-1))));
    expectKind(last, kind);
    return took;
  });
const prepare = (session, request) =>
  least(async () => {
    const [took, task] = await timed(() => session.prepare({ instance: 'x', ...request }));
    expectKind(task, 'task');
    session.cancel({ jobId: task.jobId });
    return took;
  });

const coreOf = (intents) => {
  const core = JSON.parse(coreCandidate);
  const requirements = ['keep every detail of it, please, and leave the rest alone'];
  core.intents = Array(intents).fill({ ...core.intents[0], requirements });
  return JSON.stringify(core);
};
const input = 'Query order 000123.';
const stated = [{ sourceId: 'input', quote: '000123' }];
const fields = (count) => Array.from({ length: count }, (_, i) => `field${i}`);
const schemaOf = (count) => ({
  type: 'object',
  properties: Object.fromEntries(
    fields(count).map((name) => [name, { type: 'string', minLength: 1, description: 'An id.' }]),
  ),
});
const dataOf = (count, entries = count) =>
  JSON.stringify({
    data: Object.fromEntries(fields(count).map((name) => [name, '000123'])),
    evidence: fields(count).map((name, i) => ({
      path: `/data/${name}`,
      mode: 'exact',
      sources: i === 0 ? Array(Math.max(1, entries - count + 1)).fill(stated[0]) : stated,
    })),
    descriptionChecks: fields(count).map((name) => ({
      path: `/data/${name}`,
      verdict: 'satisfied',
      explanation: 'stated',
      sources: stated,
    })),
    fieldResults: fields(count).map((name) => ({
      path: `/data/${name}`,
      status: 'extracted',
      explanation: 'stated',
    })),
    issues: [],
  });
const kb = (text) => text.length / 1024;
const plain = new Intent({ limits });

/** Each entry: name, unit, sizes, and a function that returns `[size, milliseconds]` for one size. */
const SERIES = [
  [
    'prepare, by input',
    'KB',
    [4, 16, 64, 256, 1024],
    async (size) => {
      const text = 'ab cd '.repeat((size * 1024) / 6);
      return [kb(text), await prepare(connect(plain), { input: text, fields: [] })];
    },
  ],
  [
    'prepare, by context',
    'KB',
    [4, 16, 64, 256, 1024],
    async (size) => {
      const context = Array.from({ length: size }, (_, i) => ({
        role: i % 2 ? 'assistant' : 'user',
        content: 'word '.repeat(204),
      }));
      return [size, await prepare(connect(plain), { input, context, fields: [] })];
    },
  ],
  [
    'accept, by core candidate',
    'KB',
    [10, 40, 160, 640, 2560],
    async (intents) => {
      const text = coreOf(intents);
      const request = { input, fields: [] };
      return [kb(text), await lastAccept(connect(plain), request, [text], 'result')];
    },
  ],
  [
    'new Intent, by schema',
    'properties',
    [16, 64, 256, 1024, 4096],
    async (count) => {
      const schema = schemaOf(count);
      return [
        count,
        await least(async () => (await timed(() => new Intent({ schema, limits })))[0]),
      ];
    },
  ],
  [
    'accept, by data candidate and schema',
    'fields',
    [16, 64, 256, 1024, 4096],
    async (count) => {
      const limitless = { ...limits, maxEvidenceEntries: 1 << 16 };
      const session = connect(new Intent({ schema: schemaOf(count), limits: limitless }));
      return [count, await lastAccept(session, { input }, [coreOf(1), dataOf(count)], 'result')];
    },
  ],
  [
    'accept, by evidence of one field',
    'sources',
    [16, 64, 256, 1024, 4096],
    async (entries) => {
      const session = connect(new Intent({ schema: schemaOf(1), limits }));
      const candidates = [coreOf(1), dataOf(1, entries)];
      return [entries, await lastAccept(session, { input }, candidates, 'result')];
    },
  ],
  [
    'accept of 200 quotes of 2 KB that almost match, by input',
    'KB',
    [16, 64, 256],
    async (size) => {
      const schema = { type: 'object', properties: { v: { type: 'string' } } };
      const session = connect(new Intent({ schema, limits, repairAttempts: 0 }));
      const sources = Array.from({ length: 200 }, (_, i) => ({
        sourceId: 'input',
        quote: `${'ab '.repeat(680)}${i}`,
      }));
      const data = JSON.stringify({
        data: { v: 'x' },
        evidence: [{ path: '/data/v', mode: 'semantic', sources }],
        descriptionChecks: [],
        fieldResults: [{ path: '/data/v', status: 'extracted', explanation: 'stated' }],
        issues: [],
      });
      const request = { input: 'ab '.repeat((size * 1024) / 3) };
      return [size, await lastAccept(session, request, [coreOf(1), data], 'error')];
    },
  ],
  [
    'a whole core job, by finished jobs that are kept',
    'jobs',
    [100, 400, 1600, 6400],
    async (count) => {
      const session = connect(plain, { maxJobs: 2 * count, maxReplayEntries: 2 * count });
      const job = async () => {
        const task = session.prepare({ instance: 'x', input, fields: [] });
        expectKind(await session.accept(step(task, coreOf(1))), 'result');
      };
      for (let i = 0; i < count; i++) await job();
      return [count, await least(async () => (await timed(job))[0])];
    },
  ],
];

console.log('| what, by what | size | ms | µs for each unit |\n|---|---|---|---|');
const curves = [];
for (const [name, unit, sizes, run] of SERIES) {
  const points = [];
  for (const size of sizes) {
    globalThis.gc?.();
    const [at, ms] = await run(size);
    points.push([at, ms]);
    console.log(
      `| ${name} | ${Number(at.toFixed(1))} ${unit} | ${ms.toFixed(3)} | ${((ms * 1000) / at).toFixed(2)} |`,
    );
  }
  curves.push({ name: `${name} (${unit})`, points });
}
if (values.svg) writeFileSync(values.svg, plot(curves));
process.exit(0);
