// Every entry once, without a test runner: for the runtimes that have none of ours.
import { strict as assert } from 'node:assert';
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { Intent, IntentError } from '@devcodex/intent-runtime';
import { createApiExecutor, readChatCompletion } from '@devcodex/intent-runtime/adapters/api';
import { createIntentBridge } from '@devcodex/intent-runtime/bridge';
import { MCP_TOOLS, serveIntentMcp } from '@devcodex/intent-runtime/mcp';
import { core, executor, silent } from './candidate.mjs';

const request = { input: 'Query order 000123.', fields: [] };
const found = 'Query order 000123';
const codeOf = (promise) => promise.then(assert.fail, (error) => error.code);
const envelope = {
  choices: [{ finish_reason: 'stop', message: { role: 'assistant', content: core } }],
};

const parts = {
  async 'require and import'() {
    const required = createRequire(import.meta.url)('@devcodex/intent-runtime');
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

  async 'an API executor'() {
    const server = createServer((asked, response) => {
      asked.resume().on('end', () => response.end(JSON.stringify(envelope)));
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    const api = createApiExecutor({
      provider: 'openai',
      protocol: 'chat-completions',
      model: 'm',
      apiKey: 'k',
      baseURL: `http://127.0.0.1:${server.address().port}/v1`,
    });
    const intent = new Intent({ executor: api });
    assert.equal((await intent.parse(request)).primaryIntent, found);
    assert.equal(readChatCompletion(envelope).text, core);
    await intent.dispose();
    server.close();
    server.closeAllConnections?.();
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
    const bin = fileURLToPath(new URL('../../bin/intent-runtime-mcp.js', import.meta.url));
    const flags = process.versions.deno ? ['run', '-A'] : [];
    const child = spawn(process.execPath, [...flags, bin], { stdio: 'pipe' });
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

for (const [name, run] of Object.entries(parts)) {
  await run();
  console.log(name);
}
console.log('all');
