#!/usr/bin/env node
// npm run bench [-- --json] [-- --quick]
// Measures every row of notes/performance.md in one run: medians and p95 in milliseconds, and the ratio to the
// JavaScript counterpart in the same run. Machines differ, so compare the ratios.

import { spawn } from 'node:child_process';
import { tracingChannel } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { performance } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Intent } from '@devcodex/intent-runtime';
import { createIntentBridge } from '@devcodex/intent-runtime/bridge';
import { Counterpart } from './counterpart.mjs';
import * as f from './fixtures.mjs';

const quick = process.argv.includes('--quick');
const json = process.argv.includes('--json');
const rows = [];

const quantile = (sorted, q) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))];
/** Measures a function. `after` receives its result, outside the measured time. */
const measure = async (run, { times = 400, warm = 60, after, between } = {}) => {
  const count = quick ? Math.ceil(times / 10) : times;
  const samples = [];
  for (let i = -Math.min(warm, count); i < count; i++) {
    await between?.();
    const start = performance.now();
    const given = await run(i);
    const took = performance.now() - start;
    await after?.(given);
    if (i >= 0) samples.push(took);
  }
  samples.sort((a, b) => a - b);
  return { p50: quantile(samples, 0.5), p95: quantile(samples, 0.95) };
};
/** Measures this package and then the counterpart, if there is one. */
const row = async (name, aim, ours, theirs, options) => {
  const us = await measure(ours, options);
  const js = theirs ? await measure(theirs, options) : undefined;
  rows.push({
    name,
    aim,
    p50: us.p50,
    p95: us.p95,
    js: js?.p50,
    ratio: js ? us.p50 / js.p50 : undefined,
  });
  if (!json) process.stderr.write('.');
};
/** Measures two functions alternately, call by call, so that small differences are visible. */
const inTurns = async (name, aim, ours, { run, begin, end }, { times = 3000, warm = 300 } = {}) => {
  const [us, them] = [[], []];
  for (const count of [Math.min(warm, times), quick ? Math.ceil(times / 10) : times]) {
    us.length = them.length = 0;
    for (let i = 0; i < count; i++) {
      us.push((await measure(ours, { times: 1, warm: 0 })).p50);
      begin?.();
      them.push((await measure(run, { times: 1, warm: 0 })).p50);
      end?.();
    }
  }
  for (const samples of [us, them]) samples.sort((a, b) => a - b);
  const [p50, js] = [quantile(us, 0.5), quantile(them, 0.5)];
  rows.push({ name, aim, p50, p95: quantile(us, 0.95), js, ratio: p50 / js });
  if (!json) process.stderr.write('.');
};

const step = (task, candidateText) => ({
  jobId: task.jobId,
  stepToken: task.stepToken,
  candidateText,
});
const expectKind = (reply, kind) => {
  if (reply.kind !== kind)
    throw new Error(`want ${kind}, got ${JSON.stringify(reply).slice(0, 300)}`);
  return reply;
};
const ourJob = async (session, fields, ...candidates) => {
  let reply = session.prepare({ instance: 'x', input: f.input, ...(fields ? { fields } : {}) });
  for (const candidate of candidates)
    reply = await session.accept(step(expectKind(reply, 'task'), candidate));
  return expectKind(reply, 'result');
};
const jsJob = async (js, fields, ...candidates) => {
  let reply = js.prepare(f.input, fields);
  for (const candidate of candidates) reply = await js.accept(step(reply, candidate));
  return expectKind(reply, 'result');
};
/** Makes a bridge whose records are all used by finished jobs, or an empty one. */
const bridgeOf = async (schema, full, candidates, fields, proof = 'full') => {
  const intent = new Intent(schema ? { schema, proof } : { proof });
  const bridge = createIntentBridge({
    instances: { x: intent },
    ...(full ? {} : { maxReplayEntries: 1, maxJobs: 1 }),
  });
  const session = bridge.connect();
  for (let i = 0; full && i < 130; i++) await ourJob(session, fields, ...candidates);
  return session;
};

// The speed of the machine: the time of a fixed piece of JavaScript.
const calibration = await measure(() => JSON.parse(f.largeCoreCandidate), { times: 200 });

const instructions = 'x'.repeat(2600);
for (const [full, words] of [
  [true, 'bridge full of finished jobs'],
  [false, 'nothing retained'],
]) {
  const core = await bridgeOf(undefined, full, [f.coreCandidate], []);
  const jsCore = new Counterpart(undefined, instructions);
  await row(
    `bridge, prepare + accept core, ${words}`,
    0.03,
    () => ourJob(core, [], f.coreCandidate),
    () => jsJob(jsCore, [], f.coreCandidate),
    { times: 3000, warm: 1000 },
  );
  const small = await bridgeOf(f.smallSchema, full, [f.coreCandidate, f.smallDataCandidate]);
  const jsSmall = new Counterpart(f.smallSchema, instructions);
  await row(
    `bridge, two stages, one field, ${words}`,
    0.06,
    () => ourJob(small, undefined, f.coreCandidate, f.smallDataCandidate),
    () => jsJob(jsSmall, undefined, f.coreCandidate, f.smallDataCandidate),
    { times: 3000, warm: 1000 },
  );
  const large = await bridgeOf(f.largeSchema, full, [f.coreCandidate, f.largeDataCandidate]);
  const jsLarge = new Counterpart(f.largeSchema, instructions);
  await row(
    `bridge, two stages, 256 properties, ${words}`,
    0.6,
    () => ourJob(large, undefined, f.coreCandidate, f.largeDataCandidate),
    () => jsJob(jsLarge, undefined, f.coreCandidate, f.largeDataCandidate),
    { times: 400, warm: 200 },
  );
  const big = await bridgeOf(undefined, full, [f.largeCoreCandidate], []);
  const jsBig = new Counterpart(undefined, instructions);
  await row(
    `bridge, accept of a 200 KB core candidate, ${words}`,
    0.8,
    () => ourJob(big, [], f.largeCoreCandidate),
    () => jsJob(jsBig, [], f.largeCoreCandidate),
    { times: 200, warm: 100 },
  );
}

// The brief form compared with the full one: its ratio may be at most 1.1.
for (const [fields, aim, schema, full, brief, times] of [
  ['one field', 0.06, f.smallSchema, f.smallDataCandidate, f.briefSmallDataCandidate, 3000],
  ['256 properties', 0.6, f.largeSchema, f.largeDataCandidate, f.briefLargeDataCandidate, 400],
]) {
  const ofBrief = await bridgeOf(schema, true, [f.coreCandidate, brief], undefined, 'brief');
  const ofFull = await bridgeOf(schema, true, [f.coreCandidate, full]);
  await row(
    `bridge, two stages, ${fields}, brief form (ratio to the full form)`,
    aim,
    () => ourJob(ofBrief, undefined, f.coreCandidate, brief),
    () => ourJob(ofFull, undefined, f.coreCandidate, full),
    { times, warm: times / 3 },
  );
}

{
  /** Submits the last candidate of a job after a pause, as after a model's answer. */
  const cold = (open, accept) => {
    let task;
    const between = async () => {
      task = await open();
      await sleep(1300);
    };
    const last = async () => expectKind(await accept(step(task, f.smallDataCandidate)), 'result');
    return measure(last, { times: 10, warm: 1, between });
  };
  const session = await bridgeOf(f.smallSchema, false, []);
  const js = new Counterpart(f.smallSchema, instructions);
  const us = await cold(
    () => session.accept(step(session.prepare({ instance: 'x', input: f.input }), f.coreCandidate)),
    (candidate) => session.accept(candidate),
  );
  const theirs = await cold(
    () => js.accept(step(js.prepare(f.input), f.coreCandidate)),
    (candidate) => js.accept(candidate),
  );
  rows.push({
    name: 'accept of the data candidate, 1.3 s after the last one',
    aim: 0.1,
    ...us,
    js: theirs.p50,
    ratio: us.p50 / theirs.p50,
  });
}

for (const [name, aim, schema, candidates, fields] of [
  [
    'parse, two stages, executor that answers at once',
    0.1,
    f.smallSchema,
    [f.coreCandidate, f.smallDataCandidate],
    undefined,
  ],
  ['parse, core only, executor that answers at once', 0.05, undefined, [f.coreCandidate], []],
]) {
  const executor = {
    id: 'bench',
    generate: async ({ stage }) => ({
      outcome: 'complete',
      text: candidates[stage === 'core' ? 0 : 1],
    }),
  };
  const intent = new Intent({ executor, ...(schema ? { schema } : {}) });
  const js = new Counterpart(schema, instructions);
  await row(
    name,
    aim,
    () => intent.parse({ input: f.input, ...(fields ? { fields } : {}) }),
    () => js.parse(f.input, fields, executor),
    { times: 3000, warm: 300 },
  );
}

{
  const answering = (data) => ({
    id: 'bench',
    generate: async ({ stage }) => ({
      outcome: 'complete',
      text: stage === 'core' ? f.coreCandidate : data,
    }),
  });
  const of = (proof, data) =>
    new Intent({ schema: f.smallSchema, proof, executor: answering(data) });
  const brief = of('brief', f.briefSmallDataCandidate);
  const full = of('full', f.smallDataCandidate);
  await row(
    'parse, two stages, brief form (ratio to the full form)',
    0.1,
    () => brief.parse({ input: f.input }),
    () => full.parse({ input: f.input }),
    { times: 3000, warm: 300 },
  );
}

{
  // The cost of reports and events without subscribers: a plain parse compared with one that has a subscriber.
  const generate = async ({ stage }) => ({
    outcome: 'complete',
    text: stage === 'core' ? f.coreCandidate : f.smallDataCandidate,
  });
  const intent = new Intent({ schema: f.smallSchema, executor: { id: 'bench', generate } });
  const parse = () => intent.parse({ input: f.input });
  const channels = ['parse', 'question'].map((name) => tracingChannel(`intent-runtime:${name}`));
  const ignore = () => {};
  const listener = Object.fromEntries(
    ['start', 'end', 'asyncStart', 'asyncEnd', 'error'].map((event) => [event, ignore]),
  );
  await inTurns('parse, two stages, nobody asks (ratio to parseWithReport)', 0.1, parse, {
    run: () => intent.parseWithReport({ input: f.input }),
  });
  await inTurns('parse, two stages, nobody asks (ratio to onCore)', 0.1, parse, {
    run: () => intent.parse({ input: f.input, onCore: ignore }),
  });
  await inTurns('parse, two stages, nobody asks (ratio to both channels listened to)', 0.1, parse, {
    begin: () => {
      for (const channel of channels) channel.subscribe(listener);
    },
    run: parse,
    end: () => {
      for (const channel of channels) channel.unsubscribe(listener);
    },
  });
  await inTurns(
    'parse, two stages, beside itself (the noise of the three rows above)',
    0.1,
    parse,
    {
      run: parse,
    },
  );
  await intent.dispose();
}

await row(
  'new Intent, 256-property schema',
  0.6,
  () => new Intent({ schema: f.largeSchema }),
  () => new Counterpart(f.largeSchema, ''),
  { times: 200 },
);
await row(
  'new Intent, one-field schema',
  0.03,
  () => new Intent({ schema: f.smallSchema }),
  () => new Counterpart(f.smallSchema, ''),
  { times: 1000 },
);

{
  const jobs = quick ? 2000 : 20000;
  const session = await bridgeOf(undefined, true, [f.coreCandidate], []);
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  const start = performance.now();
  for (let i = 0; i < jobs; i++) await ourJob(session, [], f.coreCandidate);
  const seconds = (performance.now() - start) / 1000;
  globalThis.gc?.();
  rows.push({
    name: `${jobs} core jobs through one bridge`,
    aim: '25000 jobs/s, +4 MB',
    text: `${Math.round(jobs / seconds)} jobs/s, ${((process.memoryUsage().rss - before) / 1048576).toFixed(1)} MB`,
  });
}

{
  // The longest delay of a timer while the worst legal candidate is validated.
  const names = Array.from({ length: 256 }, (_, i) => `field${i}`);
  const schema = {
    type: 'object',
    properties: Object.fromEntries(
      names.map((name) => [name, { type: 'string', pattern: '^(\\w*\\s*)*$' }]),
    ),
  };
  const text = JSON.stringify({
    data: Object.fromEntries(names.map((name) => [name, `${'word '.repeat(110)}!`])),
    evidence: names.map((name) => ({
      path: `/data/${name}`,
      mode: 'semantic',
      sources: [{ sourceId: 'input', quote: '000123' }],
    })),
    descriptionChecks: [],
    fieldResults: names.map((name) => ({
      path: `/data/${name}`,
      status: 'extracted',
      explanation: 'x'.repeat(210),
    })),
    issues: [],
  });
  const intent = new Intent({
    schema,
    repairAttempts: 0,
    executor: {
      id: 'bench',
      generate: async ({ stage }) => ({
        outcome: 'complete',
        text: stage === 'core' ? f.coreCandidate : text,
      }),
    },
  });
  const late = [];
  let codes = '';
  // Memory of the rows above must not count here.
  globalThis.gc?.();
  await sleep(200);
  for (let i = 0; i < (quick ? 2 : 10); i++) {
    let [latest, last] = [0, performance.now()];
    const timer = setInterval(() => {
      const now = performance.now();
      latest = Math.max(latest, now - last - 1);
      last = now;
    }, 1);
    const start = performance.now();
    const error = await intent.parse({ input: f.input }).catch((error) => error);
    codes = `${error.code} after ${Math.round(performance.now() - start)} ms`;
    latest = Math.max(latest, performance.now() - last - 1);
    clearInterval(timer);
    late.push(latest);
  }
  late.sort((a, b) => a - b);
  rows.push({
    name: `event loop: latest 1 ms timer beside a candidate of ${Math.round(text.length / 1024)} KB with 256 patterns`,
    aim: 20,
    text: `${quantile(late, 0.5).toFixed(1)}, at most ${late.at(-1).toFixed(1)} (${codes})`,
  });
}

// MCP over stdio, compared with a server with trivial tools on the TypeScript SDK.
const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
const root = fileURLToPath(new URL('../..', import.meta.url));
const { bin } = createRequire(import.meta.url)('../../package.json');
const rss = (pid) =>
  import('node:fs').then(
    ({ readFileSync }) =>
      Number(
        /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? Number.NaN,
      ) / 1024,
  );
const server = async (args) => {
  const spawned = performance.now();
  const transport = new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' });
  const client = new Client({ name: 'bench', version: '1' });
  await client.connect(transport);
  await client.listTools();
  return { client, pid: transport.pid, took: performance.now() - spawned };
};
const started = async (args) => {
  const { client, took } = await server(args);
  await client.close();
  return took;
};
/** A client that exchanges single lines, so that only the time of the server and the pipes remains. */
const bareClients = (servers) =>
  Promise.all(
    servers.map(async ([args, tool, input]) => {
      const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'ignore'] });
      const lines = createInterface({ input: child.stdout });
      const answered = async (method, params) => {
        const line = once(lines, 'line');
        child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })}\n`);
        return JSON.parse((await line)[0]).result;
      };
      await answered('initialize', {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'bench', version: '1' },
      });
      child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
      child.unref();
      return async () => {
        const { structuredContent } = await answered('tools/call', {
          name: tool,
          arguments: input,
        });
        const { jobId } = expectKind(structuredContent, 'task');
        const cancel = { name: 'intent_cancel', arguments: { jobId } };
        if (tool === 'intent_prepare') return () => answered('tools/call', cancel);
      };
    }),
  );
if (bin !== undefined && process.platform === 'linux') {
  const ours = [`${root}${bin['intent-runtime-mcp']}`];
  const theirs = [fileURLToPath(new URL('./trivial-mcp.mjs', import.meta.url))];
  const [us, js] = [[], []];
  // Alternately, so that a slow minute of the machine affects all rows.
  for (let i = 0; i < (quick ? 3 : 15); i++) {
    us.push(await started(ours));
    js.push(await started(theirs));
  }
  for (const samples of [us, js]) samples.sort((a, b) => a - b);
  rows.push({
    name: 'MCP: spawn to the answer of tools/list',
    aim: 100,
    p50: quantile(us, 0.5),
    p95: quantile(us, 0.95),
    js: quantile(js, 0.5),
    ratio: quantile(us, 0.5) / quantile(js, 0.5),
  });
  const config = fileURLToPath(new URL('./orders.mjs', import.meta.url));
  const [a, b] = [await server([...ours, '--config', config]), await server(theirs)];
  // Lazy initialisation must be finished before memory counts as idle.
  await sleep(500);
  const idle = [await rss(a.pid), await rss(b.pid)];
  const call = (client, name, args) =>
    client.callTool({ name, arguments: args }).then((r) => r.structuredContent ?? r);
  const prepare = () => call(a.client, 'intent_prepare', { instance: 'orders', input: f.input });
  for (let i = 0; i < 100; i++) {
    const core = await prepare();
    const data = await call(a.client, 'intent_accept', step(core, f.coreCandidate));
    const end = await call(a.client, 'intent_accept', step(data, f.smallDataCandidate));
    expectKind(end, 'result');
    await call(b.client, 'one', { text: f.input });
    await call(b.client, 'two', { text: f.coreCandidate });
    await call(b.client, 'three', { text: f.smallDataCandidate });
  }
  rows.push({
    name: 'MCP: memory idle / after 100 two-stage jobs, MB',
    aim: '60 / 70',
    text: `${idle[0].toFixed(0)} / ${(await rss(a.pid)).toFixed(0)} (SDK server, 300 calls: ${idle[1].toFixed(0)} / ${(await rss(b.pid)).toFixed(0)})`,
  });
  await row(
    'MCP: intent_prepare round trip by the SDK’s client',
    0.3,
    prepare,
    () => call(b.client, 'task', { text: f.input }),
    {
      times: 300,
      // The number of open jobs is limited; the SDK server has no jobs.
      after: ({ jobId }) => jobId && call(a.client, 'intent_cancel', { jobId }),
    },
  );
  await a.client.close();
  await b.client.close();
  await row(
    'MCP: the same by a client that only parses JSON',
    '',
    ...(await bareClients([
      [[...ours, '--config', config], 'intent_prepare', { instance: 'orders', input: f.input }],
      [theirs, 'task', { text: f.input }],
    ])),
    { times: 300, warm: 100, after: (cancel) => cancel?.() },
  );
}

if (json) {
  console.log(
    JSON.stringify({ node: process.version, calibration: calibration.p50, rows }, null, 2),
  );
} else {
  const ms = (n) => (n === undefined ? '' : n < 1 ? n.toFixed(4) : n.toFixed(2));
  console.log(
    `\nnode ${process.version}; JSON.parse of ${(f.largeCoreCandidate.length / 1024).toFixed(0)} KB here: ${ms(calibration.p50)} ms\n`,
  );
  console.log(
    '| case | aim, ms | p50, ms | p95, ms | JavaScript, ms | ratio |\n|---|---|---|---|---|---|',
  );
  for (const r of rows)
    console.log(
      `| ${r.name} | ${r.aim} | ${r.text ?? ms(r.p50)} | ${ms(r.p95)} | ${ms(r.js)} | ${r.ratio?.toFixed(2) ?? ''} |`,
    );
}
process.exit(0);
