// A host that has its own model: the Bridge asks, the host answers, until there is an outcome.
//
//   node bridge-host.mjs ./my-model.mjs "TEXT"
//
// my-model.mjs has as its default export an async function that takes a task's `{ instructions,
// payload, format }` and gives the model's text.

import { pathToFileURL } from 'node:url';
import { DEFAULT_LIMITS, Intent } from '@devcodex/intent-runtime';
import { createIntentBridge } from '@devcodex/intent-runtime/bridge';

/**
 * Recognises one input. A candidate past `maxOutputBytes` is refused and its job stands, with the
 * same token: the host asks for a shorter one, once.
 *
 * @param {import('@devcodex/intent-runtime/bridge').BridgeSession} session
 * @param {import('@devcodex/intent-runtime/bridge').PrepareRequest} request
 * @param {(task: object) => Promise<string>} generate
 * @param {number} mostBytes the limit of the instance
 */
export async function recognise(
  session,
  request,
  generate,
  mostBytes = DEFAULT_LIMITS.maxOutputBytes,
) {
  let reply = session.prepare(request);
  while (reply.kind === 'task') {
    const task = reply;
    const { jobId, stepToken } = task;
    try {
      const candidateText = await generate(task);
      reply = await session.accept({ jobId, stepToken, candidateText });
      if (reply.kind === 'error' && Buffer.byteLength(candidateText) > mostBytes) {
        const shorter = await generate({ ...task, note: 'Shorter, please.' });
        reply = await session.accept({ jobId, stepToken, candidateText: shorter });
      }
    } catch (error) {
      // Whatever became of the model: the job's place is free again.
      session.cancel({ jobId, detail: 'the host gave up' });
      throw error;
    }
  }
  return reply;
}

const [model, input = 'Query order 000123, do not modify it yet.'] = process.argv.slice(2);
if (model !== undefined) {
  const { default: generate } = await import(pathToFileURL(model).href);
  const intent = new Intent();
  const bridge = createIntentBridge({ instances: { default: intent } });
  try {
    const reply = await recognise(bridge.connect(), { instance: 'default', input }, generate);
    console.log(JSON.stringify(reply, null, 2));
  } finally {
    bridge.close();
    await intent.dispose();
  }
}
