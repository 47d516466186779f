// The command `intent-runtime-mcp` as a host sees it: bytes in, lines out.

import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const manifest = createRequire(import.meta.url)('../../package.json');
export const { version } = manifest;
export const root = fileURLToPath(new URL('../..', import.meta.url));
export const command = `${root}${manifest.bin['intent-runtime-mcp']}`;

export const initialize = (protocolVersion = '2025-06-18', id = 'init') => ({
  jsonrpc: '2.0',
  id,
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
});
export const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };
export const request = (id, method, params) => ({ jsonrpc: '2.0', id, method, params });
export const call = (id, name, args) => request(id, 'tools/call', { name, arguments: args });
export const cancelled = (requestId) => ({
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId },
});

/** Ids are told apart by their JSON, so that 1 is not "1". */
const keyOf = (id) => JSON.stringify(id);

/** A server process, with what it has said so far. */
export class Server {
  /** Everything on standard output, as messages; a line that is none fails the test. */
  messages = [];
  stderr = '';
  /** Settles when the process has ended and its streams are closed. */
  ended;
  #waiting = new Map();
  #rest = '';

  constructor(args = [], { env = {}, cwd, timeoutMs = 60_000 } = {}) {
    const began = performance.now();
    this.process = spawn(process.execPath, [command, ...args], {
      cwd,
      env: { ...process.env, NODE_OPTIONS: '', ...env },
    });
    const { stdin, stdout, stderr } = this.process;
    // A server that has ended takes no more input: its end is what a test looks at.
    stdin.on('error', () => {});
    stdout.setEncoding('utf8').on('data', (text) => this.#read(text));
    stderr.setEncoding('utf8').on('data', (text) => {
      this.stderr += text;
    });
    const late = setTimeout(() => this.process.kill('SIGKILL'), timeoutMs);
    this.ended = new Promise((resolve) => {
      this.process.on('close', (code, signal) => {
        clearTimeout(late);
        for (const { reject } of this.#waiting.values()) {
          reject(new Error(`the server ended: ${code ?? signal} ${this.stderr}`));
        }
        resolve({ code, signal, stderr: this.stderr, ms: performance.now() - began });
      });
    });
  }

  get pid() {
    return this.process.pid;
  }

  #read(text) {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop();
    for (const line of lines) {
      const message = JSON.parse(line);
      if (message.jsonrpc !== '2.0') throw new Error(`not of the protocol: ${line}`);
      this.messages.push(message);
      this.onmessage?.(message);
      this.#waiting.get(keyOf(message.id))?.resolve(message);
      this.#waiting.delete(keyOf(message.id));
    }
  }

  /** Writes bytes or text as they are; settles when the pipe has taken them. */
  write(bytes) {
    return new Promise((resolve) => {
      this.process.stdin.write(bytes, () => resolve());
    });
  }

  /** Writes messages, each on a line. */
  send(...messages) {
    return this.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
  }

  /** The answer to a request: one that came already, or the next. */
  answer(id) {
    const come = this.messages.find((message) => keyOf(message.id) === keyOf(id));
    if (come !== undefined) return Promise.resolve(come);
    return new Promise((resolve, reject) => {
      this.#waiting.set(keyOf(id), { resolve, reject });
    });
  }

  async ask(message) {
    const answer = this.answer(message.id);
    await this.send(message);
    return answer;
  }

  /** A tool's reply. */
  async tool(id, name, args) {
    return replyOf(await this.ask(call(id, name, args)));
  }

  /** A handshake, as every host makes it. */
  async open(protocolVersion) {
    const answer = await this.ask(initialize(protocolVersion));
    await this.send(initialized);
    return answer;
  }

  /** Ends the input; how the process ended, and how long after the end of input. */
  async end() {
    const from = performance.now();
    this.process.stdin.end();
    const how = await this.ended;
    return { ...how, ms: performance.now() - from };
  }
}

/** Returns the reply of a tool, and checks the result around it. */
export const replyOf = ({ result, error }) => {
  if (result === undefined) throw new Error(`no tool result: ${JSON.stringify(error)}`);
  const { content, structuredContent, isError } = result;
  if (content.length !== 1 || content[0].type !== 'text') throw new Error('one text is wanted');
  if (content[0].text !== JSON.stringify(structuredContent)) throw new Error('the texts differ');
  if (isError !== (structuredContent.kind === 'error')) throw new Error('isError does not fit');
  return structuredContent;
};

/** Runs a test against a server that is gone afterwards. */
export const withServer = async (run, args, options) => {
  const server = new Server(args, options);
  try {
    return await run(server);
  } finally {
    server.process.kill('SIGKILL');
    await server.ended;
  }
};

/**
 * Runs a test up to ten times, until one run took less than a second. What waits for a timer does so in
 * every run; a machine that has other work to do is slow in some. Everything else holds in each run.
 */
export const shortest = async (run) => {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 10 && least >= 1000; i++) least = Math.min(least, await run());
  if (least >= 1000) throw new Error(`the shortest of ten runs took ${least} ms`);
};

const blockers = {
  clarificationReason: null,
  questions: [],
  confirmationReason: null,
  conditionReason: null,
};

/** A core candidate for any input. */
export const core = JSON.stringify({
  normalizedInput: 'Query order 000123.',
  primaryIntent: null,
  requirements: [],
  prohibitions: [],
  intents: [{ action: 'query', target: 'order 000123', requirements: [], blockers }],
});

/** A data candidate for an input that holds 000123, under {@link ordersConfig}. */
export const data = (orderId = '000123') =>
  JSON.stringify({
    data: { orderId },
    evidence: [
      {
        path: '/data/orderId',
        mode: 'exact',
        sources: [{ sourceId: 'input', quote: orderId }],
      },
    ],
    descriptionChecks: [],
    fieldResults: [{ path: '/data/orderId', status: 'extracted', explanation: 'stated' }],
    issues: [],
  });

export const ordersConfig = {
  language: 'zh-CN',
  schema: {
    type: 'object',
    properties: { orderId: { type: 'string' } },
    required: ['orderId'],
  },
};

/** Makes the arguments of an accept with the task's identifiers. */
export const submission = ({ jobId, stepToken }, candidateText = core) => ({
  jobId,
  stepToken,
  candidateText,
});

/** Runs a module's text in a process of its own; its input stays open unless some is given. */
export const runModule = (text, { input, timeoutMs = 30_000 } = {}) =>
  new Promise((resolve) => {
    const began = performance.now();
    const child = spawn(process.execPath, ['--input-type=module', '-e', text], {
      cwd: root,
      env: { ...process.env, NODE_OPTIONS: '' },
    });
    if (input !== undefined) child.stdin.end(input);
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
    });
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    const late = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
    child.on('close', (code, signal) => {
      clearTimeout(late);
      resolve({ code, signal, stdout, stderr, ms: performance.now() - began });
    });
  });
