// An application that uses every entry; prints one line for each part that worked.
import { strict as assert } from 'node:assert';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ErrorCode, Intent, IntentError, type ModelExecutor } from '@devcodex/intent-runtime';
import { createApiExecutor } from '@devcodex/intent-runtime/adapters/api';
import { type BridgeReply, createIntentBridge } from '@devcodex/intent-runtime/bridge';
import { MCP_TOOLS } from '@devcodex/intent-runtime/mcp';
import { core, data } from './core.js';

const input = 'Query order 000123.';
const schema = {
  type: 'object',
  properties: { orderId: { type: 'string', description: 'Order id; keep leading zeros.' } },
  required: ['orderId'],
  additionalProperties: false,
} as const;

const scripted: ModelExecutor = {
  id: 'scripted',
  generate: async ({ stage }) => ({ outcome: 'complete', text: stage === 'core' ? core : data }),
};

const withExecutor = async () => {
  const intent = new Intent({ schema, executor: scripted });
  const result = await intent.parse({ input });
  const orderId: string = result.data.orderId;
  assert.equal(orderId, '000123');
  assert.equal(result.intents[0]?.action, 'query');
  await intent.dispose();
};

const withBridge = async () => {
  const intent = new Intent({ schema });
  const bridge = createIntentBridge({ instances: { orders: intent } });
  const session = bridge.connect();
  let reply: BridgeReply = session.prepare({ instance: 'orders', input });
  while (reply.kind === 'task') {
    reply = await session.accept({
      jobId: reply.jobId,
      stepToken: reply.stepToken,
      candidateText: reply.stage === 'core' ? core : data,
    });
  }
  assert(reply.kind === 'result');
  assert.deepEqual(reply.result.data, { orderId: '000123' });
  bridge.close();
  await intent.dispose();
};

const withService = async () => {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const known = request.headers.authorization === 'Bearer a-key';
      const message = { role: 'assistant', content: core };
      response.writeHead(known ? 200 : 401, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify(known ? { choices: [{ finish_reason: 'stop', message }] } : { error: {} }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const ask = async (apiKey: string) => {
    const intent = new Intent({
      executor: createApiExecutor({
        provider: 'openai',
        protocol: 'chat-completions',
        model: 'stand-in',
        apiKey,
        baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
      }),
    });
    return intent.parse({ input, fields: [] }).finally(() => intent.dispose());
  };
  assert.equal((await ask('a-key')).primaryIntent, 'Query order 000123');
  const error: unknown = await ask('another').catch((thrown: unknown) => thrown);
  assert(error instanceof IntentError);
  const code: ErrorCode = error.code;
  assert.equal(code, 'MODEL_AUTH_FAILED');
  server.close();
  server.closeAllConnections();
};

const main = async () => {
  await withExecutor();
  console.log('executor');
  await withBridge();
  console.log('bridge');
  await withService();
  console.log('service');
  assert.deepEqual(
    MCP_TOOLS.map(({ name }) => name),
    ['intent_prepare', 'intent_accept', 'intent_cancel'],
  );
  console.log('mcp');
};

// Not at the top level: the app is bundled as CommonJS as well.
main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
