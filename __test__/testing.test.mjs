// The testing entry: candidates that the runtime accepts, scripts, and answers on file.

import { spawn, spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Intent, IntentDataError, IntentError } from '@devcodex/intent-runtime';
import { createApiExecutor } from '@devcodex/intent-runtime/adapters/api';
import { retrying } from '@devcodex/intent-runtime/executors';
import {
  coreCandidate,
  dataCandidate,
  recordingExecutor,
  replayingExecutor,
  scriptedExecutor,
} from '@devcodex/intent-runtime/testing';
import { afterAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import '../examples/testing/orders.vitest.mjs';
import { responses, startService } from './support/service.mjs';

const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'intent-testing-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const schema = {
  type: 'object',
  description: 'An order of the shop.',
  properties: {
    orderId: { type: 'string', description: 'The number of the order.' },
    quantity: { type: 'integer' },
    urgent: { type: 'boolean' },
    'a/b~c': { type: 'array', items: { type: 'string' } },
  },
  required: ['orderId'],
};
const input = 'Change order 000123 to three pieces for 上海, soon please.';
const data = { orderId: '000123', quantity: 3, urgent: true, 'a/b~c': ['上海'] };

const recognised = async (executor, request, config) => {
  const intent = new Intent({ executor, repairAttempts: 0, ...config });
  try {
    return await intent.parse(request);
  } finally {
    await intent.dispose();
  }
};

const thrown = (call) => {
  try {
    call();
  } catch (error) {
    expect(error).toBeInstanceOf(IntentError);
    return error;
  }
  return expect.fail('nothing was thrown');
};

describe.each(['full', 'brief'])('candidates of the %s form', (proof) => {
  const core = () => coreCandidate({ intents: [{ action: 'modify', target: 'order' }], proof });

  it('are accepted, with quotes that are found and given', async () => {
    const quotes = { '/urgent': 'soon', '/quantity': 'three pieces' };
    const text = dataCandidate({ schema, input, proof, data, quotes });
    const request = { input, evidence: true };
    const result = await recognised(scriptedExecutor([core(), text]), request, { schema, proof });
    expect(result.data).toEqual(data);
    const quoteOf = (path) => result.evidence.find((one) => one.path.endsWith(path)).spans[0].quote;
    expect(quoteOf('/urgent')).toBe('soon');
    expect(quoteOf('/quantity')).toBe('three pieces');
    expect(quoteOf('/orderId')).toBe('000123');
  });

  it('find a value in context, and keep to the sources that are allowed', async () => {
    const context = [
      { role: 'assistant', content: 'Order 000123?' },
      { role: 'user', content: 'Yes, 000123.' },
    ];
    const evidenceFrom = ['input', 'user'];
    const given = { schema, input: 'Change it.', context, evidenceFrom, proof };
    const quotes = { '/orderId': '000123' };
    const text = dataCandidate({
      ...given,
      context: context.slice(1),
      data: { orderId: '000123' },
    });
    expect(JSON.parse(text).data).toEqual({ orderId: '000123' });
    const error = thrown(() =>
      dataCandidate({
        ...given,
        context: context.slice(0, 1),
        data: { orderId: '000123' },
        quotes,
      }),
    );
    expect(error.code).toBe('MODEL_OUTPUT_INVALID');
  });

  it('carry issues, verdicts and fields that do not apply', async () => {
    const issues = [{ code: 'DATA_REQUIRED_MISSING', path: '/data/orderId', message: 'Which?' }];
    const open = dataCandidate({ schema, input: 'Change it.', proof, issues });
    const config = { schema, proof };
    const asked = recognised(scriptedExecutor([core(), open]), { input: 'Change it.' }, config);
    await expect(asked).rejects.toMatchObject({ issues: [{ ...issues[0] }] });
    const verdicts = { '/orderId': { verdict: 'violated', explanation: 'No such order.' } };
    const absent = { quantity: 'not_applicable' };
    const against = dataCandidate({
      schema,
      input,
      proof,
      data: { orderId: '000123' },
      verdicts,
      absent,
    });
    const judged = recognised(scriptedExecutor([core(), against]), { input }, config);
    const error = await judged.catch((one) => one);
    expect(error).toBeInstanceOf(IntentDataError);
    expect(error.issues[0].message).toBe('No such order.');
  });

  it.each([
    ['one text', 'Order 000123.', 'background'],
    ['messages', [{ role: 'tool', content: 'Order 000123.' }], 'tool'],
  ])('take the context of a question that was asked: %s', async (_, context, role) => {
    const config = { schema, proof };
    const requests = [];
    const executor = {
      id: 'asking',
      async generate({ stage, input: { currentInput, context } }) {
        requests.push(context);
        const of = { schema, proof, input: currentInput, context, data: { orderId: '000123' } };
        return { outcome: 'complete', text: stage === 'core' ? core() : dataCandidate(of) };
      },
    };
    const { data } = await recognised(executor, { input: 'Query it.', context }, config);
    expect(data).toEqual({ orderId: '000123' });
    expect(requests[1]).toEqual([{ sourceId: 'context:0', role, content: 'Order 000123.' }]);
  });

  it('fail when they are made, by the faults of the runtime', () => {
    const of = (more) => () => dataCandidate({ schema, input, proof, ...more });
    for (const [more, said] of [
      [{ data: { orderId: '777777' } }, /777777[\s\S]*quotes: /],
      [{ data: { orderId: '000123', quantity: '3' } }, /must be integer/],
      [{ data: {} }, /DATA_REQUIRED_MISSING/],
      [{ data: { orderId: '000123', other: 1 } }, /other/],
    ]) {
      const error = thrown(of(more));
      expect(error.code).toBe('MODEL_OUTPUT_INVALID');
      expect(error.faults.length).toBeGreaterThan(0);
      expect(error.message).toMatch(said);
    }
  });
});

it('core candidates have every status, and a reason where there are questions', async () => {
  const text = coreCandidate({
    intents: [
      { action: 'query', target: 'a' },
      { questions: ['Which one?', { question: 'When?', options: ['now', 'later'] }] },
      { action: 'delete', target: 'c', confirmation: 'It cannot be undone.' },
      { action: 'execute', target: 'd', condition: 'If it rains.' },
    ],
    prohibitions: ['Do not pay.'],
  });
  const result = await recognised(scriptedExecutor([text]), { input: 'x y' });
  expect(result.intents.map(({ status }) => status)).toEqual([
    'ready',
    'needs_clarification',
    'awaiting_confirmation',
    'conditional',
  ]);
  expect(result.intents[1].reason).toBe('Which one?');
  expect(result.prohibitions).toEqual(['Do not pay.']);
});

it('core candidates and calls that are wrong fail when they are made', () => {
  expect(thrown(() => coreCandidate({ intents: [{ action: 'fly' }] })).message).toMatch(/"query"/);
  expect(thrown(() => coreCandidate({ intents: [{ target: 'x' }] })).stage).toBe('core');
  for (const call of [
    () => coreCandidate({ intent: [] }),
    () => coreCandidate({ intents: [{ targt: 'x' }] }),
    () => coreCandidate({ intents: 'x' }),
    () => coreCandidate(null),
    () => dataCandidate({ schema, input, dta: {} }),
    () => dataCandidate({ schema, input, data: [] }),
    () => dataCandidate({ schema: {}, input, data: {} }),
    () => dataCandidate({ schema, input, fields: [] }),
    () => dataCandidate({ schema, input, data, quotes: { '/orderId': 'nowhere' } }),
    () => dataCandidate({ schema, input, data, quotes: { orderId: '000123' } }),
    () => dataCandidate({ schema, input, data, verdicts: { '/none': { verdict: 'violated' } } }),
    () => scriptedExecutor({ cor: 'x' }),
    () => scriptedExecutor([42]),
    () => scriptedExecutor([{ outcome: 'done' }]),
    () => scriptedExecutor([{ outcome: 'complete' }]),
    () => scriptedExecutor([{ outcome: 'refusal', detail: 1 }]),
    () => recordingExecutor({}, 'x'),
    () => replayingExecutor(''),
  ])
    expect(thrown(call).code, String(call)).toBe('CONFIG_INVALID');
  expect(thrown(() => dataCandidate({ schema, input, fields: ['nope'] })).code).toBe(
    'UNKNOWN_FIELD',
  );
  expect(thrown(() => dataCandidate({ schema, input: ' ' })).code).toBe('INPUT_INVALID');
});

it('takes nothing that every object inherits', () => {
  const make = () => [
    coreCandidate({ intents: [{ action: 'query', target: 'a' }] }),
    dataCandidate({ schema, input, data: { orderId: '000123' } }),
    scriptedExecutor({ core: [] }).requests,
  ];
  const before = make();
  const names = ['quotes', 'issues', 'verdicts', 'absent', 'questions', 'proof', 'context', 'data'];
  for (const name of [...names, 'requirements', 'primaryIntent', 'evidence', 'limits', 'condition'])
    try {
      Object.defineProperty(Object.prototype, name, { value: ['x'], configurable: true });
      expect(make(), name).toEqual(before);
    } finally {
      delete Object.prototype[name];
    }
});

it('takes a Standard Schema', () => {
  const Order = z.object({ orderId: z.string().describe('The number.') });
  const text = dataCandidate({ schema: Order, input, data: { orderId: '000123' } });
  expect(JSON.parse(text).descriptionChecks).not.toEqual([]);
});

describe('scripts', () => {
  const core = coreCandidate({ intents: [{ action: 'query', target: 'order' }] });
  const text = dataCandidate({ schema, input, data: { orderId: '000123' } });

  it('go by order, by stage, and by functions that see the question', async () => {
    const seen = [];
    const byFunction = (request) => {
      seen.push(request.stage);
      return { outcome: 'complete', text };
    };
    for (const replies of [[core, byFunction], { core, data: [byFunction] }]) {
      const executor = scriptedExecutor(replies);
      expect((await recognised(executor, { input }, { schema })).data).toEqual({
        orderId: '000123',
      });
      expect(executor.requests).toHaveLength(2);
    }
    expect(seen).toEqual(['data', 'data']);
  });

  it('script a repair by a function, refusals and errors', async () => {
    const broken = () => ({ outcome: 'complete', text: 'broken' });
    const executor = scriptedExecutor([core, broken, text]);
    const request = { input };
    await recognised(executor, request, { schema, repairAttempts: 1 });
    expect(executor.requests[2].input.repair.candidate).toBe('broken');
    const refusing = scriptedExecutor([{ outcome: 'refusal', detail: 'no' }]);
    await expect(recognised(refusing, request)).rejects.toMatchObject({ code: 'MODEL_REFUSED' });
    const busy = new IntentError('MODEL_RATE_LIMITED');
    const again = retrying(scriptedExecutor([busy, core]), { attempts: 2, maxDelayMs: 1 });
    expect((await recognised(again, request)).intents).toHaveLength(1);
  });

  it('that run out, or are of another stage, say so', async () => {
    for (const [replies, said] of [
      [[core], /no reply left for question 2 \(stage data\): it holds 1\./],
      [{ core }, /no reply left for question 2 \(stage data\): it holds 0 for data/],
      [[text], /reply 1 is a data candidate, but question 1 is of stage core/],
      [[], /no reply left for question 1/],
    ]) {
      const parse = recognised(scriptedExecutor(replies), { input }, { schema });
      const error = await parse.catch((one) => one);
      expect(error.code).toBe('MODEL_REQUEST_FAILED');
      expect(error.message).toMatch(said);
      expect(error.retryable).toBe(false);
    }
    const wrong = () => ({ outcome: 'complete', text: '{}' });
    const parse = recognised(scriptedExecutor([wrong]), { input }, { repairAttempts: 1 });
    await expect(parse).rejects.toThrow(/It asks for a repair: /);
  });

  it('with replies that the runtime would refuse fail when they are made', () => {
    const without = (key) => {
      const { [key]: _, ...rest } = JSON.parse(text);
      return JSON.stringify(rest);
    };
    for (const replies of [
      ['no JSON'],
      ['[]'],
      ['{"answer":1}'],
      [core.replace('"query"', '"fly"')],
      [core, without('evidence')],
      [core, without('fieldResults')],
      [core, text.replaceAll('000123', '')],
      { data: core },
    ])
      expect(() => scriptedExecutor(replies), JSON.stringify(replies)).toThrow(IntentError);
  });
});

describe('answers on file', () => {
  const core = coreCandidate({ intents: [{ action: 'query', target: 'order' }] });
  const text = dataCandidate({ schema, input, data: { orderId: '000123' } });
  const record = (file, request = { input }) =>
    recognised(recordingExecutor(scriptedExecutor({ core, data: text }), file), request, {
      schema,
    });

  it('are readable, sorted, and replayed to the letter', async () => {
    const file = join(folder, 'below', 'answers.json');
    const before = await record(file);
    const written = readFileSync(file, 'utf8');
    const whole = JSON.parse(written);
    expect(written).toBe(`${JSON.stringify(whole, null, 2)}\n`);
    const keys = Object.keys(whole.answers);
    expect(keys).toEqual([...keys].sort());
    expect(Object.keys(whole)).toEqual(['answers', 'format']);
    const entries = Object.values(whole.answers);
    expect(entries).toHaveLength(2);
    for (const entry of entries) {
      expect(Object.keys(entry)).toEqual(['input', 'instructions', 'reply', 'stage']);
      expect(entry.reply.candidate).toBeTypeOf('object');
    }
    expect(await recognised(replayingExecutor(file), { input }, { schema })).toEqual(before);
    await record(file);
    expect(readFileSync(file, 'utf8')).toBe(written);
  });

  it('keep a text that is not plain JSON as text', async () => {
    const file = join(folder, 'text.json');
    const odd = core.replace('"query"', '"\\u0071uery"');
    const executor = recordingExecutor(scriptedExecutor([odd]), file);
    await recognised(executor, { input });
    expect(Object.values(JSON.parse(readFileSync(file, 'utf8')).answers)[0].reply.text).toBe(odd);
    expect((await recognised(replayingExecutor(file), { input })).intents[0].action).toBe('query');
  });

  it('fail by name for another question, file or content', async () => {
    const file = join(folder, 'named.json');
    await record(file);
    const ask = async (request, config) => {
      const error = await recognised(replayingExecutor(file), request, config).catch((one) => one);
      expect(error.code).toBe('MODEL_REQUEST_FAILED');
      return error.message;
    };
    const other = await ask({ input: 'Delete everything.' }, { schema });
    expect(other).toMatch(
      /named\.json has no answer to the core question for the input "Delete everything\."/,
    );
    expect(other).toMatch(/recordingExecutor/);
    expect(await ask({ input }, { schema, language: 'de' })).toMatch(
      /another schema, context, language/,
    );
    expect(thrown(() => replayingExecutor(join(folder, 'none.json'))).message).toMatch(/no file/);
    for (const content of ['x', '{}', 'null', '{"format":1}']) {
      writeFileSync(file, content);
      expect(thrown(() => replayingExecutor(file)).code).toBe('CONFIG_INVALID');
    }
  });

  it('hold no secret of the executor', async () => {
    const service = await startService();
    service.answers = [
      (_, response) => {
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify(responses(core)));
      },
    ];
    const file = join(folder, 'secret.json');
    const executor = createApiExecutor({
      provider: 'openai',
      model: 'm',
      apiKey: 'key-that-is-secret',
      headers: { 'x-tenant': 'header-that-is-secret' },
      baseURL: service.baseURL,
    });
    await recognised(recordingExecutor(executor, file), { input });
    await service.close();
    expect(readFileSync(file, 'utf8')).not.toMatch(/secret|127\.0\.0\.1/);
  });

  it('of several processes are all kept', async () => {
    const file = join(folder, 'parallel.json');
    // A process that was killed long ago left its lock.
    mkdirSync(`${file}.lock`);
    utimesSync(`${file}.lock`, 1, 1);
    const code = `
      const { Intent } = require('@devcodex/intent-runtime');
      const { coreCandidate, recordingExecutor, scriptedExecutor } = require('@devcodex/intent-runtime/testing');
      const core = coreCandidate({ intents: [{ action: 'query', target: 'x' }] });
      const [file, name] = process.argv.slice(1);
      const executor = recordingExecutor(scriptedExecutor(Array(10).fill(core)), file);
      const intent = new Intent({ executor });
      (async () => { for (let i = 0; i < 10; i++) await intent.parse({ input: name + ' ' + i }); })();`;
    const processes = ['a', 'b', 'c', 'd'].map(
      (name) =>
        new Promise((resolve) => {
          const child = spawn(process.execPath, ['-e', code, file, name], {
            cwd: root,
            stdio: 'inherit',
          });
          child.on('close', resolve);
        }),
    );
    expect(await Promise.all(processes)).toEqual([0, 0, 0, 0]);
    expect(Object.keys(JSON.parse(readFileSync(file, 'utf8')).answers)).toHaveLength(40);
    expect(readdirSync(folder).filter((name) => /lock|new/.test(name))).toEqual([]);
  }, 60_000);

  it('wait for another process that was faster to replace a stale lock', () => {
    const file = join(folder, 'replaced.json');
    mkdirSync(`${file}.lock`);
    utimesSync(`${file}.lock`, 1, 1);
    // The first look at the lock is followed by the other process, which releases its lock at the fourth.
    const code = `
      const fs = require('node:fs');
      const { mkdirSync, rmdirSync, statSync } = fs;
      const [file] = process.argv.slice(1);
      let looks = 0;
      fs.statSync = (path, options) => {
        const stat = statSync(path, options);
        if (path !== file + '.lock') return stat;
        looks += 1;
        if (looks === 1 || looks === 4) rmdirSync(path);
        if (looks === 1) mkdirSync(path);
        return stat;
      };
      const { recordingExecutor } = require('@devcodex/intent-runtime/testing');
      const executor = recordingExecutor({ id: "x", generate: async () => ({ outcome: 'refusal' }) }, file);
      const { Intent } = require('@devcodex/intent-runtime');
      new Intent({ executor }).parse({ input: 'x' }).catch(() => console.log(looks));`;
    const run = spawnSync(process.execPath, ['-e', code, file], { cwd: root, encoding: 'utf8' });
    expect([run.stderr, run.stdout]).toEqual(['', '4\n']);
    expect(readdirSync(folder).filter((name) => name.startsWith('replaced'))).toEqual([
      'replaced.json',
    ]);
  });
});

it('the example for node:test passes', () => {
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined };
  const run = spawnSync(process.execPath, ['--test', 'examples/testing/orders.node.mjs'], {
    cwd: root,
    encoding: 'utf8',
    env,
  });
  expect(run.status, run.stdout + run.stderr).toBe(0);
});
