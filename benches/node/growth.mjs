#!/usr/bin/env node
// node benches/node/growth.mjs: what an accept costs against the size of what it reads. Linear at
// worst, so the time for each KB or entry must not rise.

import { performance } from 'node:perf_hooks';
import { Intent } from '@devcodex/intent-runtime';
import { createIntentBridge } from '@devcodex/intent-runtime/bridge';
import { coreCandidate } from './fixtures.mjs';

const limits = {
  maxSchemaProperties: 4096,
  maxSchemaBytes: 1 << 22,
  maxRequestBytes: 1 << 24,
  maxOutputBytes: 1 << 24,
  maxCandidateNodes: 1 << 20,
  maxInputBytes: 1 << 22,
  maxIntentCount: 100_000,
};
const step = (task, candidateText) => ({
  jobId: task.jobId,
  stepToken: task.stepToken,
  candidateText,
});
/** The least of several, which is what the work itself costs on a machine with other work. */
const least = async (times, run) => {
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < times; i++) best = Math.min(best, await run());
  return best;
};
const measure = async (intent, input, fields, candidates, kind) => {
  const session = createIntentBridge({
    instances: { x: intent },
    maxReplayBytes: 2147483647,
  }).connect();
  return least(15, async () => {
    let reply = session.prepare({ instance: 'x', input, ...(fields ? { fields } : {}) });
    for (const candidate of candidates.slice(0, -1))
      reply = await session.accept(step(reply, candidate));
    const start = performance.now();
    reply = await session.accept(step(reply, candidates.at(-1)));
    const took = performance.now() - start;
    if (reply.kind !== kind) throw new Error(JSON.stringify(reply).slice(0, 400));
    return took;
  });
};
const row = (what, size, ms, per) =>
  console.log(`| ${what} | ${size} | ${ms.toFixed(3)} | ${((ms * 1000) / per).toFixed(2)} |`);

console.log('| accept of | size | ms | µs for each unit |\n|---|---|---|---|');
const plain = new Intent({ limits });
for (const intents of [1, 10, 100, 1000]) {
  const core = JSON.parse(coreCandidate);
  core.intents = Array.from({ length: intents }, () => ({
    ...core.intents[0],
    requirements: ['keep every detail of it, please, and leave the rest alone'],
  }));
  const text = JSON.stringify(core);
  const ms = await measure(plain, 'Query order 000123.', [], [text], 'result');
  row('core candidate, KB', (text.length / 1024).toFixed(1), ms, text.length / 1024);
}
for (const count of [1, 16, 256, 1024]) {
  const names = Array.from({ length: count }, (_, i) => `field${i}`);
  const schema = {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { type: 'string', minLength: 1 }])),
  };
  const sources = [{ sourceId: 'input', quote: '000123' }];
  const data = JSON.stringify({
    data: Object.fromEntries(names.map((name) => [name, '000123'])),
    evidence: names.map((name) => ({ path: `/data/${name}`, mode: 'exact', sources })),
    descriptionChecks: [],
    fieldResults: names.map((name) => ({
      path: `/data/${name}`,
      status: 'extracted',
      explanation: 'stated',
    })),
    issues: [],
  });
  const intent = new Intent({ schema, limits });
  const candidates = [coreCandidate, data];
  const ms = await measure(intent, 'Query order 000123.', undefined, candidates, 'result');
  row('data candidate, fields', count, ms, count);
}
{
  const intent = new Intent({
    schema: { type: 'object', properties: { v: { type: 'string' } } },
    limits,
    repairAttempts: 0,
  });
  for (const kilobytes of [16, 64, 256]) {
    const input = 'ab '.repeat((kilobytes * 1024) / 3);
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
    const ms = await measure(intent, input, undefined, [coreCandidate, data], 'error');
    row('200 quotes of 2 KB that almost match, KB of input', kilobytes, ms, kilobytes);
  }
}
process.exit(0);
