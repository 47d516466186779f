// The stdio server line by line: what real hosts and broken pipes send. The rules of lines, ids and
// revisions are tested in tests/it/mcp/; here stands what a process and its pipes add.

import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import {
  call,
  cancelled,
  command,
  core,
  initialize,
  initialized,
  replyOf,
  request,
  Server,
  shortest,
  submission,
  withServer,
} from './support/mcp.mjs';

const MIB = 1024 * 1024;
const linux = process.platform === 'linux';
const json = (message) => JSON.stringify(message);
const prepare = (id, input = 'x') => call(id, 'intent_prepare', { instance: 'default', input });

/** Requests of any kind before it do no harm to the handshake. */
const expectHandshake = async (server) => {
  const { result } = await server.open();
  expect(result.serverInfo.name).toBe('intent-runtime');
  expect(
    (await server.tool('after', 'intent_prepare', { instance: 'default', input: 'x' })).kind,
  ).toBe('task');
};

describe('before initialize', () => {
  test.each([
    ['a newer host’s server/discover', json(request(1, 'server/discover', {})), 1],
    ['a tool call', json(prepare(1)), 1],
    ['garbage', 'GET / HTTP/1.1\r'],
    ['half a message', '{"jsonrpc":"2.0","id":'],
    ['an empty batch', '[]'],
    ['a batch', json([request(1, 'ping'), initialized, request(2, 'tools/list')]), 1, 2],
    [
      'invalid UTF-8',
      Buffer.from(`${json(request(1, 'ping', { x: 'A' }))}`.replace('A', '\xff'), 'latin1'),
      1,
    ],
    ['a lone surrogate', `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"\\ud800"}}`, 1],
    [
      'depth',
      `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":${'['.repeat(9999)}${']'.repeat(9999)}}}`,
      1,
    ],
    ['jsonrpc 1.0', json({ ...request(1, 'ping'), jsonrpc: '1.0' }), 1],
    ['params that are no object', json(request(1, 'ping', [])), 1],
  ])('%s', (_, line, ...ids) =>
    withServer(async (server) => {
      await server.write(line);
      await server.write('\n');
      for (const id of ids) await server.answer(id);
      await expectHandshake(server);
      const answered = server.messages.map((message) => message.id).filter(Number.isInteger);
      expect(answered.sort()).toEqual(ids);
      expect(await server.end()).toMatchObject({ code: 0, stderr: '' });
    }),
  );

  test('a byte-order mark and CRLF around initialize itself', () =>
    withServer(async (server) => {
      await server.write(`\ufeff${json(initialize())}\r\n`);
      expect((await server.answer('init')).result.protocolVersion).toBe('2025-06-18');
    }));
});

describe('revisions', () => {
  test('initialize without params is refused, and the next is not', () =>
    withServer(async (server) => {
      expect((await server.ask(request(1, 'initialize'))).error.code).toBe(-32602);
      await expectHandshake(server);
    }));
});

test.each(['9007199254740993', '1E400', '"\\u0041"'])(
  'the id %s comes back as it was written',
  (id) =>
    withServer(async (server) => {
      await server.write(`{"jsonrpc":"2.0","id":${id},"method":"ping"}\n`);
      await server.end();
      expect(server.text).toContain(`"id":${id},`);
    }),
);

describe('tool calls that cannot be read', () => {
  const args = '"name":"intent_prepare","arguments":';
  test.each([
    ['a lone surrogate', `{${args}{"instance":"default","input":"\\ud800"}}`],
    ['depth', `{${args}${'['.repeat(500)}${']'.repeat(500)}}`],
    ['arguments that are no object', `{${args}"text"}`],
    ['arguments that are a list', `{${args}[]}`],
    ['no arguments', '{"name":"intent_prepare"}'],
    ['no name', '{"arguments":{}}'],
    ['a name that is no string', '{"name":1,"arguments":{}}'],
    ['no params', 'null'],
    ['params that are a list', '[]'],
    ['an unknown tool', '{"name":"intent_run","arguments":{}}'],
    ['a broken end', `{${args}{"instance":"default"`],
    ['bad UTF-8', `{${args}{"instance":"default","input":"\xff"}}`],
  ])('%s', (_, params) =>
    withServer(async (server) => {
      const line = `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":${params}}\n`;
      await server.write(Buffer.from(line, 'latin1'));
      const reply = replyOf(await server.answer(5));
      expect(reply.error).toMatchObject({ code: 'INPUT_INVALID', stage: 'input', issues: [] });
      expect('job' in reply).toBe(false);
      await expectHandshake(server);
    }),
  );

  test.each([
    ['a lone surrogate', '"arguments":{"candidateText":"\\ud800"},"name":"intent_accept"'],
    ['arguments that are no object', '"name":"intent_accept","arguments":"text"'],
    ['a broken end', '"name":"intent_cancel","arguments":{"jobId":'],
    ['a member that is missing', '"name":"intent_cancel","arguments":{}'],
    ['the wrong type', '"name":"intent_accept","arguments":{"candidateText":{}}'],
  ])('have ended no job: %s', (what, params) =>
    withServer(async (server) => {
      const end = what === 'a broken end' ? '' : '}}';
      await server.write(
        `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{${params}${end}\n`,
      );
      expect(replyOf(await server.answer(5))).toMatchObject({
        kind: 'error',
        job: 'open',
        error: { code: 'INPUT_INVALID' },
      });
    }),
  );
});

describe('how bytes arrive', () => {
  test('many messages in one write, answered in any order, each once', () =>
    withServer(async (server) => {
      await server.send(...Array.from({ length: 1000 }, (_, i) => request(i, 'ping')));
      await server.end();
      const ids = server.messages.map(({ id }) => id).sort((a, b) => a - b);
      expect(ids).toEqual(Array.from({ length: 1000 }, (_, i) => i));
    }));

  test('five calls and then the end of input: five answers, 50 times of 50', async () => {
    const run = async () => {
      const server = new Server();
      server.send(initialize(), initialized, ...[1, 2, 3, 4, 5].map((id) => prepare(id)));
      const { code, stderr } = await server.end();
      const tasks = server.messages.filter(({ id }) => Number.isInteger(id));
      return { code, stderr, kinds: tasks.map((message) => replyOf(message).kind) };
    };
    const whole = { code: 0, stderr: '', kinds: Array(5).fill('task') };
    for (let i = 0; i < 10; i++) {
      const runs = await Promise.all(Array.from({ length: 5 }, run));
      expect(runs).toEqual(Array(5).fill(whole));
    }
  }, 120_000);

  test(
    '500 calls at once with large answers, to a host that is slow to read',
    () =>
      withServer(async (server) => {
        await server.open();
        const input = '语'.repeat(20_000);
        const task = await server.tool(0, 'intent_prepare', {
          instance: 'default',
          input,
          fields: [],
        });
        const first = await server.tool('0', 'intent_accept', submission(task));
        expect(first.result.input).toBe(input);
        server.process.stdout.pause();
        const calls = Array.from({ length: 500 }, (_, i) =>
          call(i + 1, 'intent_accept', submission(task)),
        );
        const sent = server.send(...calls);
        await sleep(500);
        server.process.stdout.resume();
        await sent;
        for (const { id } of calls) expect(replyOf(await server.answer(id))).toEqual(first);
        expect(await server.end()).toMatchObject({ code: 0, stderr: '' });
      }),
    60_000,
  );

  test.skipIf(!linux)(
    'a line of 20 MiB is answered and not kept',
    () =>
      withServer(async (server) => {
        await server.open();
        const before = server.memory;
        const filler = 'x'.repeat(20 * MIB);
        await server.send(prepare(1, filler), request(2, 'ping', { filler }));
        expect(replyOf(await server.answer(1)).error.code).toBe('INPUT_INVALID');
        expect((await server.answer(2)).error.code).toBe(-32600);
        await expectHandshake(server);
        expect(server.memory - before).toBeLessThan(64);
      }),
    60_000,
  );

  test.skipIf(!linux)(
    'a line without an end does not grow memory',
    () =>
      withServer(async (server) => {
        await server.open();
        const before = server.memory;
        const piece = Buffer.alloc(4 * MIB, '"[{x');
        await server.write('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":"');
        for (let i = 0; i < 30; i++) await server.write(piece);
        expect(server.memory - before).toBeLessThan(64);
        expect(await server.end()).toMatchObject({ code: 0, stderr: '' });
        expect(replyOf(await server.answer(1)).error.code).toBe('INPUT_INVALID');
      }),
    60_000,
  );
});

describe('cancellation', () => {
  test('a cancelled accept leaves its job ready for the same submission', () =>
    withServer(async (server) => {
      await server.open();
      for (let round = 0; round < 25; round++) {
        const task = await server.tool(`p${round}`, 'intent_prepare', {
          instance: 'default',
          input: 'x',
          fields: [],
        });
        await server.send(call(round, 'intent_accept', submission(task)), cancelled(round));
        const again = await server.tool(`a${round}`, 'intent_accept', submission(task));
        expect(again.kind).toBe('result');
        const other = await server.tool(`o${round}`, 'intent_accept', submission(task, `${core} `));
        expect(other.error.code).toBe('BRIDGE_STEP_CONFLICT');
      }
    }));
});

describe('the end', () => {
  test('calls that are running when the input ends are answered, and it ends within a second', () =>
    shortest(() =>
      withServer(async (server) => {
        await server.open();
        await server.send(prepare(1));
        const { code, stderr, ms } = await server.end();
        expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
        expect(replyOf(await server.answer(1)).kind).toBe('task');
        return ms;
      }),
    ));

  test.skipIf(!linux).each(['SIGINT', 'SIGTERM'])(
    '%s: what was accepted is answered, exit code 0',
    (signal) =>
      withServer(async (server) => {
        await server.open();
        await server.tool(1, 'intent_prepare', { instance: 'default', input: 'x' });
        server.process.kill(signal);
        expect(await server.ended).toMatchObject({ code: 0, signal: null, stderr: '' });
      }),
  );

  test.skipIf(!linux)('SIGTERM ends it although nobody takes its answers', () =>
    withServer(async (server) => {
      await server.open();
      const input = 'x'.repeat(60_000);
      const given = { instance: 'default', input, fields: [] };
      const task = await server.tool(0, 'intent_prepare', given);
      await server.tool('0', 'intent_accept', submission(task));
      server.process.stdout.pause();
      const calls = Array.from({ length: 50 }, (_, i) =>
        call(i + 1, 'intent_accept', submission(task)),
      );
      await server.send(...calls);
      await sleep(300);
      server.process.kill('SIGTERM');
      const exit = new Promise((resolve) => server.process.once('exit', resolve));
      // A server that waited for its reader would be killed in the end, without a code.
      expect(await exit).toBe(0);
      server.process.stdout.destroy();
    }),
  );

  test('a closed standard output ends it quietly, with calls running and with none', async () => {
    for (const messages of [[], [prepare(1), prepare(2)]]) {
      await withServer(async (server) => {
        await server.open();
        server.process.stdout.destroy();
        await server.send(...messages, request('late', 'ping'));
        expect(await server.ended).toMatchObject({ code: 0, signal: null, stderr: '' });
      });
    }
  });

  test.skipIf(!linux)('a host that is killed with a job pending leaves no orphan', async () => {
    const host = spawn(
      process.execPath,
      [
        '-e',
        `const { spawn } = require('node:child_process');
        const server = spawn(process.execPath, [${json(command)}]);
        server.stdout.once('data', () => console.log(server.pid));
        server.stdin.write(${json(`${json(prepare(1))}\n`)});`,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const pid = Number(await new Promise((resolve) => host.stdout.once('data', resolve)));
    process.kill(pid, 0);
    host.kill('SIGKILL');
    const until = performance.now() + 20_000;
    let alive = true;
    while (alive && performance.now() < until) {
      await sleep(20);
      try {
        process.kill(pid, 0);
      } catch {
        alive = false;
      }
    }
    expect(alive).toBe(false);
  });
});
