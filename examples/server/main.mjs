// The main program of each server: it makes the executor from the environment, logs to standard output, and
// lets running requests finish before it exits.

import { createApiExecutor } from '@devcodex/intent-runtime/adapters/api';
import { createOrders } from './orders.mjs';

const { INTENT_MODEL, INTENT_API_KEY, INTENT_BASE_URL, PORT = '8080' } = process.env;

/** @param {(orders, log) => { listen(port: number): unknown, close(): Promise<void> }} create */
export const run = (create) => {
  const executor = createApiExecutor({
    provider: 'openai',
    model: INTENT_MODEL,
    apiKey: INTENT_API_KEY,
    baseURL: INTENT_BASE_URL,
  });
  const orders = createOrders(executor);
  const server = create(orders, (entry) => console.log(JSON.stringify(entry)));
  server.listen(Number(PORT));
  process.once('SIGTERM', async () => {
    await server.close();
    await orders.dispose();
  });
};
