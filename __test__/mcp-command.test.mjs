// The command: its arguments, its configuration, what it writes where and how it ends.

import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  command,
  core,
  data,
  initialize,
  ordersConfig,
  request,
  root,
  shortest,
  submission,
  version,
  withServer,
} from './support/mcp.mjs';

let dir;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'intent-mcp-'));
  // A configuration finds the package as a user's does.
  mkdirSync(join(dir, 'node_modules/@devcodex'), { recursive: true });
  symlinkSync(root, join(dir, 'node_modules/@devcodex/intent-runtime'), 'dir');
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

let files = 0;
const config = (text, name = `config-${++files}.mjs`) => {
  const path = join(dir, name);
  writeFileSync(path, text);
  return path;
};
const run = (args, options) =>
  spawnSync(process.execPath, [command, ...args], {
    cwd: dir,
    encoding: 'utf8',
    input: '',
    timeout: 30_000,
    ...options,
  });

describe('arguments', () => {
  test('--help and --version', () => {
    expect(run(['--help'])).toMatchObject({ status: 0, stderr: '' });
    expect(run(['--help']).stdout).toContain('--config <file.mjs>');
    expect(run(['--version'])).toMatchObject({ status: 0, stderr: '', stdout: `${version}\n` });
  });

  test('a closed reader of the help is not an error', async () => {
    const child = spawn(process.execPath, [command, '--help'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout.destroy();
    let stderr = '';
    child.stderr.on('data', (text) => {
      stderr += text;
    });
    const code = await new Promise((resolve) => child.on('close', resolve));
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  test.each([
    [['--config'], "Option '--config <value>' argument missing"],
    [['--config', '--help'], "Option '--config' argument is ambiguous"],
    [['--port', '1'], "Unknown option '--port'"],
    [['-c', 'x.mjs'], "Unknown option '-c'"],
    [['orders.mjs'], "Unexpected argument 'orders.mjs'"],
    [['--help=yes'], "Option '--help' does not take an argument"],
  ])('%j is a mistake', (args, words) => {
    expect(run(args)).toMatchObject({
      status: 1,
      stdout: '',
      stderr: `intent-runtime-mcp: ${words}. See --help.\n`,
    });
  });
});

describe('a configuration that cannot be served', () => {
  test.each([
    ['no file', undefined, 'there is no file'],
    [
      'no JavaScript',
      'export default {\n  instances: {\n',
      /Unexpected end of input \(.*config-\d+\.mjs:3\)/,
    ],
    ['no export', 'export const instances = {};', 'the default export must be { instances:'],
    ['an export of null', 'export default null;', 'the default export must be { instances:'],
    ['no instances', 'export default {};', 'the default export must be { instances:'],
    ['a list', 'export default { instances: [{}] };', 'the default export must be { instances:'],
    ['none of them', 'export default { instances: {} };', 'instances must have at least one entry'],
    ['an instance that is none', 'export default { instances: { a: 1 } };', 'instances.a: '],
    [
      'an unknown key',
      'export default { instances: { a: { lang: "en" } } };',
      /instances\.a: .*lang/,
    ],
    [
      'a bad language',
      'export default { instances: { a: { language: "xx-invalid-" } } };',
      /instances\.a: .*language/,
    ],
    [
      'a bad schema',
      'export default { instances: { "a\\nb": { schema: { type: "object", properties: {}, requierd: [] } } } };',
      /instances\.a b: .*requierd/,
    ],
    [
      'one that throws',
      '\n\nnope();\nexport default {};',
      /nope is not defined \(.*config-\d+\.mjs:3\)/,
    ],
    ['one that throws nothing', 'throw undefined;', 'cannot be loaded: undefined'],
    ['one that throws what has no text', 'throw Object.create(null);', 'cannot be shown'],
    [
      'one that throws what throws',
      'throw { get message() { throw this; }, get stack() { throw this; } };',
      'cannot be shown',
    ],
    [
      'many lines',
      'throw new Error("a\\nb\\r\\nc\\u001b[31md\\ne\\nf");',
      'cannot be loaded: a b c [31md e f',
    ],
    [
      'an import that is not there',
      'import "./none.mjs";',
      /none\.mjs.* imported from .*config-\d+\.mjs/,
    ],
    ['a name that is not there', 'import { no } from "node:fs";', /no.*\(.*config-\d+\.mjs:1\)/],
    [
      'a getter that throws',
      'export default { get instances() { throw new Error("inside"); } };',
      /inside \(/,
    ],
    [
      'an instance whose getter throws',
      'export default { instances: { get a() { throw new Error("in"); } } };',
      'instances.a: in',
    ],
    ['one that never loads', 'await new Promise(() => {});', 'waits for what never comes'],
    [
      'a rejection that nobody handles',
      'Promise.reject(new Error("lost")); await new Promise(() => {});',
      /lost \(/,
    ],
    [
      'an Intent of another copy of the package',
      'class Intent {} export default { instances: { a: new Intent() } };',
      'another copy of the package',
    ],
  ])('%s', (_, text, words) => {
    const path = text === undefined ? join(dir, 'none.mjs') : config(text);
    const { status, stdout, stderr } = run(['--config', path]);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(/^intent-runtime-mcp: [^\n]*\n$/);
    expect(stderr).not.toContain('\u001b');
    if (words instanceof RegExp) expect(stderr).toMatch(words);
    else expect(stderr).toContain(words);
  });

  test('a directory, and no name at all', () => {
    for (const file of [dir, '']) {
      const { status, stderr } = run(['--config', file]);
      expect(status).toBe(1);
      expect(stderr).toContain(`there is no file ${dir}`);
    }
  });
});

describe('the served instances', () => {
  const tool = (server, name, args) => server.tool(`${Math.random()}`, name, args);

  test('without a configuration, one instance "default"', () =>
    withServer(async (server) => {
      const { result } = await server.open();
      expect(result.serverInfo).toMatchObject({ name: 'intent-runtime', version });
      expect(result.instructions).toContain('"default"');
      const task = await tool(server, 'intent_prepare', { instance: 'default', input: 'x' });
      expect((await tool(server, 'intent_accept', submission(task))).kind).toBe('result');
    }));

  test('IntentConfigs, Intents of this package, and names of any kind', async () => {
    const path = config(`
      import { Intent } from '@devcodex/intent-runtime';
      export const other = 1;
      export default {
        maxJobs: -1, transport: 'not read', anything: true,
        instances: {
          orders: ${JSON.stringify(ordersConfig)},
          built: new Intent({ language: 'de' }),
          ['__proto__']: {}, 'a b': {}, toString: {},
        },
      };`);
    await withServer(
      async (server) => {
        const { instructions } = (await server.open()).result;
        expect(instructions).toContain('"orders", "built", "__proto__", "a b", "toString"');
        for (const [instance, language] of [
          ['built', 'de'],
          ['__proto__', 'en'],
          ['a b', 'en'],
          ['toString', 'en'],
        ]) {
          const task = await tool(server, 'intent_prepare', { instance, input: 'x' });
          expect(JSON.parse(task.payload).structuredLanguage).toBe(language);
        }
        const { error } = await tool(server, 'intent_prepare', {
          instance: 'constructor',
          input: 'x',
        });
        expect(error.code).toBe('INPUT_INVALID');
        const first = await tool(server, 'intent_prepare', {
          instance: 'orders',
          input: '查询订单 000123',
        });
        const second = await tool(server, 'intent_accept', submission(first));
        expect([second.kind, second.stage]).toEqual(['task', 'data']);
        const { result } = await tool(server, 'intent_accept', submission(second, data()));
        expect(result.data).toEqual({ orderId: '000123' });
        expect(await server.end()).toMatchObject({ code: 0, stderr: '' });
      },
      ['--config', path],
    );
  });

  test('a CommonJS file and a relative path serve as well', async () => {
    config('module.exports = { instances: { plain: {} } };', 'plain.cjs');
    const { status, stdout } = run(['--config', 'plain.cjs'], {
      input: `${JSON.stringify(initialize())}\n`,
    });
    expect(status).toBe(0);
    expect(JSON.parse(stdout).result.instructions).toContain('"plain"');
  });

  test('two processes share no jobs', () =>
    withServer(async (one) => {
      const task = await tool(one, 'intent_prepare', { instance: 'default', input: 'x' });
      await withServer(async (other) => {
        const { error } = await tool(other, 'intent_accept', submission(task, core));
        expect(error.code).toBe('BRIDGE_JOB_NOT_FOUND');
      });
    }));
});

describe('standard output carries protocol only', () => {
  const noisy = () =>
    config(`
      import { stdout } from 'node:process';
      import { Worker } from 'node:worker_threads';
      console.log('by log'); console.info('by info'); console.debug('by debug'); console.table([1]);
      console.dir({}); console.group('by group'); console.error('by error');
      process.stdout.write('by stdout'); stdout.write('by import');
      new Worker('console.log("by worker")', { eval: true });
      setTimeout(() => console.log('by timer'), 50);
      export default { instances: { a: {} } };`);

  test.each([
    ['a configuration', {}],
    ['RUST_LOG', { RUST_LOG: 'trace', RUST_BACKTRACE: 'full' }],
    ['NODE_DEBUG', { NODE_DEBUG: '*', NODE_DEBUG_NATIVE: 'module_map' }],
    ['a module that was there first', { NODE_OPTIONS: '--require ./first.cjs' }],
  ])('%s', async (_, env) => {
    config('process.env.FIRST && console.log("protocol?"); console.warn("first");', 'first.cjs');
    await withServer(
      async (server) => {
        await server.open();
        for (const noise of ['worker', 'timer'])
          while (!server.stderr.includes(`by ${noise}`)) await sleep(20);
        expect((await server.ask(request(1, 'tools/list'))).result.tools).toHaveLength(3);
        const { code, stderr } = await server.end();
        expect(code).toBe(0);
        for (const noise of [
          'log',
          'info',
          'debug',
          'group',
          'error',
          'stdout',
          'import',
          'worker',
          'timer',
        ]) {
          expect(stderr).toContain(`by ${noise}`);
        }
        // Any line that is not of the protocol would have failed to be read.
        expect(server.messages.map(({ id }) => id)).toEqual(['init', 1]);
      },
      ['--config', noisy()],
      { env, cwd: dir },
    );
  });

  test('a run without fault writes nothing to standard error', () =>
    withServer(async (server) => {
      await server.open();
      expect(await server.end()).toMatchObject({ code: 0, stderr: '' });
    }));
});

describe('how it ends', () => {
  const lively = () =>
    config(`
      import { createServer } from 'node:net';
      setInterval(() => {}, 1000);
      createServer().listen(0, '127.0.0.1');
      export default { instances: { a: {} } };`);

  test('a configuration with timers and sockets open does not keep it', () =>
    shortest(() =>
      withServer(
        async (server) => {
          await server.open();
          const { code, stderr, ms } = await server.end();
          expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
          return ms;
        },
        ['--config', lively()],
      ),
    ));

  test.skipIf(process.platform === 'win32').each(['SIGINT', 'SIGTERM'])(
    '%s while the configuration is still loading ends it with 0',
    (signal) =>
      withServer(
        async (server) => {
          while (!server.stderr.includes('loading')) await sleep(10);
          server.process.kill(signal);
          expect(await server.ended).toMatchObject({ code: 0, signal: null });
        },
        [
          '--config',
          config("console.log('loading'); await new Promise((r) => setTimeout(r, 60_000));"),
        ],
      ),
  );

  test.skipIf(process.platform === 'win32')('a signal with the same one after it', () =>
    withServer(
      async (server) => {
        await server.open();
        server.process.kill('SIGTERM');
        server.process.kill('SIGINT');
        expect(await server.ended).toMatchObject({ code: 0, signal: null, stderr: '' });
      },
      ['--config', lively()],
    ),
  );

  test('a later uncaught error of a configuration is one line, exit code 1', () =>
    withServer(
      async (server) => {
        await server.open();
        const { code, stderr } = await server.ended;
        expect(code).toBe(1);
        expect(stderr).toMatch(/^intent-runtime-mcp: late \(.*config-\d+\.mjs:2\)\n$/);
      },
      [
        '--config',
        config(
          "export default { instances: { a: {} } };\nsetTimeout(() => { throw new Error('late'); }, 1500);",
        ),
      ],
    ));

  test('requests that came while a configuration was loading are answered', () =>
    withServer(
      async (server) => {
        expect((await server.ask(request(1, 'tools/list'))).result.tools).toHaveLength(3);
      },
      [
        '--config',
        config(
          'await new Promise((r) => setTimeout(r, 300)); export default { instances: { a: {} } };',
        ),
      ],
    ));
});

test('the path of a configuration may hold anything', () => {
  const path = config('export default { instances: { a: {} } };', 'with space #1 %20 ü.mjs');
  expect(run(['--config', path])).toMatchObject({ status: 0, stderr: '' });
  expect(run(['--config', pathToFileURL(path).href]).status).toBe(1);
});

test('a server whose input ends at once ends at once', () => {
  expect(run([])).toMatchObject({ status: 0, stdout: '', stderr: '' });
});
