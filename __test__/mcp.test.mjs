// `serveIntentMcp` and `MCP_TOOLS`, over the official SDK's transports and over transports of any
// other behaviour.

import { Intent, IntentError } from '@devcodex/intent-runtime';
import { MCP_TOOLS, serveIntentMcp } from '@devcodex/intent-runtime/mcp';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  call,
  cancelled,
  core,
  initialize,
  replyOf,
  request,
  runModule,
  submission,
  version,
} from './support/mcp.mjs';

const intent = new Intent();
const instances = { default: intent };
const prepare = (id, input = 'x') =>
  call(id, 'intent_prepare', { instance: 'default', input, fields: [] });

/** A transport that a test plays the other end of. */
class Stub {
  sent = [];
  calls = [];
  errors = [];
  #waiting = new Map();

  constructor(behaviour = {}) {
    this.onerror = (error) => this.errors.push(error);
    Object.assign(this, behaviour);
  }
  async start() {
    this.calls.push('start');
  }
  async send(message) {
    this.sent.push(message);
    this.#waiting.get(message.id)?.(message);
  }
  async close() {
    this.calls.push('close');
    this.onclose?.();
  }
  answer(id) {
    const come = this.sent.find((message) => message.id === id);
    return come ?? new Promise((resolve) => this.#waiting.set(id, resolve));
  }
  ask(message) {
    this.onmessage(message);
    return this.answer(message.id);
  }
}

const unhandled = vi.fn();
beforeEach(() => process.on('unhandledRejection', unhandled));
afterEach(async () => {
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', unhandled);
  expect(unhandled).not.toHaveBeenCalled();
});

describe('MCP_TOOLS', () => {
  test('are three, closed and described', () => {
    expect(MCP_TOOLS.map(({ name }) => name)).toEqual([
      'intent_prepare',
      'intent_accept',
      'intent_cancel',
    ]);
    for (const { description, inputSchema, annotations } of MCP_TOOLS) {
      expect(description).toMatch(/job/);
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(annotations).toEqual({ readOnlyHint: true });
    }
    expect(
      MCP_TOOLS.map(({ inputSchema }) => [
        Object.keys(inputSchema.properties),
        inputSchema.required,
      ]),
    ).toEqual([
      [
        ['instance', 'input', 'fields', 'context', 'evidence'],
        ['instance', 'input'],
      ],
      [
        ['jobId', 'stepToken', 'candidateText'],
        ['jobId', 'stepToken', 'candidateText'],
      ],
      [['jobId', 'outcome', 'detail'], ['jobId']],
    ]);
  });

  test('are frozen to the last leaf', () => {
    const expectFrozen = (value) => {
      if (typeof value !== 'object' || value === null) return;
      expect(Object.isFrozen(value)).toBe(true);
      for (const member of Object.values(value)) expectFrozen(member);
    };
    expectFrozen(MCP_TOOLS);
  });

  test('equal the reply of tools/list', async () => {
    const transport = new Stub();
    const service = await serveIntentMcp({ instances, transport });
    expect((await transport.ask(request(1, 'tools/list'))).result.tools).toEqual(MCP_TOOLS);
    await service.close();
  });
});

describe('the configuration', () => {
  test.each([
    ['nothing', undefined],
    ['no instances', {}],
    ['an empty one', { instances: {} }],
    ['an instance that is no Intent', { instances: { a: 5 } }],
    ['a configuration that is wrong', { instances: { a: { lang: 'en' } } }],
    ['an unknown key', { instances, port: 1 }],
    ['a bad capacity', { instances, maxJobs: 0 }],
    ['a transport of null', { instances, transport: null }],
    ['a transport without send', { instances, transport: { start() {}, close() {} } }],
    [
      'a getter',
      {
        get instances() {
          return instances;
        },
      },
    ],
  ])('%s is refused', async (_, config) => {
    const error = await serveIntentMcp(config).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(IntentError);
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', stage: 'config' });
  });

  test('every option of a bridge holds', async () => {
    const transport = new Stub();
    const service = await serveIntentMcp({ instances, transport, maxJobs: 1, jobTtlMs: 60_000 });
    const task = replyOf(await transport.ask(prepare(1)));
    expect(task.expiresAt).toMatch(/^\d{4}-/);
    expect(replyOf(await transport.ask(prepare(2))).error.code).toBe('LIMIT_EXCEEDED');
    await service.close();
  });
});

describe('the official SDK in memory', () => {
  const connect = async (options) => {
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    const service = await serveIntentMcp({ instances, transport: ours, ...options });
    const client = new Client({ name: 'memory', version: '1' });
    await client.connect(theirs);
    return { service, client, ours };
  };

  test('the handshake and one job', async () => {
    const { service, client } = await connect();
    expect(client.getServerVersion()).toMatchObject({ name: 'intent-runtime', version });
    expect(client.getServerCapabilities()).toEqual({ tools: {} });
    const { structuredContent: task } = await client.callTool(prepare(0).params);
    const end = await client.callTool({ name: 'intent_accept', arguments: submission(task) });
    expect(end.structuredContent.kind).toBe('result');
    await service.close();
    expect(client.transport).toBeUndefined();
  });

  test('the other end closes: closed settles, and each side hears of it once', async () => {
    const { service, client, ours } = await connect();
    const heard = vi.fn();
    const { onclose } = ours;
    ours.onclose = () => {
      heard();
      onclose();
    };
    await client.close();
    await service.closed;
    await service.close();
    expect(heard).toHaveBeenCalledTimes(1);
  });

  test('a message that JSON cannot represent still gets an answer', async () => {
    const { service, client } = await connect();
    const cycle = {};
    cycle.cycle = cycle;
    for (const value of [1n, cycle]) {
      const { structuredContent } = await client.callTool({
        name: 'intent_prepare',
        arguments: { value },
      });
      expect(structuredContent.error.code).toBe('INPUT_INVALID');
    }
    await service.close();
  });

  test('messages that were queued before the start', async () => {
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    const answers = [];
    theirs.onmessage = (message) => answers.push(message);
    await theirs.send(request(1, 'ping'));
    await theirs.send(prepare(2));
    const service = await serveIntentMcp({ instances, transport: ours });
    await service.close();
    expect(answers.map(({ id }) => id).sort()).toEqual([1, 2]);
  });
});

describe('a transport of another make', () => {
  test('its own callbacks are kept and called', async () => {
    const onclose = vi.fn();
    const onmessage = vi.fn();
    const transport = new Stub({ onclose, onmessage });
    const service = await serveIntentMcp({ instances, transport });
    const extra = { authInfo: {} };
    transport.onmessage(request(1, 'ping'), extra);
    await transport.answer(1);
    expect(onmessage).toHaveBeenCalledWith(request(1, 'ping'), extra);
    await service.close();
    expect(onclose).toHaveBeenCalledTimes(1);
    expect(transport.calls).toEqual(['start', 'close']);
    expect(transport.errors).toEqual([]);
  });

  test('close() twice and at once closes it once, and leaves the Intent alive', async () => {
    const transport = new Stub();
    const service = await serveIntentMcp({ instances, transport });
    await Promise.all([service.close(), service.close(), service.closed]);
    await service.close();
    expect(transport.calls).toEqual(['start', 'close']);
    const again = new Stub();
    const next = await serveIntentMcp({ instances, transport: again });
    expect(replyOf(await again.ask(prepare(1))).kind).toBe('task');
    await next.close();
  });

  test('every call that was delivered before close() is answered before it settles', async () => {
    for (let round = 0; round < 50; round++) {
      const transport = new Stub();
      const service = await serveIntentMcp({ instances, transport });
      for (let id = 0; id < 20; id++) transport.onmessage(prepare(id));
      await service.close();
      expect(transport.sent).toHaveLength(20);
      transport.onmessage(prepare(99));
      await new Promise((resolve) => setTimeout(resolve, 5));
      expect(transport.sent).toHaveLength(20);
    }
  });

  test('it ends by itself: nothing is sent to it any more, and it is not closed again', async () => {
    const transport = new Stub();
    const service = await serveIntentMcp({ instances, transport });
    await transport.ask(initialize());
    for (let id = 0; id < 20; id++) transport.onmessage(prepare(id));
    transport.onclose();
    const sent = transport.sent.length;
    await service.closed;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(transport.sent).toHaveLength(sent);
    expect(transport.calls).toEqual(['start']);
  });

  const lost = new Error('lost');
  const thrower = () => {
    throw lost;
  };
  test.each([
    ['send rejects', { send: async () => thrower() }, 3],
    ['send throws', { send: thrower }, 3],
    ['close rejects', { close: async () => thrower() }, 1],
    ['close throws', { close: thrower }, 1],
  ])('%s: onerror hears of it, and closed settles', async (_, behaviour, times) => {
    const transport = new Stub(behaviour);
    const service = await serveIntentMcp({ instances, transport });
    for (let id = 0; id < 3; id++) transport.onmessage(request(id, 'ping'));
    await service.close();
    await service.closed;
    expect(transport.errors).toEqual(Array(times).fill(lost));
  });

  test('an onerror that throws, and none', async () => {
    for (const onerror of [thrower, undefined]) {
      const transport = new Stub({ onerror, send: thrower, close: thrower });
      const service = await serveIntentMcp({ instances, transport });
      transport.onmessage(request(1, 'ping'));
      await service.close();
      await expect(service.closed).resolves.toBeUndefined();
    }
  });

  test('a send that never settles holds up neither the others nor close() for long', async () => {
    const transport = new Stub();
    const { send } = transport;
    transport.send = (message) =>
      message.id === 1 ? new Promise(() => {}) : send.call(transport, message);
    const service = await serveIntentMcp({ instances, transport });
    transport.onmessage(request(1, 'ping'));
    await transport.ask(request(2, 'ping'));
    await service.close();
    expect(transport.calls).toEqual(['start', 'close']);
  });

  test('nor does a close that never settles', async () => {
    const transport = new Stub();
    transport.close = () => new Promise(() => {});
    const service = await serveIntentMcp({ instances, transport });
    await service.close();
    await service.closed;
  });

  test('slow sends all arrive before it is closed', async () => {
    const transport = new Stub();
    transport.send = async (message) => {
      await new Promise((resolve) => setTimeout(resolve, 300 * (message.id + 1)));
      transport.sent.push(message);
    };
    const service = await serveIntentMcp({ instances, transport });
    for (let id = 0; id < 5; id++) transport.onmessage(request(id, 'ping'));
    await service.close();
    expect(transport.sent).toHaveLength(5);
  });

  test.each([
    ['rejects', async () => thrower()],
    ['throws', thrower],
  ])('a start that %s is the rejection, and all is closed', async (_, start) => {
    const transport = new Stub({ start });
    await expect(serveIntentMcp({ instances, transport })).rejects.toBe(lost);
    expect(transport.calls).toEqual(['close']);
  });

  test('one that takes no callbacks is refused', async () => {
    const transport = Object.freeze(new Stub());
    await expect(serveIntentMcp({ instances, transport })).rejects.toThrow(TypeError);
  });

  test.each([
    ['undefined', undefined],
    ['null', null],
    ['text', 'ping'],
    ['a number', 1],
    ['a list', []],
    ['an empty object', {}],
    ['a function', () => {}],
    ['an error', { jsonrpc: '2.0', id: 1, error: { code: 1, message: 'x' } }],
  ])('%s for a message does no harm', async (_, message) => {
    const transport = new Stub();
    const service = await serveIntentMcp({ instances, transport });
    transport.onmessage(message);
    expect((await transport.ask(request('after', 'ping'))).result).toEqual({});
    await service.close();
  });

  test('a message that is nested too deep to be written', async () => {
    const transport = new Stub();
    const service = await serveIntentMcp({ instances, transport });
    const deep = JSON.parse(`${'['.repeat(200_000)}${']'.repeat(200_000)}`);
    const reply = replyOf(await transport.ask(call(1, 'intent_prepare', { deep })));
    expect(reply.error.code).toBe('INPUT_INVALID');
    expect((await transport.ask(request(2, 'ping'))).result).toEqual({});
    await service.close();
  });

  test('a message of more than 16 MiB', async () => {
    const transport = new Stub();
    const service = await serveIntentMcp({ instances, transport });
    const reply = replyOf(await transport.ask(prepare(1, 'x'.repeat(17 << 20))));
    expect(reply.error).toMatchObject({ code: 'INPUT_INVALID' });
    await service.close();
  });
});

test('a prepare that was cancelled by the protocol and not answered left no job', async () => {
  const transport = new Stub();
  const service = await serveIntentMcp({ instances, transport, maxJobs: 1 });
  for (let id = 0; id < 100; id++) {
    transport.onmessage(prepare(id));
    transport.onmessage(cancelled(id));
    const task = replyOf(await transport.ask(prepare(`after ${id}`)));
    // With room for one job, one of the two has it; without one the cancellation came too late,
    // and then the answer comes.
    const holder = task.kind === 'task' ? task : replyOf(await transport.answer(id));
    expect(holder.kind).toBe('task');
    await transport.ask(call(`end ${id}`, 'intent_cancel', { jobId: holder.jobId }));
  }
  await service.close();
});

test('a disposed Intent ends its jobs, and the service goes on', async () => {
  const gone = new Intent();
  const transport = new Stub();
  const service = await serveIntentMcp({ instances: { default: gone, intent }, transport });
  const task = replyOf(await transport.ask(prepare(1)));
  await gone.dispose();
  for (const message of [call(2, 'intent_accept', submission(task)), prepare(3)]) {
    expect(replyOf(await transport.ask(message)).error.code).toBe('INSTANCE_DISPOSED');
  }
  expect(
    replyOf(await transport.ask(call(4, 'intent_prepare', { instance: 'intent', input: 'x' })))
      .kind,
  ).toBe('task');
  await service.close();
});

describe('in a process of its own', () => {
  const imports = `
    import { Intent } from '@devcodex/intent-runtime';
    import { serveIntentMcp } from '@devcodex/intent-runtime/mcp';
    const instances = { default: new Intent() };`;

  test('a service that has ended does not keep it alive, in any state of its transport', async () => {
    const { code, stdout, stderr } = await runModule(`${imports}
      const pending = () => new Promise(() => {});
      for (const behaviour of [{}, { send: pending }, { close() { throw 1; } }]) {
        const transport = { async start() {}, async send() {}, async close() {}, ...behaviour };
        const service = await serveIntentMcp({ instances, transport });
        transport.onmessage({ jsonrpc: '2.0', id: 1, method: 'ping' });
        await service.close();
      }
      console.log('ended');`);
    // A process that is kept alive is killed after 30 s, and has no code.
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'ended\n', stderr: '' });
  });

  test('over stdio it keeps the process until the input ends', async () => {
    const { code, stdout, stderr } = await runModule(
      `${imports}
      const service = await serveIntentMcp({ instances });
      await service.closed;
      await service.close();`,
      { input: `${JSON.stringify(request(1, 'ping'))}\n` },
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
  });

  test('close() over stdio ends it while the input is open', async () => {
    const { code, stderr } = await runModule(`${imports}
      const service = await serveIntentMcp({ instances });
      setTimeout(() => service.close(), 100);`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  test('the official SDK’s own stdio transport serves as well', async () => {
    const { code, stdout, stderr } = await runModule(`${imports}
      import { PassThrough } from 'node:stream';
      import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
      const input = new PassThrough();
      const transport = new StdioServerTransport(input, process.stdout);
      const service = await serveIntentMcp({ instances, transport });
      input.write(${JSON.stringify(`${JSON.stringify(request(1, 'ping'))}\n`)});
      await new Promise((resolve) => setTimeout(resolve, 100));
      await service.close();`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
  });
});

test('a job of one connection is unknown to another', async () => {
  const [one, other] = [new Stub(), new Stub()];
  const first = await serveIntentMcp({ instances, transport: one });
  const second = await serveIntentMcp({ instances, transport: other });
  const task = replyOf(await one.ask(prepare(1)));
  const reply = replyOf(await other.ask(call(1, 'intent_accept', submission(task, core))));
  expect(reply.error.code).toBe('BRIDGE_JOB_NOT_FOUND');
  await Promise.all([first.close(), second.close()]);
});
