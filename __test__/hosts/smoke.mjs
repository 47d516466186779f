// Uses every entry once, without a test runner: for runtimes on which vitest does not run, and for the
// platforms of scripts/check-targets.mjs, which sets
//
//   SMOKE_NODE   the command that starts this runtime, as a JSON array, where process.execPath does not
//   SMOKE_TLS    a folder with tls.key and tls.pem for localhost, whose authority this process trusts
import { strict as assert } from 'node:assert';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Intent, IntentError } from '@devcodex/intent-runtime';
import { createApiExecutor, readChatCompletion } from '@devcodex/intent-runtime/adapters/api';
import { createIntentBridge } from '@devcodex/intent-runtime/bridge';
import { MCP_TOOLS, serveIntentMcp } from '@devcodex/intent-runtime/mcp';
import { core, data, executor, schema, silent } from './candidate.mjs';

const name = '@devcodex/intent-runtime';
const request = { input: 'Query order 000123.', fields: [] };
const found = 'Query order 000123';
const codeOf = (promise) => promise.then(assert.fail, (error) => error.code);
const envelope = {
  choices: [{ finish_reason: 'stop', message: { role: 'assistant', content: core } }],
};
const { SMOKE_NODE, SMOKE_TLS } = process.env;

/** One recognition by a service on loopback. */
const recognise = async (server, scheme, host) => {
  server.on('request', (asked, response) => {
    asked.resume().on('end', () => response.end(JSON.stringify(envelope)));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const api = createApiExecutor({
    provider: 'openai',
    protocol: 'chat-completions',
    model: 'm',
    apiKey: 'k',
    baseURL: `${scheme}://${host}:${server.address().port}/v1`,
  });
  const intent = new Intent({ executor: api });
  assert.equal((await intent.parse(request)).primaryIntent, found);
  await intent.dispose();
  server.close();
  server.closeAllConnections?.();
};

const parts = {
  async 'require and import'() {
    const required = createRequire(import.meta.url)(name);
    assert.equal(required.IntentError, IntentError);
  },

  async 'a custom executor'() {
    const intent = new Intent({ executor });
    assert.equal((await intent.parse(request)).primaryIntent, found);
    await intent.dispose();
  },

  async 'errors, deadline, signal, disposal'() {
    assert.throws(() => new Intent({ timeoutMs: -1 }), { code: 'CONFIG_INVALID' });
    const intent = new Intent({ executor: silent, timeoutMs: 50 });
    assert.equal(await codeOf(intent.parse(request)), 'MODEL_TIMEOUT');
    const signal = AbortSignal.timeout(10);
    assert.equal(await codeOf(intent.parse({ ...request, signal })), 'MODEL_ABORTED');
    const running = codeOf(intent.parse(request));
    await intent.dispose();
    assert.equal(await running, 'INSTANCE_DISPOSED');
  },

  async 'two stages'() {
    const reply = { core, data };
    const generate = async ({ stage }) => ({ outcome: 'complete', text: reply[stage] });
    const intent = new Intent({ schema, executor: { id: 'scripted', generate } });
    const { data: fields } = await intent.parse({ input: request.input });
    assert.deepEqual(fields, { orderId: '000123' });
    await intent.dispose();
  },

  async 'an API executor'() {
    await recognise(createServer(), 'http', '127.0.0.1');
    assert.equal(readChatCompletion(envelope).text, core);
  },

  async 'an API executor over TLS'() {
    if (!SMOKE_TLS) return 'skipped: SMOKE_TLS is not set';
    const read = (name) => readFileSync(join(SMOKE_TLS, name));
    const server = createTlsServer({ key: read('tls.key'), cert: read('tls.pem') });
    await recognise(server, 'https', 'localhost');
  },

  async 'the bridge'() {
    const bridge = createIntentBridge({ instances: { own: new Intent({}) } });
    const session = bridge.connect();
    const { jobId, stepToken } = session.prepare({ instance: 'own', input: request.input });
    const reply = await session.accept({ jobId, stepToken, candidateText: core });
    assert.equal(reply.result.primaryIntent, found);
    bridge.close();
  },

  async 'MCP over a transport'() {
    assert.equal(MCP_TOOLS.length, 3);
    const sent = [];
    const transport = {
      start: async () => {},
      send: async (message) => void sent.push(message),
      close: async () => transport.onclose?.(),
    };
    const service = await serveIntentMcp({ instances: { own: new Intent({}) }, transport });
    transport.onmessage({ jsonrpc: '2.0', id: 1, method: 'ping' });
    while (sent.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(sent[0].id, 1);
    await service.close();
  },

  async 'the command line'() {
    const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
    const bin = join(dirname(manifest), 'bin/intent-runtime-mcp.js');
    const flags = process.versions.deno ? ['run', '-A'] : [];
    const [node, ...first] = SMOKE_NODE ? JSON.parse(SMOKE_NODE) : [process.execPath];
    const child = spawn(node, [...first, ...flags, bin], { stdio: 'pipe' });
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    child.stdin.end('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    const code = await new Promise((resolve) => child.once('close', resolve));
    assert.equal(code, 0);
    assert.equal(JSON.parse(output).id, 1);
  },

  async 'worker threads'() {
    for (let i = 0; i < 8; i++) {
      const worker = new Worker(new URL('./worker.mjs', import.meta.url), {
        workerData: { baseURL: 'http://127.0.0.1:9/v1' },
      });
      await new Promise((resolve, reject) => {
        worker.once('message', resolve).once('error', reject);
      });
      await worker.terminate();
    }
  },
};

for (const [part, run] of Object.entries(parts)) {
  const skipped = await run();
  console.log(skipped ? `${part} (${skipped})` : part);
}
console.log('all');
