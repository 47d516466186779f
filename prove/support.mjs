// The common part of the proofs: running one, candidates, a model service, child processes.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { IntentError } from '@devcodex/intent-runtime';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');
export const short = process.argv.includes('--short');

/** Chooses a number for the long form and one for the short form. */
export const amount = (long, brief) => (short ? brief : long);

/**
 * Runs a proof: `figure(name, value)` reports a figure, `check(holds, what)` fails the proof if `holds` is
 * false. An unhandled rejection or an uncaught exception also fails it.
 */
export async function proof(name, run) {
  const began = performance.now();
  const figure = (what, value) => console.log(`${name}: ${what}: ${value}`);
  const fail = (error) => {
    console.error(`${name}: FAILED: ${error?.stack ?? error}`);
    process.exit(1);
  };
  process.on('unhandledRejection', fail).on('uncaughtException', fail);
  try {
    await run({ figure, check });
  } catch (error) {
    fail(error);
  }
  figure('seconds', ((performance.now() - began) / 1000).toFixed(1));
}

export function check(holds, what) {
  if (!holds) throw new Error(typeof what === 'function' ? what() : what);
}

/** Returns the outcome of a promise: `ok`, or the code of the typed error. Any other outcome fails the proof. */
export async function outcomeOf(promise) {
  try {
    await promise;
    return 'ok';
  } catch (error) {
    check(error instanceof IntentError, () => `no IntentError: ${error?.stack ?? error}`);
    return error.code;
  }
}

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export const CORE = JSON.stringify({
  normalizedInput: 'Query order 7.',
  primaryIntent: 'Query',
  requirements: [],
  prohibitions: [],
  intents: [
    {
      action: 'query',
      target: 'order 7',
      requirements: [],
      blockers: {
        clarificationReason: null,
        questions: [],
        confirmationReason: null,
        conditionReason: null,
      },
    },
  ],
});

export const INPUT = 'Query order 7.';

export const SCHEMA = {
  type: 'object',
  properties: { order: { type: 'string', pattern: '^[0-9]+$' } },
  required: ['order'],
};

const dataOf = (order, issues = []) => ({
  data: order === undefined ? {} : { order },
  evidence:
    order === undefined
      ? []
      : [{ path: '/data/order', mode: 'semantic', sources: [{ sourceId: 'input', quote: '7' }] }],
  descriptionChecks: [],
  fieldResults: [
    {
      path: '/data/order',
      status: order === undefined ? 'issue' : 'extracted',
      explanation: 'The text says so.',
    },
  ],
  issues,
});

export const DATA = JSON.stringify(dataOf('7'));
/** A candidate that the schema refuses. */
export const BAD_DATA = JSON.stringify(dataOf('seven'));
export const ISSUES = JSON.stringify(
  dataOf(undefined, [
    {
      code: 'DATA_REQUIRED_MISSING',
      category: 'business_information',
      path: '/data/order',
      message: 'Which order?',
    },
  ]),
);

export const complete = (text) => ({ outcome: 'complete', text });

/** The right answer to a question to a JavaScript executor. */
export const good = ({ stage }) => complete(stage === 'core' ? CORE : DATA);

export const never = () => new Promise(() => {});

/**
 * Starts a Chat Completions service on loopback; `answer(request, response)` may replace its answer.
 */
export async function modelService(answer) {
  const server = createServer((request, response) => {
    const pieces = [];
    request.on('data', (piece) => pieces.push(piece));
    request.on('error', () => {});
    response.on('error', () => {});
    request.on('end', () => {
      const body = Buffer.concat(pieces).toString();
      if (answer?.(body, response)) return;
      response.setHeader('content-type', 'application/json');
      response.end(chatReply(goodFor(body)));
    });
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    server,
    port: server.address().port,
    url: `http://127.0.0.1:${server.address().port}/v1`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export const goodFor = (body) => (body.includes('selectedFields') && !isCore(body) ? DATA : CORE);

const isCore = (body) => {
  try {
    const { messages } = JSON.parse(body);
    return !('selectedFields' in JSON.parse(messages.at(-1).content));
  } catch {
    return true;
  }
};

export const chatReply = (content) =>
  JSON.stringify({
    id: 'x',
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 1 },
  });

/**
 * Runs a child process and returns its output. A child that does not end in time is killed, and `hung` is true.
 */
export async function child(command, args, { input, open, env, seconds = 180, started } = {}) {
  const process_ = spawn(command, args, { cwd: root, env: { ...process.env, ...env } });
  let stdout = '';
  let stderr = '';
  process_.stdout.on('data', (data) => {
    stdout += data;
    started?.(stdout, process_);
  });
  process_.stderr.on('data', (data) => {
    stderr += data;
  });
  process_.stdin.on('error', () => {});
  // With `open` the input stays open after its text.
  if (open !== undefined) process_.stdin.write(open);
  else process_.stdin.end(input ?? '');
  let hung = false;
  const late = setTimeout(() => {
    hung = true;
    process_.kill('SIGKILL');
  }, seconds * 1000);
  const [code, signal] = await once(process_, 'close');
  clearTimeout(late);
  return { code, signal, stdout, stderr, hung, pid: process_.pid };
}

export const node = (args, options) => child(process.execPath, args, options);

/** Runs tasks with a limited concurrency. */
export async function pool(count, concurrency, task) {
  let next = 0;
  const worker = async () => {
    while (next < count) await task(next++);
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, count) }, worker));
}

/** Adds one to a count by name. */
export const counted = (counts, name) => {
  counts[name] = (counts[name] ?? 0) + 1;
};
