// Causes a panic at every boundary: each must become one typed error, and the next call must work. The addon
// is a test build that panics if its input contains `panic-on-demand:<place>;` (src/failpoint.rs).

import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtLibrary } from '../scripts/library.mjs';
import {
  CORE,
  chatReply,
  check,
  child,
  complete,
  DATA,
  good,
  goodFor,
  INPUT,
  modelService,
  node,
  proof,
  SCHEMA,
} from './support.mjs';

const self = fileURLToPath(import.meta.url);

if (process.argv[2] === 'child') {
  await inChild();
  process.exit(0);
} else
  await proof('panics', async ({ figure }) => {
    const built = await child('cargo', ['build', '--lib', '--features', 'panic-on-demand'], {
      seconds: 3600,
    });
    check(built.code === 0, () => built.stderr);
    const folder = mkdtempSync(join(tmpdir(), 'prove-panics-'));
    try {
      const addon = join(folder, 'panics.node');
      copyFileSync(builtLibrary('dev'), addon);
      const run = await node([self, 'child'], {
        env: { NAPI_RS_NATIVE_LIBRARY_PATH: addon, RUST_BACKTRACE: '0' },
      });
      check(
        run.code === 0,
        () => `${run.code} ${run.signal} ${run.hung}\n${run.stdout}${run.stderr}`,
      );
      const panics = run.stderr.match(/panicked at/g)?.length ?? 0;
      const said = Number(/(\d+) panics/.exec(run.stdout)[1]);
      check(panics >= said, `${panics} panics for ${said} places: the build does not panic`);
      figure('panics', panics);
      figure('boundaries', run.stdout.trim());
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

async function inChild() {
  const { Intent, IntentError } = await import('@devcodex/intent-runtime');
  const api = await import('@devcodex/intent-runtime/adapters/api');
  const { createIntentBridge } = await import('@devcodex/intent-runtime/bridge');
  const { serveIntentMcp } = await import('@devcodex/intent-runtime/mcp');

  const magic = (place) => `panic-on-demand:${place};`;
  let panics = 0;
  const expectError = async (place, code, call) => {
    panics++;
    let error;
    try {
      const value = await call();
      error = value?.kind === 'error' ? value.error : undefined;
    } catch (thrown) {
      error = thrown instanceof IntentError ? thrown.toJSON() : thrown;
    }
    check(error?.code === code, () => `${place}: ${JSON.stringify(error) ?? error}`);
    check(!error.message.includes('panic-on-demand'), `${place}: ${error.message}`);
    return error;
  };
  const works = async (intent, place) => {
    const result = await intent.parse({ input: INPUT });
    check(result.data.order === '7', `after ${place}`);
  };

  let wanted = () => undefined;
  const executor = {
    id: 'x',
    generate: async (request) => wanted(request) ?? good(request),
  };
  // A debug build on a busy machine is slow.
  const limits = { maxValidationMs: 600_000 };
  const intent = new Intent({ schema: SCHEMA, executor, limits });

  await expectError('config', 'CONFIG_INVALID', () => new Intent({ language: magic('config') }));
  await works(new Intent({ schema: SCHEMA, executor, limits }), 'config');

  await expectError('request', 'MODEL_REQUEST_FAILED', () =>
    intent.parse({ input: magic('request') }),
  );
  await works(intent, 'request');

  const padding = ' '.repeat(50_000);
  for (const [place, stage, text] of [
    ['candidate of core', 'core', magic('candidate')],
    ['candidate of data, on the calling thread', 'data', magic('candidate')],
    ['candidate of data, on a worker thread', 'data', `${magic('candidate')}${padding}`],
  ]) {
    wanted = (request) => (request.stage === stage ? complete(text) : undefined);
    const error = await expectError(place, 'MODEL_REQUEST_FAILED', () =>
      intent.parse({ input: INPUT }),
    );
    check((error.partialResult !== undefined) === (stage === 'data'), `${place}: partialResult`);
    wanted = () => undefined;
    // No slot stays occupied: this makes more calls than there are slots.
    for (let i = 0; i < 5; i++) await works(intent, place);
  }

  const bridge = createIntentBridge({ instances: { a: intent } });
  const session = bridge.connect();
  const job = async () => {
    let reply = session.prepare({ instance: 'a', input: INPUT });
    for (const candidateText of [CORE, DATA]) {
      const { jobId, stepToken } = reply;
      reply = await session.accept({ jobId, stepToken, candidateText });
    }
    check(reply.kind === 'result', () => JSON.stringify(reply));
  };
  await expectError('prepare', 'MODEL_REQUEST_FAILED', () =>
    session.prepare({ instance: 'a', input: magic('request') }),
  );
  await job();
  for (const text of [magic('candidate'), `${magic('candidate')}${padding}`]) {
    let { jobId, stepToken } = session.prepare({ instance: 'a', input: INPUT });
    ({ stepToken } = await session.accept({ jobId, stepToken, candidateText: CORE }));
    const error = await expectError('accept', 'MODEL_REQUEST_FAILED', () =>
      session.accept({ jobId, stepToken, candidateText: text }),
    );
    check(error.partialResult !== undefined, 'accept: partialResult');
    await job();
  }
  // With the ledger's lock held.
  const held = session.prepare({ instance: 'a', input: INPUT });
  await expectError('cancel', 'MODEL_REQUEST_FAILED', () =>
    session.cancel({ jobId: held.jobId, detail: magic('ledger') }),
  );
  const again = session.cancel({ jobId: held.jobId });
  check(again.error?.code === 'MODEL_ABORTED', () => JSON.stringify(again));
  await job();

  let body = goodFor;
  const service = await modelService((request, response) => {
    response.end(chatReply(body(request)));
    return true;
  });
  const chat = api.createApiExecutor({
    provider: 'openai',
    protocol: 'chat-completions',
    baseURL: service.url,
    model: 'm',
    apiKey: 'k',
  });
  const overHttp = new Intent({ schema: SCHEMA, executor: chat, limits });
  await expectError('a question over HTTP', 'MODEL_REQUEST_FAILED', () =>
    overHttp.parse({ input: magic('question') }),
  );
  await works(overHttp, 'a question over HTTP');
  body = () => magic('envelope');
  await expectError('an answer over HTTP', 'MODEL_REQUEST_FAILED', () =>
    overHttp.parse({ input: INPUT }),
  );
  body = goodFor;
  await works(overHttp, 'an answer over HTTP');
  const asked = { instructions: 'i', outputSchema: { type: 'object' } };
  await expectError('generate', 'MODEL_REQUEST_FAILED', () =>
    chat.generate({ ...asked, payload: magic('question') }),
  );
  body = () => magic('envelope');
  await expectError('the answer to generate', 'MODEL_REQUEST_FAILED', () =>
    chat.generate({ ...asked, payload: 'p' }),
  );
  body = goodFor;
  check((await chat.generate({ ...asked, payload: 'p' })).outcome === 'complete', 'generate');
  for (const read of [api.readCompletedResponse, api.readChatCompletion])
    await expectError(read.name || 'an envelope', 'MODEL_REQUEST_FAILED', () =>
      read({ x: magic('envelope') }),
    );
  check(api.readChatCompletion(JSON.parse(chatReply(CORE))).text === CORE, 'an envelope');

  const sent = new Map();
  const transport = {
    start: async () => {},
    close: async () => {},
    send: async (message) => {
      sent.get(message.id)?.(message);
    },
  };
  const mcp = await serveIntentMcp({ instances: { a: intent }, transport });
  let last = 0;
  const call = (method, params, id = ++last) =>
    new Promise((resolve) => {
      sent.set(id, resolve);
      transport.onmessage({ jsonrpc: '2.0', id: id ?? last, method, params });
    });
  const prepare = (input) =>
    call('tools/call', { name: 'intent_prepare', arguments: { instance: 'a', input } });
  await expectError('a tool call', 'MODEL_REQUEST_FAILED', async () => {
    const { result } = await prepare(magic('request'));
    check(result.isError, () => JSON.stringify(result));
    return result.structuredContent;
  });
  check((await prepare(INPUT)).result.structuredContent.kind === 'task', 'after a tool call');
  panics++;
  const refused = new Promise((resolve) => sent.set(undefined, resolve));
  sent.set(null, sent.get(undefined));
  transport.onmessage({ jsonrpc: '2.0', id: 99, method: magic('line') });
  check((await refused).error.code === -32600, 'a line');
  check((await prepare(INPUT)).result.structuredContent.kind === 'task', 'after a line');
  await mcp.close();

  bridge.close();
  await intent.dispose();
  await overHttp.dispose();
  await service.close();
  console.log(`${panics} panics, each an error, and the next call worked`);
}
