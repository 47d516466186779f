// The `job` of an error, `open` or `ended`, in every error reply of `accept`. Each row runs over the Bridge and
// over MCP, and then checks that the job really has this state.

import { setTimeout as sleep } from 'node:timers/promises';
import { Intent } from '@devcodex/intent-runtime';
import { createIntentBridge } from '@devcodex/intent-runtime/bridge';
import { serveIntentMcp } from '@devcodex/intent-runtime/mcp';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { describe, expect, test } from 'vitest';
import { core, coreOf, data, dataOf, INPUT, orderSchema, sources } from './support/model.mjs';

const order = data({ orderId: '000123' });
const deep = (levels) => `{"data":${'['.repeat(levels)}${']'.repeat(levels)}}`;
const many = (count) => core({ intents: Array(count).fill(coreOf().intents[0]) });
const missing = JSON.stringify(
  dataOf(
    {},
    {
      fieldResults: [{ path: '/data/orderId', status: 'issue', explanation: 'none' }],
      issues: [
        {
          code: 'DATA_REQUIRED_MISSING',
          category: 'business_information',
          path: '/data/orderId',
          message: 'Which order?',
        },
      ],
    },
  ),
);
const evidence = (count) =>
  JSON.stringify(
    dataOf(
      { orderId: '000123' },
      { evidence: Array(count).fill({ path: '/data/orderId', mode: 'exact', sources }) },
    ),
  );
const issues = JSON.stringify({
  ...JSON.parse(missing),
  issues: Array(3).fill(JSON.parse(missing).issues[0]),
});

/** Each level doubles the work: no machine finishes it. */
const slowSchema = {
  type: 'object',
  properties: { v: { $ref: '#/$defs/l0' } },
  $defs: { l60: { type: 'string', maxLength: 1 } },
};
for (let i = 0; i < 60; i++)
  slowSchema.$defs[`l${i}`] = {
    anyOf: [{ $ref: `#/$defs/l${i + 1}` }, { $ref: `#/$defs/l${i + 1}` }],
  };

/** A job at its first task, or at the data stage. */
const first = (host) => host.prepare();
const second = async (host) => host.accept(await host.prepare(), core());
/** Submits texts in turn, each to the task that the one before led to. */
const submit =
  (...texts) =>
  async (host) => {
    const tasks = [await host.prepare()];
    let reply;
    for (const text of texts) {
      reply = await host.accept(tasks.at(-1), text);
      if (reply.kind === 'task') tasks.push(reply);
    }
    return { reply, task: tasks.at(-1) };
  };
/** Makes one call on a job that has come so far. */
const on = (begin, call) => async (host) => {
  const task = await begin(host);
  return { reply: await call(host, task), task };
};
const cancelledJob = async (host) => {
  const task = await first(host);
  await host.cancel({ jobId: task.jobId });
  return task;
};
const doneJob = async (host) => {
  const task = await second(host);
  expect((await host.accept(task, order)).kind).toBe('result');
  return task;
};
const padded = (length) => core() + ' '.repeat(length);

/** Each row: what happens, the error, what is left of the job, how, and the configuration. */
const ROWS = [
  // The call is at fault, and the job is as it was.
  [
    'an unknown key',
    'INPUT_INVALID',
    'open',
    on(first, (host, task) => host.raw({ ...task.step(core()), extra: 1 })),
  ],
  [
    'no token',
    'INPUT_INVALID',
    'open',
    on(first, (host, { jobId }) => host.raw({ jobId, candidateText: core() })),
  ],
  [
    'a token that is no text',
    'INPUT_INVALID',
    'open',
    on(first, (host, { jobId }) => host.raw({ jobId, stepToken: 7, candidateText: core() })),
  ],
  [
    'a candidate that is no text',
    'INPUT_INVALID',
    'open',
    on(first, (host, task) => host.raw(task.step(coreOf()))),
  ],
  [
    'a token of nobody',
    'BRIDGE_STEP_CONFLICT',
    'open',
    on(first, (host, task) => host.accept({ ...task, stepToken: 'forged' }, core())),
  ],
  [
    'a used token with another text',
    'BRIDGE_STEP_CONFLICT',
    'open',
    async (host) => {
      const used = await host.prepare();
      const task = await host.accept(used, core());
      return { reply: await host.accept(used, `${core()} `), task };
    },
  ],
  [
    'another text while one is checked',
    'BRIDGE_STEP_CONFLICT',
    'open',
    async (host) => {
      const used = await host.prepare();
      const large = core({ requirements: ['x'.repeat(90_000)] });
      const [task, reply] = await Promise.all([
        host.accept(used, large),
        host.accept(used, core()),
      ]);
      return { reply, task };
    },
  ],
  [
    'too many bytes, core',
    'LIMIT_EXCEEDED/core',
    'open',
    on(first, (host, task) => host.accept(task, padded(5_000))),
    { limits: { maxOutputBytes: 2_000 } },
  ],
  [
    'too many bytes, data',
    'LIMIT_EXCEEDED/data',
    'open',
    on(second, (host, task) => host.accept(task, order + ' '.repeat(5_000))),
    { limits: { maxOutputBytes: 2_000 } },
  ],
  [
    'too many bytes, with a token of nobody',
    'LIMIT_EXCEEDED/core',
    'open',
    on(first, (host, task) => host.accept({ ...task, stepToken: 'forged' }, padded(5_000))),
    { limits: { maxOutputBytes: 2_000 } },
  ],
  [
    'no room for the record',
    'LIMIT_EXCEEDED/bridge',
    'open',
    on(first, (host, task) => host.accept(task, '{bad')),
    undefined,
    { maxReplayBytes: 1_000 },
  ],

  // The candidate was looked at, and the job ends with what was found.
  [
    'too deep',
    'LIMIT_EXCEEDED/core',
    'ended',
    submit(deep(9)),
    { limits: { maxCandidateDepth: 8 } },
  ],
  [
    'too deep, data',
    'LIMIT_EXCEEDED/data',
    'ended',
    submit(core(), deep(9)),
    { limits: { maxCandidateDepth: 8 } },
  ],
  [
    'too many values',
    'LIMIT_EXCEEDED/core',
    'ended',
    submit(JSON.stringify({ requirements: Array(60).fill('x') })),
    { limits: { maxCandidateNodes: 50 } },
  ],
  [
    'too many intents',
    'LIMIT_EXCEEDED/core',
    'ended',
    submit(many(3)),
    { limits: { maxIntentCount: 2 } },
  ],
  [
    'too much evidence',
    'LIMIT_EXCEEDED/data',
    'ended',
    submit(core(), evidence(3)),
    { limits: { maxEvidenceEntries: 2 } },
  ],
  [
    'too many issues',
    'LIMIT_EXCEEDED/data',
    'ended',
    submit(core(), issues),
    { limits: { maxIssueCount: 2 } },
  ],
  [
    'no time for the check',
    'LIMIT_EXCEEDED/data',
    'ended',
    submit(core(), data({ v: 'xx' })),
    { schema: slowSchema, limits: { maxValidationMs: 20 } },
  ],
  [
    'too long a next request',
    'LIMIT_EXCEEDED/data',
    'ended',
    submit(core({ requirements: ['x'.repeat(30_000)] })),
    { limits: { maxRequestBytes: 30_000 } },
  ],
  ['faults after the repair', 'MODEL_OUTPUT_INVALID/core', 'ended', submit('{bad', '{worse')],
  [
    'faults after the repair, data',
    'MODEL_OUTPUT_INVALID/data',
    'ended',
    submit(core(), '{bad', '{worse'),
  ],
  [
    'faults without a repair',
    'MODEL_OUTPUT_INVALID/core',
    'ended',
    submit('{bad'),
    { repairAttempts: 0 },
  ],
  ['a required field is missing', 'DATA_EXTRACTION_FAILED/data', 'ended', submit(core(), missing)],
  [
    'the same submission again',
    'MODEL_OUTPUT_INVALID/core',
    'ended',
    async (host) => {
      const { reply, task } = await submit('{bad')(host);
      expect(await host.accept(task, '{bad')).toEqual(reply);
      return { reply, task };
    },
    { repairAttempts: 0 },
  ],

  // There is no such job, or none any more.
  [
    'no job',
    'BRIDGE_JOB_NOT_FOUND',
    'ended',
    async (host) => {
      const task = { ...(await host.prepare()), jobId: 'none' };
      return { reply: await host.accept(task, core()), task };
    },
  ],
  [
    'after a cancel',
    'BRIDGE_STEP_CONFLICT',
    'ended',
    on(cancelledJob, (host, task) => host.accept(task, core())),
  ],
  [
    'after the result',
    'BRIDGE_STEP_CONFLICT',
    'ended',
    on(doneJob, (host, task) => host.accept(task, `${order} `)),
  ],
  [
    'too many bytes after a cancel',
    'LIMIT_EXCEEDED/core',
    'ended',
    on(cancelledJob, (host, task) => host.accept(task, padded(5_000))),
    { limits: { maxOutputBytes: 2_000 } },
  ],
  [
    'a candidate that is no text, after a cancel',
    'INPUT_INVALID',
    'ended',
    on(cancelledJob, (host, task) => host.raw(task.step(coreOf()))),
  ],
  [
    'an unknown key, after a cancel',
    'INPUT_INVALID',
    'ended',
    on(cancelledJob, (host, task) => host.raw({ extra: 1, ...task.step(core()) })),
  ],
  [
    'the instance is disposed',
    'INSTANCE_DISPOSED/core',
    'ended',
    on(first, async (host, task) => {
      await host.intent.dispose();
      return host.accept(task, core());
    }),
  ],
  [
    'the job is too old',
    'BRIDGE_JOB_EXPIRED',
    'ended',
    on(first, async (host, task) => {
      await sleep(20);
      return host.accept(task, core());
    }),
    undefined,
    { jobTtlMs: 5 },
  ],
];

/** Task replies know how they are submitted. */
const withStep = (reply) =>
  reply.kind !== 'task'
    ? reply
    : Object.defineProperty(reply, 'step', {
        value: (candidateText) => ({
          jobId: reply.jobId,
          stepToken: reply.stepToken,
          candidateText,
        }),
      });

const hostOf = (intent, call) => ({
  intent,
  prepare: async () => {
    const task = withStep(await call('prepare', { instance: 'orders', input: INPUT }));
    expect(task.kind).toBe('task');
    return task;
  },
  raw: (request) => call('accept', request),
  accept: async ({ jobId, stepToken }, candidateText) =>
    withStep(await call('accept', { jobId, stepToken, candidateText })),
  cancel: (request) => call('cancel', request),
});

const overBridge = async (intent, options, run) => {
  const bridge = createIntentBridge({ instances: { orders: intent }, ...options });
  const session = bridge.connect();
  try {
    return await run(hostOf(intent, async (name, request) => session[name](request)));
  } finally {
    bridge.close();
  }
};
const overMcp = async (intent, options, run) => {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await serveIntentMcp({ instances: { orders: intent }, transport: ours, ...options });
  const client = new Client({ name: 'job', version: '1' });
  await client.connect(theirs);
  try {
    return await run(
      hostOf(intent, async (name, args) => {
        const reply = await client.callTool({ name: `intent_${name}`, arguments: args });
        return reply.structuredContent;
      }),
    );
  } finally {
    await client.close();
  }
};

describe.each([
  ['the Bridge', overBridge],
  ['MCP', overMcp],
])('over %s', (_, serve) => {
  test.each(ROWS)('%s: %s, %s', async (__, code, job, drive, config, options) => {
    const intent = new Intent({ schema: orderSchema, ...config });
    try {
      await serve(intent, options, async (host) => {
        const { reply, task } = await drive(host);
        expect(Object.keys(reply)).toEqual(['kind', 'job', 'error']);
        const { error } = reply;
        expect(code.includes('/') ? `${error.code}/${error.stage}` : error.code).toBe(code);
        expect(reply.job, error.message).toBe(job);
        // As it says: only a job that lives can be given up.
        const given = await host.cancel({ jobId: task.jobId, detail: 'tried at the end' });
        expect(given.error?.message.includes('tried at the end') ?? false).toBe(job === 'open');
        if (given.kind === 'error') expect(given.job).toBe('ended');
      });
    } finally {
      await intent.dispose();
    }
  });
});

test.each([
  ['no object', 'x'],
  ['an array', []],
  ['nothing', undefined],
  ['an unknown key and no job', { extra: 1 }],
  ['an object of a class', new (class Submission {})()],
])('arguments that name no job have ended none: %s', async (_, request) => {
  await overBridge(new Intent(), {}, async (host) => {
    const reply = await host.raw(request);
    expect(reply).toMatchObject({ kind: 'error', job: 'open', error: { code: 'INPUT_INVALID' } });
  });
});

test('a job id that is an accessor is not read', async () => {
  let reads = 0;
  const request = {
    stepToken: 'x',
    candidateText: '{}',
    get jobId() {
      reads++;
      return 'x';
    },
  };
  await overBridge(new Intent(), {}, async (host) => {
    expect(await host.raw(request)).toMatchObject({
      job: 'open',
      error: { code: 'INPUT_INVALID' },
    });
  });
  expect(reads).toBe(0);
});

test('a job of a closed session or bridge has ended', async () => {
  const intent = new Intent();
  const bridge = createIntentBridge({ instances: { orders: intent } });
  const [mine, other] = [bridge.connect(), bridge.connect()];
  const { jobId, stepToken } = mine.prepare({ instance: 'orders', input: INPUT });
  const submission = { jobId, stepToken, candidateText: core() };
  const gone = { kind: 'error', job: 'ended', error: { code: 'BRIDGE_JOB_NOT_FOUND' } };
  expect(await other.accept(submission)).toMatchObject(gone);
  expect(await mine.accept({ ...submission, jobId: undefined })).toMatchObject(gone);
  mine.close();
  for (const request of [submission, 'x']) expect(await mine.accept(request)).toMatchObject(gone);
  bridge.close();
  expect(await other.accept(submission)).toMatchObject(gone);
  await intent.dispose();
});

test('an error of prepare has no job, one of cancel has', async () => {
  await overBridge(new Intent(), {}, async (host) => {
    const { jobId } = await host.prepare();
    expect(await host.cancel({ jobId, outcome: 'stopped' })).toMatchObject({
      job: 'open',
      error: { code: 'INPUT_INVALID' },
    });
    expect(await host.cancel({ jobId, extra: 1 })).toMatchObject({ job: 'open' });
    expect(await host.cancel({})).toMatchObject({
      job: 'ended',
      error: { code: 'BRIDGE_JOB_NOT_FOUND' },
    });
    expect(await host.cancel({ jobId })).toMatchObject({
      job: 'ended',
      error: { code: 'MODEL_ABORTED' },
    });
  });
  const bridge = createIntentBridge({ instances: { default: new Intent() } });
  const refused = bridge.connect().prepare({ instance: 'none', input: INPUT });
  expect(Object.keys(refused)).toEqual(['kind', 'error']);
  bridge.close();
});

test('a cancel while a candidate is checked gives both calls the same reply', async () => {
  const intent = new Intent({ schema: slowSchema, limits: { maxValidationMs: 60_000 } });
  await overBridge(intent, {}, async (host) => {
    const task = await second(host);
    const accepted = host.accept(task, data({ v: 'xx' }));
    const cancelled = await host.cancel({ jobId: task.jobId });
    expect(cancelled).toMatchObject({ job: 'ended', error: { code: 'MODEL_ABORTED' } });
    expect(await accepted).toEqual(cancelled);
  });
  await intent.dispose();
});
