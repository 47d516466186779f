// The examples, as a user would have them: copied into a project, compiled, and run against the
// stand-in model on loopback.

import { cpSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Intent } from '@devcodex/intent-runtime';
import { createIntentBridge } from '@devcodex/intent-runtime/bridge';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serve } from './docs/stand-in.mjs';
import { core } from './support/model.mjs';
import { runNode } from './support/process.mjs';
import { makeProject, TSC } from './support/project.mjs';
import { startService, status } from './support/service.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const project = join(root, 'target', 'examples-test');
const out = join(project, 'out');
const examples = readdirSync(join(root, 'examples')).filter((name) => /\.(ts|mjs)$/.test(name));

let standIn;
let env;
beforeAll(async () => {
  standIn = await serve();
  env = {
    INTENT_BASE_URL: standIn.url,
    INTENT_GATEWAY_URL: `${standIn.url}/chat/completions`,
    INTENT_MODEL: 'stand-in',
    INTENT_API_KEY: 'key-of-the-stand-in',
  };
  makeProject(project);
  for (const name of examples)
    cpSync(join(root, 'examples', name), join(name.endsWith('.ts') ? project : out, name));
  const compiled = await runNode([TSC, '-p', project], { timeoutMs: 60_000 });
  expect(compiled.stdout).toBe('');
  expect(compiled.code).toBe(0);
}, 90_000);
afterAll(() => standIn.close());

const run = async (name, args, over) => {
  const ran = await runNode([join(out, name), ...args], { env: { ...env, ...over } });
  return { ...ran, lines: ran.stdout.trim().split('\n') };
};

test('all of them are here', () => {
  expect(examples.sort()).toEqual([
    'bridge-host.mjs',
    'custom-executor.ts',
    'fetch.ts',
    'openai-sdk.ts',
    'zod.ts',
  ]);
});

for (const name of ['custom-executor', 'openai-sdk', 'fetch']) {
  test(name, { timeout: 30_000 }, async () => {
    const ran = await run(`${name}.js`, ['查询订单 000123，不要修改']);
    expect([ran.stderr, ran.code]).toEqual(['', 0]);
    const result = JSON.parse(ran.stdout);
    expect(result.input).toBe('查询订单 000123，不要修改');
    expect(result.intents[0]).toMatchObject({ action: 'query', status: 'ready' });
    expect(result.prohibitions).toHaveLength(1);
    const other = await run(`${name}.js`, []);
    expect(JSON.parse(other.stdout).input).not.toBe(result.input);
  });
}

test('custom-executor: faults of a gateway', { timeout: 30_000 }, async () => {
  const service = await startService();
  try {
    const { createGatewayExecutor } = await (async () => {
      // Its last line runs it; here the functions alone are wanted.
      const { readFileSync } = await import('node:fs');
      const file = join(out, 'custom-executor-functions.js');
      const text = readFileSync(join(out, 'custom-executor.js'), 'utf8');
      expect(text).toContain('await main();');
      writeFileSync(file, text.replace('await main();', ''));
      return import(pathToFileURL(file).href);
    })();
    const executor = createGatewayExecutor(`${service.baseURL}/chat/completions`, 'm', 'k');
    const intent = new Intent({ executor });
    const parse = (answer) => {
      service.answers = [answer];
      return intent.parse({ input: 'x' }).then(
        () => 'result',
        ({ code, stage }) => `${code}/${stage}`,
      );
    };
    const choice = (over, message) => ({
      choices: [
        {
          finish_reason: 'stop',
          ...over,
          message: { role: 'assistant', content: core(), ...message },
        },
      ],
    });
    for (const [answer, outcome] of [
      [choice(), 'result'],
      [choice({ finish_reason: 'length' }), 'MODEL_OUTPUT_INCOMPLETE/core'],
      [choice({ finish_reason: 'content_filter' }), 'MODEL_REFUSED/core'],
      [choice({}, { refusal: 'no' }), 'MODEL_REFUSED/core'],
      [choice({}, { tool_calls: [{}] }), 'MODEL_REQUEST_FAILED/model'],
      [choice({}, { role: 'user' }), 'MODEL_REQUEST_FAILED/model'],
      [{ choices: [...choice().choices, ...choice().choices] }, 'MODEL_REQUEST_FAILED/model'],
      [null, 'MODEL_REQUEST_FAILED/model'],
      [[], 'MODEL_REQUEST_FAILED/model'],
      [status(401), 'MODEL_AUTH_FAILED/model'],
      [status(403), 'MODEL_AUTH_FAILED/model'],
      [status(429), 'MODEL_RATE_LIMITED/model'],
      [status(500, 'no JSON'), 'MODEL_REQUEST_FAILED/model'],
      [status(302, '', { location: '/' }), 'MODEL_REQUEST_FAILED/model'],
      [status(200, ' '.repeat(8 * 1024 * 1024 + 1)), 'RESOURCE_LIMIT/model'],
      [status(500, ' '.repeat(8 * 1024 * 1024 + 1)), 'RESOURCE_LIMIT/model'],
      [(_, response) => response.end(Buffer.from([0x7b, 0xff])), 'MODEL_REQUEST_FAILED/model'],
    ])
      expect(await parse(answer), JSON.stringify(answer)?.slice(0, 200)).toBe(outcome);
    const [{ headers, body }] = service.seen;
    expect(headers).toMatchObject({ 'x-application': 'orders', authorization: 'Bearer k' });
    expect(body).toMatchObject({ model: 'm', stream: false, store: false });
    await intent.dispose();
  } finally {
    await service.close();
  }
});

test('zod', { timeout: 30_000 }, async () => {
  const ran = await run('zod.js', []);
  expect([ran.stderr, ran.code]).toEqual(['', 0]);
  expect(JSON.parse(ran.stdout)).toEqual({
    orderId: '000123',
    quantity: 3,
    status: 'awaiting_confirmation',
  });
  const missing = await run('zod.js', ['Query the order.']);
  expect([missing.stderr, missing.code]).toEqual(['', 0]);
  expect(missing.lines[0]).toMatch(/^\/data\/orderId: ./);
});

test('bridge-host', { timeout: 30_000 }, async () => {
  const model = join(out, 'model.mjs');
  const standInModule = pathToFileURL(join(root, '__test__', 'docs', 'stand-in.mjs'));
  writeFileSync(
    model,
    `import { answer } from '${standInModule}';\nexport default async ({ payload }) => answer(payload);\n`,
  );
  const ran = await run('bridge-host.mjs', [model, 'Query order 000123.']);
  expect([ran.stderr, ran.code]).toEqual(['', 0]);
  const { kind, result } = JSON.parse(ran.stdout);
  expect([kind, result.intents[0].action]).toEqual(['result', 'query']);

  const { recognise } = await import(pathToFileURL(join(out, 'bridge-host.mjs')).href);
  const intent = new Intent({ limits: { maxOutputBytes: 1000 } });
  const bridge = createIntentBridge({ instances: { default: intent }, maxJobs: 1 });
  const session = bridge.connect();
  const request = { instance: 'default', input: 'x' };
  let calls = 0;
  const large = async () => (calls++ === 0 ? 'x'.repeat(2000) : core());
  expect((await recognise(session, request, large, 1000)).kind).toBe('result');
  expect(calls).toBe(2);
  const away = new Error('away');
  for (let i = 0; i < 3; i++)
    await expect(recognise(session, request, () => Promise.reject(away))).rejects.toBe(away);
  expect((await recognise(session, { instance: 'none', input: 'x' }, large)).error.code).toBe(
    'INPUT_INVALID',
  );
  bridge.close();
  await intent.dispose();
});
