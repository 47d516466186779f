// Events during a recognition: onCore, and the tracing channels.

import { AsyncLocalStorage } from 'node:async_hooks';
import { channel } from 'node:diagnostics_channel';
import { Intent, IntentError } from '@devcodex/intent-runtime';
import { createApiExecutor } from '@devcodex/intent-runtime/adapters/api';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { core, data, schema } from './hosts/candidate.mjs';
import { chat, startService, status } from './support/service.mjs';

const input = 'Query order 000123.';
const usage = { inputTokens: 10, outputTokens: 4 };
const SECRETS = ['000123', 'order', 'SECRET'];

const after = [];
afterEach(async () => {
  for (const undo of after.splice(0).reverse()) await undo();
});

const made = (config) => {
  const intent = new Intent(config);
  after.push(() => intent.dispose());
  return intent;
};

/** An Intent whose JavaScript executor gives these replies; a function is called. */
const scripted = (replies, config = {}) => {
  const rest = [...replies];
  const generate = async () => {
    const reply = rest.shift();
    if (typeof reply === 'function') return reply();
    return typeof reply === 'string' ? { outcome: 'complete', text: reply, usage } : reply;
  };
  return made({ executor: { id: 'scripted', generate }, ...config });
};

/** The same by an executor of the addon, over HTTP. */
const overHttp = async (replies, config = {}) => {
  const service = await startService();
  after.push(() => service.close());
  service.answers.push(
    ...replies.map((reply) => (typeof reply === 'string' ? chat(reply) : reply)),
  );

  const executor = createApiExecutor({
    provider: 'openai',
    protocol: 'chat-completions',
    model: 'm',
    apiKey: 'k',
    baseURL: service.baseURL,
  });
  return made({ executor, ...config });
};

const KINDS = [
  ['a JavaScript executor', scripted],
  ['an executor of the addon', overHttp],
];

const rejected = (promise) =>
  promise.then(
    () => expect.unreachable('it resolved'),
    (error) => error,
  );

describe.each(KINDS)('onCore with %s', (_, intentOf) => {
  test('is called once, before the data question is answered', async () => {
    const log = [];
    const intent = await intentOf([core, '{}', data], { schema });
    const result = await intent.parse({ input, onCore: (early) => log.push(early) });
    expect(log).toHaveLength(1);
    expect(log[0]).toEqual({ ...result, data: {} });
    expect(result.data).toEqual({ orderId: '000123' });
  });

  test('is called without fields, and after a repair', async () => {
    const onCore = vi.fn();
    const intent = await intentOf(['{}', core]);
    const result = await intent.parse({ input, evidence: true, onCore });
    const { evidence, ...rest } = result;
    expect(evidence).toEqual([]);
    expect(onCore.mock.calls).toEqual([[rest]]);
  });

  test('is not called where core fails, and is where data fails', async () => {
    const onCore = vi.fn();
    const failing = await intentOf(['{}', '{}']);
    await expect(failing.parse({ input, onCore })).rejects.toThrow(IntentError);
    expect(onCore).not.toHaveBeenCalled();
    const late = await intentOf([core, '{}', '{}'], { schema });
    const error = await rejected(late.parse({ input, onCore }));
    expect(onCore.mock.calls).toEqual([[error.partialResult]]);
  });

  test('its errors and changes have no effect', async () => {
    const uncaught = vi.fn();
    process.on('uncaughtException', uncaught);
    process.on('unhandledRejection', uncaught);
    after.push(() => {
      process.off('uncaughtException', uncaught);
      process.off('unhandledRejection', uncaught);
    });
    const bad = [
      () => {
        throw new Error('thrown');
      },
      () => Promise.reject(new Error('rejected')),
      () => ({
        // biome-ignore lint/suspicious/noThenProperty: a hostile thenable is the point.
        get then() {
          throw new Error('then');
        },
      }),
      (early) => {
        early.intents.length = 0;
        early.input = 'changed';
        early.data.orderId = 'x';
      },
    ];
    const expected = await (await intentOf([core, data], { schema })).parse({ input });
    for (const onCore of bad) {
      const intent = await intentOf([core, data], { schema });
      expect(await intent.parse({ input, onCore })).toEqual(expected);
      const { result } = await (await intentOf([core])).parseWithReport({ input, onCore });
      expect(result.intents).toHaveLength(1);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(uncaught).not.toHaveBeenCalled();
  });

  test('it may end the recognition', async () => {
    const controller = new AbortController();
    const never = () => new Promise(() => {});
    const intent = await intentOf([core, never], { schema });
    const request = { input, signal: controller.signal, onCore: () => controller.abort() };
    expect(await rejected(intent.parse(request))).toMatchObject({ code: 'MODEL_ABORTED' });
    const other = await intentOf([core, never], { schema });
    const disposing = other.parse({ input, onCore: () => other.dispose() });
    expect(await rejected(disposing)).toMatchObject({ code: 'INSTANCE_DISPOSED' });
  });
});

test('the JavaScript executor is asked for data after onCore was called', async () => {
  const log = [];
  const generate = async ({ stage }) => {
    log.push(stage);
    return { outcome: 'complete', text: stage === 'core' ? core : data };
  };
  const intent = made({ executor: { id: 'e', generate }, schema });
  await intent.parse({ input, onCore: () => log.push('onCore') });
  expect(log).toEqual(['core', 'onCore', 'data']);
});

test('onCore must be a function', async () => {
  for (const onCore of [null, 7, {}, 'f']) {
    const error = await rejected(scripted([core]).parse({ input, onCore }));
    expect(error).toMatchObject({ code: 'INPUT_INVALID' });
    expect(error.message).toContain('onCore must be a function');
  }
  await scripted([core]).parse({ input, onCore: undefined });
});

const EVENTS = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'];

/** Listens to a tracing channel; what was published, with a copy of the message as it was. */
const listen = (name, log) => {
  for (const event of EVENTS) {
    const heard = (message) => log.push([name, event, structuredClone(message), message]);
    const to = channel(`tracing:intent-runtime:${name}`.concat(`:${event}`));
    to.subscribe(heard);
    after.push(() => to.unsubscribe(heard));
  }
  return log;
};
const listenToAll = () => listen('question', listen('parse', []));
const seen = (log) => log.map(([name, event]) => `${name}:${event}`);

describe.each(KINDS)('channels with %s', (_, intentOf) => {
  test('one parse, one question for each call, in order', async () => {
    const log = listenToAll();
    const intent = await intentOf([core, '{}', data], { schema });
    const { result, report } = await intent.parseWithReport({ input });
    const question = ['start', 'end', 'asyncStart', 'asyncEnd'].map((e) => `question:${e}`);
    expect(seen(log).filter((what) => what !== 'parse:end')).toEqual([
      'parse:start',
      ...question,
      ...question,
      ...question,
      'parse:asyncStart',
      'parse:asyncEnd',
    ]);
    const parse = log[0][3];
    const questions = log.filter(([name, event]) => name === 'question' && event === 'asyncEnd');
    for (const [, , , message] of log)
      expect(message === parse || message.parse === parse).toBe(true);
    const calls = report.calls.map(({ faults, ...call }) => call);
    expect(questions.map(([, , , { parse: _, ...call }]) => call)).toEqual(calls);
    expect(parse).toEqual({ durationMs: report.durationMs, calls, usage: report.usage });
    expect(result.data).toEqual({ orderId: '000123' });
    for (const [, , copy] of log)
      for (const secret of SECRETS) expect(JSON.stringify(copy)).not.toContain(secret);
    // A subscriber's change to a message does not affect the report.
    parse.calls[0].outcome = 'changed';
    expect(report.calls[0].outcome).toBe('accepted');
  });

  test('a failure has code and stage, without a text', async () => {
    const log = listenToAll();
    const refusal = 'SECRET words of the model';
    const js = { outcome: 'refusal', detail: refusal };
    const http = chat(null, {}, { refusal });
    const intent = await intentOf([core, intentOf === scripted ? js : http], { schema });
    const error = await rejected(intent.parse({ input }));
    expect(error).toMatchObject({ code: 'MODEL_REFUSED', stage: 'data' });
    expect(seen(log).slice(-3)).toEqual(['parse:error', 'parse:asyncStart', 'parse:asyncEnd']);
    expect(log.at(-1)[2].error).toEqual({ code: 'MODEL_REFUSED', stage: 'data' });
    expect(JSON.stringify(log.map(([, , copy]) => copy))).not.toContain('SECRET');
    // A refusal is an answer.
    expect(seen(log)).not.toContain('question:error');
  });

  test('a failure by rejected candidates publishes the calls without their faults', async () => {
    const log = listenToAll();
    const error = await rejected((await intentOf(['{}', '{}'])).parse({ input }));
    expect(error.report.calls.map(({ faults }) => faults.length)).toEqual([5, 5]);
    const { durationMs, calls, usage } = error.report;
    const published = { durationMs, calls: calls.map(({ faults, ...call }) => call), usage };
    expect(log.at(-1)[2]).toMatchObject(published);
    expect(JSON.stringify(log.map(([, , copy]) => copy))).not.toContain('faults');
  });

  test('a question that got no answer is an error', async () => {
    const log = listenToAll();
    const limited = () => {
      throw new IntentError('MODEL_RATE_LIMITED');
    };
    const intent = await intentOf([intentOf === scripted ? limited : status(429)]);
    await expect(intent.parse({ input })).rejects.toThrow();
    const [, , copy] = log.find(([name, event]) => name === 'question' && event === 'error');
    expect(copy).toMatchObject({ outcome: 'MODEL_RATE_LIMITED', stage: 'core' });
    expect(copy.error).toEqual({ code: 'MODEL_RATE_LIMITED', stage: 'core' });
  });

  test('listening to one of them is enough, and changes no outcome', async () => {
    const plain = await (await intentOf([core, data], { schema })).parse({ input });
    for (const name of ['parse', 'question']) {
      const log = listen(name, []);
      expect(await (await intentOf([core, data], { schema })).parse({ input })).toEqual(plain);
      expect(new Set(log.map(([of]) => of))).toEqual(new Set([name]));
      expect(log).toHaveLength(name === 'parse' ? 4 : 8);
      for (const undo of after.splice(0).reverse()) await undo();
    }
  });

  test('a request that is refused has a parse without calls', async () => {
    const log = listenToAll();
    await expect((await intentOf([])).parse({ input: ' ' })).rejects.toThrow();
    expect(seen(log).sort()).toEqual(
      ['start', 'end', 'error', 'asyncStart', 'asyncEnd'].map((e) => `parse:${e}`).sort(),
    );
    expect(log.at(-1)[2]).toMatchObject({ calls: [], error: { code: 'INPUT_INVALID' } });
  });
});

test('stores that a tracer binds are there in the executor', async () => {
  const storage = new AsyncLocalStorage();
  const start = channel('tracing:intent-runtime:question:start');
  start.bindStore(storage, ({ stage, repair }) => `${stage} ${repair}`);
  after.push(() => start.unbindStore(storage));
  const stores = [];
  const told = (text) => () => {
    stores.push(storage.getStore());
    return { outcome: 'complete', text };
  };
  await scripted([told(core), told('{}'), told(data)], { schema }).parse({ input });
  expect(stores).toEqual(['core false', 'data false', 'data true']);
  expect(storage.getStore()).toBeUndefined();
});

test('without subscribers nothing is built', async () => {
  const log = listenToAll();
  for (const undo of after.splice(0).reverse()) await undo();
  await scripted([core]).parse({ input });
  expect(log).toEqual([]);
});

test('a subscriber that throws changes nothing; Node.js reports it as uncaught', async () => {
  const reported = [];
  const others = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  process.on('uncaughtException', (error) => reported.push(error.message));
  after.push(() => {
    process.removeAllListeners('uncaughtException');
    for (const other of others) process.on('uncaughtException', other);
  });
  for (const name of ['parse', 'question'])
    for (const event of EVENTS) {
      const to = channel(`tracing:intent-runtime:${name}:${event}`);
      const broken = () => {
        throw new Error(`${name}:${event}`);
      };
      to.subscribe(broken);
      after.push(() => to.unsubscribe(broken));
    }
  const result = await scripted([core, data], { schema }).parse({ input });
  expect(result.data).toEqual({ orderId: '000123' });
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(reported).toContain('parse:start');
  expect(reported.filter((message) => message === 'question:asyncEnd')).toHaveLength(2);
});
