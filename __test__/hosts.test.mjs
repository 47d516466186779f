// Hosts of the package: plain scripts that must end by themselves, worker threads that are terminated, VM
// contexts of test runners. (scripts/consumer-test.mjs tests Jest as a host.)

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { Intent, IntentError } from '@devcodex/intent-runtime';
import { describe, expect, test } from 'vitest';
import { core, executor } from './hosts/candidate.mjs';

const root = join(import.meta.dirname, '..');
const MINUTE = 60_000;

/** Runs Node.js to its end; `kept` tells that it did not end by itself. */
const node = async (args, wait = 0.5 * MINUTE) => {
  const child = spawn(process.execPath, args, { cwd: root, env: { ...process.env, VITEST: '' } });
  const output = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'])
    child[stream].setEncoding('utf8').on('data', (text) => {
      output[stream] += text;
    });
  const timer = setTimeout(() => child.kill('SIGKILL'), wait);
  const [code, signal] = await once(child, 'close');
  clearTimeout(timer);
  return { code, signal, ...output };
};

/** A script with `parse(config, request?)`, which prints what came of it. */
const script = (code, wait) =>
  node(
    [
      '--input-type=module',
      '-e',
      `import { Intent } from '@devcodex/intent-runtime';
       import { createApiExecutor } from '@devcodex/intent-runtime/adapters/api';
       import { createIntentBridge } from '@devcodex/intent-runtime/bridge';
       import { executor, silent } from './__test__/hosts/candidate.mjs';
       const parse = (config, more) =>
         new Intent(config).parse({ input: 'Query order 000123.', fields: [], ...more }).then(
           ({ primaryIntent }) => console.log(primaryIntent),
           ({ code }) => console.log(code),
         );
       ${code}`,
    ],
    wait,
  );

const ended = (stdout, code = 0) => ({ code, signal: null, stdout, stderr: '' });

describe('a script ends by itself', () => {
  test('after a parse, without dispose', async () => {
    expect(await script('parse({ executor });')).toEqual(ended('Query order 000123\n'));
  });

  test('after a deadline, with an executor that never settles', async () => {
    expect(await script('parse({ executor: silent, timeoutMs: 100 });')).toEqual(
      ended('MODEL_TIMEOUT\n'),
    );
  });

  test('after an aborted parse, with an executor that never settles', async () => {
    const code = `
      const controller = new AbortController();
      parse({ executor: silent, timeoutMs: 600_000 }, { signal: controller.signal });
      controller.abort();`;
    expect(await script(code)).toEqual(ended('MODEL_ABORTED\n'));
  });

  test('after dispose, with an executor that never settles', async () => {
    const code = `
      const intent = new Intent({ executor: silent, timeoutMs: 600_000 });
      intent.parse({ input: 'x' }).catch(({ code }) => console.log(code));
      await intent.dispose();
      console.log('disposed');`;
    const { stdout, ...rest } = await script(code);
    expect(rest).toEqual({ code: 0, signal: null, stderr: '' });
    expect(stdout.split('\n').sort()).toEqual(['', 'INSTANCE_DISPOSED', 'disposed']);
  });

  test('with a bridge that has open jobs and lifetimes', async () => {
    const code = `
      const instances = { own: new Intent({}) };
      const bridge = createIntentBridge({ instances, jobTtlMs: 600_000, replayTtlMs: 600_000 });
      console.log(bridge.connect().prepare({ instance: 'own', input: 'x' }).kind);`;
    expect(await script(code)).toEqual(ended('task\n'));
  });

  test('after a call to a service whose connection stays open', async () => {
    const server = createServer((request, response) => {
      const message = { role: 'assistant', content: core };
      request.resume().on('end', () => {
        response.end(JSON.stringify({ choices: [{ finish_reason: 'stop', message }] }));
      });
    });
    server.keepAliveTimeout = 10 * MINUTE;
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const config = {
      provider: 'openai',
      protocol: 'chat-completions',
      model: 'm',
      apiKey: 'k',
      baseURL: `http://127.0.0.1:${server.address().port}/v1`,
    };
    try {
      expect(
        await script(`parse({ executor: createApiExecutor(${JSON.stringify(config)}) });`),
      ).toEqual(ended('Query order 000123\n'));
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });

  test('at process.exit in the middle of parses, with its code', async () => {
    const code = `
      for (let i = 0; i < 3; i++) parse({ executor: silent, timeoutMs: 5 });
      parse({ executor: { id: 'exit', generate: () => setTimeout(() => process.exit(7), 5) } });`;
    const { stdout: _, ...rest } = await script(code);
    expect(rest).toEqual({ code: 7, signal: null, stderr: '' });
  });

  test('at process.exit within generate', async () => {
    const code = `parse({ executor: { id: 'exit', generate: () => process.exit(7) } });`;
    expect(await script(code)).toEqual(ended('', 7));
  });

  test('at an uncaught exception', async () => {
    const code = `
      parse({ executor: silent });
      setTimeout(() => { throw new Error('of the application'); }, 5);`;
    const { code: status, stderr } = await script(code);
    expect(status).toBe(1);
    expect(stderr).toContain('of the application');
  });
});

test('200 worker threads are terminated in the middle of parses', {
  timeout: 5 * MINUTE,
}, async () => {
  expect(await node(['__test__/hosts/workers.mjs'], 4.5 * MINUTE)).toEqual(
    ended('200 terminated, Query order 000123\n'),
  );
});

describe('VM contexts', () => {
  test('objects of another realm are accepted like our own', async () => {
    const foreign = (code) => runInNewContext(code, { core });
    const config = foreign(`({
      schema: { type: 'object', properties: { a: { type: 'string', description: 'A.' } } },
      limits: { maxIntentCount: 2 },
      executor: {
        id: 'foreign',
        capabilities: {
          nativeJsonSchema: true, nativeJsonObject: true, isolatedTurn: true, supportsAbort: true,
        },
        generate: async () => ({ outcome: 'complete', text: core, usage: { inputTokens: 1 } }),
      },
    })`);
    const intent = new Intent(config);
    const request = foreign(
      `({ input: 'Query it.', fields: [], context: [{ role: 'user', content: 'Hello.' }] })`,
    );
    const result = await intent.parse(request);
    expect(result.primaryIntent).toBe('Query order 000123');
  });

  test('an error of another realm is the cause', async () => {
    const generate = runInNewContext(`async () => { throw new TypeError('of another realm'); }`);
    const intent = new Intent({ executor: { id: 'foreign', generate } });
    const error = await intent.parse({ input: 'x' }).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(IntentError);
    expect(error.code).toBe('MODEL_REQUEST_FAILED');
    expect(error.cause.message).toBe('of another realm');
  });

  test('an AbortSignal of another realm is no other one', async () => {
    const intent = new Intent({ executor });
    const context = { AbortController };
    const signal = runInNewContext('new AbortController().signal', context);
    await expect(intent.parse({ input: 'x', fields: [], signal })).resolves.toBeDefined();
  });

  test.each(['vmThreads', 'vmForks', 'threads'])(
    'vitest with pool %s',
    { timeout: 2 * MINUTE },
    async (pool) => {
      const { code, stdout, stderr } = await node(
        [
          'node_modules/vitest/vitest.mjs',
          'run',
          '--config=__test__/hosts/vitest.config.mjs',
          `--pool=${pool}`,
          '--reporter=json',
        ],
        1.5 * MINUTE,
      );
      expect(code, stderr + stdout).toBe(0);
      const { numPassedTests, numFailedTests } = JSON.parse(stdout);
      expect({ numPassedTests, numFailedTests }).toEqual({ numPassedTests: 6, numFailedTests: 0 });
    },
  );
});
