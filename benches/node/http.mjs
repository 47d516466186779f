#!/usr/bin/env node
// node benches/node/http.mjs: compares a call through createApiExecutor with a bare fetch and JSON.parse,
// on loopback with kept connections, a reply of 10 KB, and one and 64 calls in flight.

import { spawn } from 'node:child_process';
import http from 'node:http';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { createApiExecutor } from '@devcodex/intent-runtime/adapters/api';

const reply = JSON.stringify({
  choices: [
    {
      index: 0,
      finish_reason: 'stop',
      message: { role: 'assistant', content: JSON.stringify({ text: 'x'.repeat(10_000) }) },
    },
  ],
});
if (process.argv[2] === 'serve') {
  const server = http.createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      response.setHeader('content-type', 'application/json');
      response.end(reply);
    });
  });
  server.listen(0, '127.0.0.1', () => process.send(server.address().port));
} else {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), 'serve'], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const port = await new Promise((resolve) => child.once('message', resolve));
  const baseURL = `http://127.0.0.1:${port}/v1`;
  const payload = JSON.stringify({ currentInput: 'x'.repeat(2000) });
  const executor = createApiExecutor({
    provider: 'openai',
    protocol: 'chat-completions',
    format: 'text',
    model: 'm',
    apiKey: 'k',
    baseURL,
  });
  const ours = () =>
    executor.generate({ instructions: 'x', payload, format: { kind: 'json_object' } });
  const theirs = async () => {
    const response = await fetch(`${baseURL}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer k' },
      body: JSON.stringify({
        model: 'm',
        messages: [
          { role: 'system', content: 'x' },
          { role: 'user', content: payload },
        ],
      }),
    });
    return JSON.parse(await response.text()).choices[0].message.content;
  };
  const perCall = async (call, concurrency, calls) => {
    let left = calls;
    const worker = async () => {
      while (left-- > 0) await call();
    };
    const start = performance.now();
    await Promise.all(Array.from({ length: concurrency }, worker));
    return (performance.now() - start) / calls;
  };
  console.log('| in flight | createApiExecutor, ms a call | fetch, ms a call | ratio |');
  console.log('|---|---|---|---|');
  for (const concurrency of [1, 64]) {
    const samples = { ours: [], theirs: [] };
    for (let turn = 0; turn < 6; turn++) {
      samples.ours.push(await perCall(ours, concurrency, 600));
      samples.theirs.push(await perCall(theirs, concurrency, 600));
    }
    const us = Math.min(...samples.ours);
    const js = Math.min(...samples.theirs);
    console.log(
      `| ${concurrency} | ${us.toFixed(3)} | ${js.toFixed(3)} | ${(us / js).toFixed(2)} |`,
    );
  }
  child.kill();
  process.exit(0);
}
