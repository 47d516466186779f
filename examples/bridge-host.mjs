// A host with its own model: the Bridge asks and the host answers until there is an outcome.
//
//   node bridge-host.mjs ./my-model.mjs "TEXT"
// The default export of my-model.mjs is an async function that takes a task's `{ instructions, payload,
// format }` and returns the model's text.

import { pathToFileURL } from 'node:url';
import { DEFAULT_LIMITS, Intent } from '@devcodex/intent-runtime';
import { createIntentBridge } from '@devcodex/intent-runtime/bridge';

/**
 * Recognises one input. A candidate larger than `maxOutputBytes` is refused, but its job stays open with the
 * same token: the host asks once for a shorter one.
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
      // This frees the job's place after any failure of the model.
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
