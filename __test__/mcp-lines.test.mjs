// The stdio server line by line: what real hosts and broken pipes send. The rules of lines, ids and
// revisions are tested in tests/it/mcp/; here stands what a process and its pipes add.

import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import {
  call,
  command,
  replyOf,
  request,
  shortest,
  submission,
  withServer,
} from './support/mcp.mjs';

const _MIB = 1024 * 1024;
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

test('what comes before initialize does no harm to it', () =>
  withServer(async (server) => {
    const lines = ['GET / HTTP/1.1\r', '{"jsonrpc":"2.0","id":', '[]', json(prepare(1))];
    await server.write(Buffer.from(`\xff\n${lines.join('\n')}\n`, 'latin1'));
    expect(replyOf(await server.answer(1)).kind).toBe('task');
    expect((await server.ask(request(2, 'initialize'))).error.code).toBe(-32602);
    await expectHandshake(server);
    expect(await server.end()).toMatchObject({ code: 0, stderr: '' });
  }));

test('a tool call that cannot be read has ended no job', () =>
  withServer(async (server) => {
    const params = '"arguments":{"candidateText":"\\ud800"},"name":"intent_accept"';
    await server.write(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{${params}}}\n`);
    expect(replyOf(await server.answer(5))).toMatchObject({
      kind: 'error',
      job: 'open',
      error: { code: 'INPUT_INVALID' },
    });
  }));

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
