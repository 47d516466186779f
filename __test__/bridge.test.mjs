// Tests the Bridge through its public entry (docs/bridge.md): the acceptance scenarios, the normal use by hosts,
// and its misuse.

import { Intent } from '@devcodex/intent-runtime';
import { createIntentBridge } from '@devcodex/intent-runtime/bridge';
import { afterEach, describe, expect, test } from 'vitest';
import { core, dataOf, INPUT, orderSchema, refusal, turn } from './support/model.mjs';
import { runNode } from './support/process.mjs';

const schema = {
  ...orderSchema,
  properties: { orderId: { type: 'string', description: 'Order id.' } },
};
const described = ['/data/orderId'];
const data = (over) => JSON.stringify({ ...dataOf({ orderId: '000123' }, { described }), ...over });

const open = [];
afterEach(async () => {
  for (const { bridge, intent } of open.splice(0)) {
    bridge.close();
    await intent.dispose();
  }
});
/** A bridge over one instance `orders`, and a session on it. */
const connect = ({ config, ...options } = {}) => {
  const intent = new Intent({ schema, ...config });
  const bridge = createIntentBridge({ instances: { orders: intent }, ...options });
  open.push({ bridge, intent });
  return { intent, bridge, session: bridge.connect() };
};

const prepare = (session, request) =>
  session.prepare({ instance: 'orders', input: INPUT, ...request });
const step = ({ jobId, stepToken }, candidateText) => ({ jobId, stepToken, candidateText });
const task = (reply, stage) => {
  expect(reply.kind, JSON.stringify(reply.error)).toBe('task');
  if (stage) expect(reply.stage).toBe(stage);
  return reply;
};
const error = (reply, code, stage, message) => {
  expect(reply.kind).toBe('error');
  expect(`${reply.error.code}/${stage ? reply.error.stage : ''}`).toBe(`${code}/${stage ?? ''}`);
  expect(Array.isArray(reply.error.issues)).toBe(true);
  if (message) expect(reply.error.message).toMatch(message);
  return reply.error;
};
const result = (reply) => {
  expect(reply.kind, JSON.stringify(reply.error)).toBe('result');
  return reply.result;
};
const toData = async (session) =>
  task(await session.accept(step(task(prepare(session)), core())), 'data');

describe('the loop', () => {
  test('two stages, the replay of both, and a conflict on another text', async () => {
    const { session } = connect();
    const first = task(prepare(session), 'core');
    expect(first.jobId).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(Buffer.from(first.stepToken, 'base64url')).toHaveLength(24);
    expect(Object.keys(first)).toEqual([
      'kind',
      'jobId',
      'stepToken',
      'stage',
      'instructions',
      'payload',
      'format',
    ]);
    expect(first.format.name).toBe('intent_core');
    expect(Object.keys(JSON.parse(first.payload))).toEqual([
      'structuredLanguage',
      'currentInput',
      'context',
      'schemaReference',
    ]);
    const second = task(await session.accept(step(first, core())), 'data');
    expect(second.format).toEqual({ kind: 'json_object' });
    expect(second.jobId).toBe(first.jobId);
    expect(second.stepToken).not.toBe(first.stepToken);
    expect(Object.keys(JSON.parse(second.payload))).toEqual([
      'structuredLanguage',
      'currentInput',
      'context',
      'schemaReference',
      'checkedDefault',
      'selectedSchema',
      'selectedFields',
    ]);
    expect(await session.accept(step(first, core()))).toEqual(second);
    error(await session.accept(step(first, `${core()} `)), 'BRIDGE_STEP_CONFLICT', 'bridge');
    const end = await session.accept(step(second, data()));
    expect(result(end).data).toEqual({ orderId: '000123' });
    expect(await session.accept(step(second, data()))).toEqual(end);
    expect(await session.accept(step(first, core()))).toEqual(second);
    error(await session.accept(step(second, '{}')), 'BRIDGE_STEP_CONFLICT', 'bridge');
    for (const outcome of [undefined, 'cancelled', 'refusal', 'incomplete'])
      expect(session.cancel({ jobId: first.jobId, outcome })).toEqual(end);
  });

  test('asks the same questions as parse, and gives the same result', async () => {
    const { session } = connect();
    const requests = [];
    const answers = ['{', core(), data({ evidence: [] }), data()];
    const executor = {
      id: 'x',
      async generate({ stage, instructions, payload, format }) {
        requests.push({ stage, instructions, payload, format });
        return { outcome: 'complete', text: answers[requests.length - 1] };
      },
    };
    const context = [{ role: 'tool', content: 'x' }];
    const intent = new Intent({ schema, executor });
    const parsed = await intent.parse({ input: INPUT, context });
    await intent.dispose();
    let reply = prepare(session, { context });
    for (const [i, answer] of answers.entries()) {
      const { stage, instructions, payload, format } = task(reply);
      expect({ stage, instructions, payload, format }).toEqual(requests[i]);
      reply = await session.accept(step(reply, answer));
    }
    expect(reply).toEqual({ kind: 'result', result: parsed });
    expect(JSON.stringify(reply.result)).toBe(JSON.stringify(parsed));
  });

  test('a business problem ends the job at once', async () => {
    const { session } = connect();
    const issue = {
      code: 'DATA_REQUIRED_MISSING',
      category: 'business_information',
      path: '/data/orderId',
      message: '请提供订单编号。',
    };
    const end = await session.accept(
      step(
        await toData(session),
        data({
          data: {},
          evidence: [],
          descriptionChecks: [],
          fieldResults: [{ path: '/data/orderId', status: 'issue', explanation: 'none given' }],
          issues: [issue],
        }),
      ),
    );
    const { issues, partialResult } = error(end, 'DATA_EXTRACTION_FAILED', 'data');
    expect(issues).toEqual([issue]);
    expect(partialResult.intents).toHaveLength(1);
  });

  test('tasks have expiresAt only if jobTtlMs is set', async () => {
    const { session } = connect({ jobTtlMs: 60_000 });
    const before = Date.now();
    const { expiresAt } = task(prepare(session));
    const after = Date.now();
    expect(expiresAt).toBe(new Date(expiresAt).toISOString());
    // The two clocks may round differently.
    expect(Date.parse(expiresAt)).toBeGreaterThanOrEqual(before + 60_000 - 2);
    expect(Date.parse(expiresAt)).toBeLessThanOrEqual(after + 60_000 + 2);
    expect(
      connect({ jobTtlMs: 0 }).session.prepare({ instance: 'orders', input: 'x' }),
    ).not.toHaveProperty('expiresAt');
  });
});

describe('requests of hosts', () => {
  /** The loop of a host that has its own model. */
  const recognise = async (
    input,
    generateCandidate,
    config = { language: 'zh-CN' },
    request = { fields: [] },
  ) => {
    const intent = new Intent(config);
    const bridge = createIntentBridge({ instances: { default: intent } });
    const session = bridge.connect();
    try {
      let reply = session.prepare({ instance: 'default', input, ...request });
      while (reply.kind === 'task') {
        const { jobId, stepToken } = reply;
        let candidateText;
        try {
          candidateText = await generateCandidate(reply);
        } catch (problem) {
          session.cancel({ jobId, outcome: 'cancelled' });
          throw problem;
        }
        reply = await session.accept({ jobId, stepToken, candidateText });
      }
      return reply;
    } finally {
      session.close();
      bridge.close();
      intent.dispose();
    }
  };

  test('the loop to its end', async () => {
    const seen = [];
    const answer = async ({ stage, payload, instructions, format }) => {
      seen.push([stage, JSON.parse(payload).structuredLanguage, format.kind]);
      expect(instructions.length).toBeGreaterThan(500);
      return stage === 'core' ? core() : data();
    };
    expect(result(await recognise(INPUT, answer)).intents).toHaveLength(1);
    const whole = await recognise(INPUT, answer, { schema }, {});
    expect(result(whole).data).toEqual({ orderId: '000123' });
    expect(seen).toEqual([
      ['core', 'zh-CN', 'json_schema'],
      ['core', 'en', 'json_schema'],
      ['data', 'en', 'json_object'],
    ]);
    error(
      await recognise(' ', answer),
      'INPUT_INVALID',
      'input',
      /^input must contain non-whitespace text\.$/,
    );
    error(await recognise(INPUT, async () => ''), 'MODEL_OUTPUT_INVALID', 'core');
    const failing = new Error('the model is away');
    await expect(recognise(INPUT, () => Promise.reject(failing))).rejects.toBe(failing);
  });

  test('other limits end the job: only the size is looked at before', async () => {
    const { session } = connect({ config: { limits: { maxCandidateNodes: 5 } } });
    const active = task(prepare(session));
    error(
      await session.accept(step(active, core())),
      'LIMIT_EXCEEDED',
      'core',
      /maxCandidateNodes/,
    );
    error(await session.accept(step(active, '{}')), 'BRIDGE_STEP_CONFLICT', 'bridge');
    error(session.cancel({ jobId: active.jobId }), 'LIMIT_EXCEEDED', 'core');
  });

  test('replies of every kind are JSON to the last key', async () => {
    const { session } = connect();
    const first = task(prepare(session, { fields: [] }));
    const end = await session.accept(step(first, core()));
    const refused = await session.accept(step(first, '{}'));
    const kinds = [];
    for (const reply of [first, end, refused, prepare(session, { input: '' })]) {
      kinds.push(reply.kind);
      // toStrictEqual, unlike toEqual, sees a key that holds undefined, and a class.
      expect(JSON.parse(JSON.stringify(reply))).toStrictEqual(reply);
    }
    expect(kinds).toEqual(['task', 'result', 'error', 'error']);
  });
});

describe('wrong calls', () => {
  const values = [
    undefined,
    null,
    true,
    1,
    1n,
    '',
    'x',
    Symbol('s'),
    [],
    [{}],
    () => {},
    new Date(),
    new Map(),
    Object.create({}),
    new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error('trap');
        },
      },
    ),
    Promise.resolve({}),
  ];

  test('any value into any call is one reply, and changes nothing', async () => {
    const { session } = connect();
    const active = task(prepare(session));
    for (const value of values) {
      error(session.prepare(value), 'INPUT_INVALID');
      error(await session.accept(value), 'INPUT_INVALID');
      error(session.cancel(value), 'INPUT_INVALID');
      for (const key of ['input', 'instance', 'fields', 'context']) {
        if (value === undefined && ['fields', 'context'].includes(key)) continue;
        if (Array.isArray(value) && value.length === 0) continue;
        if (key === 'context' && typeof value === 'string') continue;
        if (key === 'input' && value === 'x') continue;
        error(prepare(session, { [key]: value }), 'INPUT_INVALID', 'input');
      }
      error(
        await session.accept({ ...step(active, core()), jobId: value }),
        'BRIDGE_JOB_NOT_FOUND',
        'bridge',
      );
      error(session.cancel({ jobId: value }), 'BRIDGE_JOB_NOT_FOUND', 'bridge');
      if (typeof value !== 'string') {
        for (const key of ['stepToken', 'candidateText'])
          error(
            await session.accept({ ...step(active, core()), [key]: value }),
            'INPUT_INVALID',
            'input',
          );
        if (value !== undefined) {
          error(session.cancel({ jobId: active.jobId, detail: value }), 'INPUT_INVALID', 'input');
          error(session.cancel({ jobId: active.jobId, outcome: value }), 'INPUT_INVALID', 'input');
        }
      }
    }
    error(session.prepare(), 'INPUT_INVALID');
    error(session.prepare({ instance: 'orders', input: 'x' }, 1), 'INPUT_INVALID');
    error(await session.accept(), 'INPUT_INVALID');
    error(await session.accept(step(active, core()), 1), 'INPUT_INVALID');
    error(session.cancel(), 'INPUT_INVALID');
    for (const extra of [{ extra: undefined }, { signal: undefined }, { [Symbol('s')]: 1 }])
      error(prepare(session, extra), 'INPUT_INVALID', 'input');
    error(await session.accept({ ...step(active, core()), extra: 1 }), 'INPUT_INVALID');
    error(session.cancel({ jobId: active.jobId, reason: 'x' }), 'INPUT_INVALID');
    const getter = {
      ...step(active, core()),
      get candidateText() {
        throw new Error('trap');
      },
    };
    error(await session.accept(getter), 'INPUT_INVALID');
    expect(
      result(await session.accept(step(await session.accept(step(active, core())), data()))).data,
    ).toEqual({
      orderId: '000123',
    });
  });

  test('the order of the checks', async () => {
    const { session, bridge } = connect({
      maxJobs: 1,
      config: { limits: { maxOutputBytes: 2000 } },
    });
    // prepare: shape, instance, maxJobs, the request itself.
    error(
      prepare(session, { extra: 1, instance: 'none', input: 1 }),
      'INPUT_INVALID',
      'input',
      /extra/,
    );
    error(
      prepare(session, { instance: 'none', input: ' ' }),
      'INPUT_INVALID',
      'input',
      /"none".*orders|orders.*"none"/,
    );
    const active = task(prepare(session));
    error(prepare(session, { instance: 'none' }), 'INPUT_INVALID', 'input');
    const full = error(
      prepare(session, { input: ' ' }),
      'LIMIT_EXCEEDED',
      'bridge',
      /maxJobs \(1\)/,
    );
    expect(full.message).toContain(active.jobId);
    // accept: shape, job, strings, size, used token, other token.
    error(await session.accept({ jobId: 'none', extra: 1 }), 'INPUT_INVALID', 'input');
    error(
      await session.accept({ jobId: 'none', stepToken: 1, candidateText: 1 }),
      'BRIDGE_JOB_NOT_FOUND',
    );
    error(
      await session.accept({ jobId: active.jobId, stepToken: 'forged', candidateText: 1 }),
      'INPUT_INVALID',
    );
    error(
      await session.accept({
        jobId: active.jobId,
        stepToken: 'forged',
        candidateText: 'x'.repeat(2001),
      }),
      'LIMIT_EXCEEDED',
      'core',
    );
    error(
      await session.accept({ ...step(active, core()), stepToken: 'forged' }),
      'BRIDGE_STEP_CONFLICT',
    );
    const second = task(await session.accept(step(active, core())));
    error(await session.accept(step(active, 'x'.repeat(2001))), 'LIMIT_EXCEEDED', 'data');
    // Another session's job does not exist.
    const other = bridge.connect();
    error(await other.accept(step(second, data())), 'BRIDGE_JOB_NOT_FOUND');
    error(other.cancel({ jobId: active.jobId, outcome: 'odd' }), 'BRIDGE_JOB_NOT_FOUND');
    error(other.cancel({ jobId: active.jobId }), 'BRIDGE_JOB_NOT_FOUND');
    // cancel: detail by its bytes.
    error(
      session.cancel({ jobId: active.jobId, outcome: 'stopped' }),
      'INPUT_INVALID',
      'input',
      /outcome/,
    );
    error(
      session.cancel({ jobId: active.jobId, detail: '中'.repeat(683) }),
      'INPUT_INVALID',
      'input',
      /2048/,
    );
    error(
      session.cancel({ jobId: active.jobId, detail: '中'.repeat(682) }),
      'MODEL_ABORTED',
      'data',
      /中/,
    );
  });

  test('lone surrogates', async () => {
    const { session } = connect();
    error(prepare(session, { input: 'a\ud800' }), 'INPUT_INVALID', 'input', /surrogate/);
    error(prepare(session, { context: '\udc00' }), 'INPUT_INVALID', 'input', /surrogate/);
    error(prepare(session, { instance: '\ud800' }), 'INPUT_INVALID', 'input');
    const active = task(prepare(session));
    error(await session.accept({ ...step(active, core()), stepToken: '\ud800' }), 'INPUT_INVALID');
    error(session.cancel({ jobId: '\ud800' }), 'BRIDGE_JOB_NOT_FOUND');
    error(session.cancel({ jobId: active.jobId, detail: '\ud800' }), 'INPUT_INVALID');
    const text = core().replace('Query', '\ud83d');
    const repair = task(await session.accept(step(active, text)), 'core');
    expect(repair.payload.isWellFormed()).toBe(true);
    // Submitted again to the letter it is the same submission; its other half is another.
    expect(await session.accept(step(active, text))).toEqual(repair);
    error(
      await session.accept(step(active, core().replace('Query', '\ude00'))),
      'BRIDGE_STEP_CONFLICT',
    );
    task(await session.accept(step(repair, core())), 'data');
  });

  test('configurations', () => {
    const intent = new Intent();
    const bad = (config, message) =>
      refusal(() => createIntentBridge(config), 'CONFIG_INVALID', 'config', message);
    for (const value of values) {
      bad(value);
      if (value !== undefined) bad({ instances: value });
      bad({ instances: { a: value } }, /instances\.a/);
    }
    bad({ instances: {} }, /at least one/);
    bad({ instances: { a: Object.create(intent) } }, /instances\.a/);
    bad({ instances: { a: new Proxy(intent, {}) } }, /instances\.a/);
    bad({ instances: { a: intent }, transport: undefined }, /transport/);
    for (const key of [
      'maxJobs',
      'maxReplayEntries',
      'maxReplayBytes',
      'jobTtlMs',
      'replayTtlMs',
    ]) {
      for (const value of [-1, 0.5, 2147483648, '1', null, Number.NaN, Infinity, 1n, [1]])
        bad({ instances: { a: intent }, [key]: value }, new RegExp(key));
      createIntentBridge({ instances: { a: intent }, [key]: 2147483647 }).close();
      createIntentBridge({ instances: { a: intent }, [key]: undefined }).close();
      if (key.startsWith('max')) bad({ instances: { a: intent }, [key]: 0 }, new RegExp(key));
      else createIntentBridge({ instances: { a: intent }, [key]: 0 }).close();
    }
  });
});

describe('ends', () => {
  test('cancel: six codes, the core result kept after core', async () => {
    const { session } = connect();
    for (const stage of ['core', 'data']) {
      for (const [outcome, code] of [
        [undefined, 'MODEL_ABORTED'],
        ['cancelled', 'MODEL_ABORTED'],
        ['refusal', 'MODEL_REFUSED'],
        ['incomplete', 'MODEL_OUTPUT_INCOMPLETE'],
      ]) {
        const job = stage === 'core' ? task(prepare(session)) : await toData(session);
        const reply = session.cancel({ jobId: job.jobId, outcome, detail: 'because of this' });
        expect('partialResult' in error(reply, code, stage, /because of this/)).toBe(
          stage === 'data',
        );
        expect(session.cancel({ jobId: job.jobId, outcome: 'refusal' })).toEqual(reply);
        error(await session.accept(step(job, core())), 'BRIDGE_STEP_CONFLICT', 'bridge');
      }
    }
  });

  test('closing a session, a bridge; the Intent stays', async () => {
    const { bridge, session, intent } = connect();
    const job = task(prepare(session));
    session.close();
    session.close();
    error(await session.accept(step(job, core())), 'BRIDGE_JOB_NOT_FOUND', 'bridge');
    error(prepare(session), 'BRIDGE_JOB_NOT_FOUND', 'bridge');
    error(session.prepare(7), 'BRIDGE_JOB_NOT_FOUND', 'bridge');
    error(session.cancel(7), 'BRIDGE_JOB_NOT_FOUND', 'bridge');
    const other = bridge.connect();
    const lost = task(prepare(other));
    bridge.close();
    bridge.close();
    error(other.cancel({ jobId: lost.jobId }), 'BRIDGE_JOB_NOT_FOUND', 'bridge');
    other.close();
    refusal(() => bridge.connect(), 'BRIDGE_JOB_NOT_FOUND', 'bridge');
    const again = createIntentBridge({ instances: { orders: intent } });
    task(prepare(again.connect()));
    again.close();
  });

  test('timers keep no process alive, nor do idle jobs', async () => {
    const text = (rest) => `
      import { Intent } from '@devcodex/intent-runtime';
      import { createIntentBridge } from '@devcodex/intent-runtime/bridge';
      const instances = { a: new Intent() };
      const bridge = createIntentBridge({ instances, jobTtlMs: 600000, replayTtlMs: 600000 });
      const session = bridge.connect();
      const task = session.prepare({ instance: 'a', input: 'x' });
      session.prepare({ instance: 'a', input: 'y' });
      const step = { jobId: task.jobId, stepToken: task.stepToken, candidateText: ${JSON.stringify(core())} };
      ${rest}`;
    const runs = await Promise.all([
      runNode(text('console.log(task.kind);')),
      runNode(text('console.log((await session.accept(step)).kind);')),
      runNode(text('session.cancel({ jobId: task.jobId }); console.log("cancelled");')),
      runNode(text('session.accept(step).then((reply) => console.log(reply.kind));')),
    ]);
    expect(runs.map(({ code, stderr }) => [code, stderr])).toEqual(runs.map(() => [0, '']));
    expect(runs.map(({ stdout }) => stdout.trim())).toEqual([
      'task',
      'result',
      'cancelled',
      'result',
    ]);
  });
});

describe('capacities', () => {
  test('the defaults: 32 active jobs, and 200 finished ones make room for each other', async () => {
    const { session } = connect();
    for (let i = 0; i < 200; i++)
      result(await session.accept(step(task(prepare(session, { fields: [] })), core())));
    for (let i = 0; i < 32; i++) task(prepare(session));
    error(prepare(session), 'LIMIT_EXCEEDED', 'bridge', /maxJobs \(32\)/);
  });
});

describe('many at once', () => {
  test('replies are the caller’s own objects', async () => {
    const { session } = connect();
    const job = task(prepare(session, { fields: [] }));
    job.format.schema.properties = {};
    const [one, two] = await Promise.all([1, 2].map(() => session.accept(step(job, core()))));
    one.result.intents.length = 0;
    one.result.data.x = 1;
    expect(two.result.intents).toHaveLength(1);
    const replay = await session.accept(step(job, core()));
    expect([replay.result.intents.length, replay.result.data]).toEqual([1, {}]);
    expect(Object.keys(task(prepare(session)).format.schema.properties).length).toBeGreaterThan(3);
  });

  test('calls take effect in the order in which they are made', async () => {
    const { session, bridge, intent } = connect();
    const [a, b, c] = [task(prepare(session)), task(prepare(session)), task(prepare(session))];
    const accepted = session.accept(step(a, core()));
    const cancelled = session.cancel({ jobId: a.jobId });
    // A small candidate is mostly decided within the call: then the cancellation finds the data
    // stage. Where it was not, both calls give the one outcome.
    const { stage } = error(cancelled, 'MODEL_ABORTED');
    if (stage === 'data') task(await accepted, 'data');
    else expect(await accepted).toEqual(cancelled);
    const inProgress = session.accept(step(b, core()));
    session.close();
    const closed = await inProgress;
    if (closed.kind === 'task') task(closed, 'data');
    else error(closed, 'BRIDGE_JOB_NOT_FOUND', 'bridge');
    error(await session.accept(step(c, core())), 'BRIDGE_JOB_NOT_FOUND', 'bridge');
    const last = bridge.connect();
    const d = task(prepare(last));
    intent.dispose();
    error(await last.accept(step(d, core())), 'INSTANCE_DISPOSED', 'core');
  });

  test('cancel, close and dispose among slow submissions: one outcome each, full capacity', async () => {
    const $defs = { l40: { type: 'string', maxLength: 1 } };
    for (let i = 0; i < 40; i++)
      $defs[`l${i}`] = { anyOf: [1, 2].map(() => ({ $ref: `#/$defs/l${i + 1}` })) };
    const slow = { type: 'object', properties: { v: { $ref: '#/$defs/l0' } }, $defs };
    const value = dataOf({ v: 'xx' });
    for (const end of ['cancel', 'close', 'close the bridge', 'dispose', 'nothing']) {
      const maxValidationMs = end === 'nothing' ? 100 : 20_000;
      const limits = { maxValidationMs, maxValidationQueueEntries: 1000 };
      const { bridge, intent } = connect({ config: { schema: slow, limits }, maxJobs: 16 });
      const sessions = Array.from({ length: 4 }, () => bridge.connect());
      const running = [];
      for (const session of sessions) {
        for (let i = 0; i < 4; i++) {
          const job = task(await session.accept(step(task(prepare(session)), core())), 'data');
          const submission = step(job, JSON.stringify(value));
          running.push({
            session,
            job,
            reply: session.accept(submission),
            twin: session.accept(submission),
          });
        }
      }
      await turn();
      const cancelled = new Map();
      for (const { session, job } of running) {
        if (end === 'cancel') cancelled.set(job.jobId, session.cancel({ jobId: job.jobId }));
      }
      if (end === 'close') for (const session of sessions) session.close();
      if (end === 'close the bridge') bridge.close();
      if (end === 'dispose') intent.dispose();
      for (const { job, reply, twin } of running) {
        const found = await reply;
        expect(await twin).toEqual(found);
        if (end === 'cancel') {
          error(found, 'MODEL_ABORTED', 'data');
          expect(found).toEqual(cancelled.get(job.jobId));
        } else if (end === 'dispose') error(found, 'INSTANCE_DISPOSED', 'data');
        else if (end === 'nothing') error(found, 'LIMIT_EXCEEDED', 'data');
        else error(found, 'BRIDGE_JOB_NOT_FOUND', 'bridge');
      }
      if (end !== 'close the bridge' && end !== 'dispose') {
        const after = bridge.connect();
        for (let i = 0; i < 16; i++) task(prepare(after));
        error(prepare(after), 'LIMIT_EXCEEDED', 'bridge');
      }
    }
  }, 30_000);
});

test('entries have nothing to them but their methods', async () => {
  const { bridge, session } = connect();
  expect(Object.keys(bridge).sort()).toEqual(['close', 'connect']);
  expect(Object.keys(session).sort()).toEqual(['accept', 'cancel', 'close', 'prepare']);
  // Each works apart from its object, as it is handed on as a callback.
  const { prepare: bare, accept } = session;
  const job = task(bare({ instance: 'orders', input: INPUT }));
  const accepted = accept(step(job, core()));
  expect(accepted).toBeInstanceOf(Promise);
  task(await accepted, 'data');
});
