// A worker that is in the middle of parses when it is terminated, each at another point.
import { parentPort, workerData } from 'node:worker_threads';
import { Intent } from '@devcodex/intent-runtime';
import { createApiExecutor } from '@devcodex/intent-runtime/adapters/api';
import { createIntentBridge } from '@devcodex/intent-runtime/bridge';
import { executor, silent } from './candidate.mjs';

const { baseURL } = workerData;
const request = { input: 'Query order 000123.', fields: [] };
const ignore = () => {};
const parse = (config) => new Intent(config).parse(request).catch(ignore);

parse({ executor: silent });
parse({ executor: silent, timeoutMs: 5 });
parse({ executor: createApiExecutor({ provider: 'openai', model: 'm', apiKey: 'k', baseURL }) });
createIntentBridge({ instances: { own: new Intent({}) } })
  .connect()
  .prepare({ instance: 'own', input: 'x' });
const busy = () => parse({ executor }).then(busy);
busy();
parentPort.postMessage('parsing');
