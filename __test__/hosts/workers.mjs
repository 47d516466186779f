// Starts 200 workers and terminates each in the middle of its parses; then parses itself.
import { createServer } from 'node:http';
import { Worker } from 'node:worker_threads';
import { Intent } from '@devcodex/intent-runtime';
import { executor } from './candidate.mjs';

const WORKERS = 200;
const AT_ONCE = 8;

// A service that takes every question and answers none.
const server = createServer(() => {}).listen(0, '127.0.0.1');
await new Promise((resolve) => server.once('listening', resolve));
const workerData = { baseURL: `http://127.0.0.1:${server.address().port}/v1` };

let started = 0;
let terminated = 0;
const lane = async () => {
  while (started < WORKERS) {
    const delay = started++ % 10;
    const worker = new Worker(new URL('./worker.mjs', import.meta.url), { workerData });
    await new Promise((resolve, reject) => {
      worker.once('message', resolve).once('error', reject);
    });
    await new Promise((resolve) => setTimeout(resolve, delay));
    await worker.terminate();
    terminated++;
  }
};
await Promise.all(Array.from({ length: AT_ONCE }, lane));
server.close();
server.closeAllConnections();

const intent = new Intent({ executor });
const { primaryIntent } = await intent.parse({ input: 'Query order 000123.', fields: [] });
console.log(`${terminated} terminated, ${primaryIntent}`);
