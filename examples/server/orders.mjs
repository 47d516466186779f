// The common part of the three servers of this folder: the Intent, the replies to clients, and the log.
//
//   INTENT_MODEL=... INTENT_API_KEY=... node examples/server/node-http.mjs   (or fastify.mjs, hono.mjs)
//   curl -s localhost:8080/orders -H 'content-type: application/json' -d '{"text":"Query order 000123."}'

import { Intent, IntentDataError, IntentError, openQuestions } from '@devcodex/intent-runtime';

export const MAX_BODY_BYTES = 16_384;

const schema = {
  type: 'object',
  properties: {
    orderId: { type: 'string', description: 'The order number, with its leading zeros.' },
  },
  required: ['orderId'],
};

/** Some parses run, some wait for a slot within the timeout, and further ones are refused. */
export const createOrders = (executor) =>
  new Intent({
    executor,
    schema,
    timeoutMs: 30_000,
    limits: { maxInputBytes: 4_096, maxConcurrentParses: 32, maxQueuedParses: 256 },
  });

/** Returns the HTTP status for an error. docs/errors.md explains each code. */
export const statusOf = ({ code, stage, limit }) => {
  switch (code) {
    case 'INPUT_INVALID':
    case 'UNKNOWN_FIELD':
      return 400;
    case 'LIMIT_EXCEEDED':
      if (stage !== 'input') return 502; // an answer of the model
      return BUSY.has(limit?.name) ? 503 : 413;
    case 'DATA_EXTRACTION_FAILED':
    case 'MODEL_REFUSED':
      return 422;
    case 'MODEL_RATE_LIMITED':
    case 'INSTANCE_DISPOSED':
      return 503;
    case 'MODEL_TIMEOUT':
      return 504;
    case 'MODEL_ABORTED':
      return 499; // the client has disconnected and does not read it
    case 'MODEL_AUTH_FAILED':
    case 'MODEL_REQUEST_FAILED':
    case 'MODEL_OUTPUT_INCOMPLETE':
    case 'MODEL_OUTPUT_INVALID':
    case 'RESOURCE_LIMIT':
      return 502;
    default:
      return 500;
  }
};

const BUSY = new Set(['maxConcurrentParses', 'maxQueuedParses']);

/** Writes a line of the log: codes and counts, but no text of the user. */
const entryOf = (status, { durationMs, usage, calls = [] } = {}, error) => ({
  status,
  ...(error && { code: error.code, stage: error.stage }),
  durationMs,
  calls: calls.length,
  repairs: calls.filter(({ repair }) => repair).length,
  ...usage,
});

/**
 * Returns `{ status, body, retryAfter? }` for a request's body, which may be any value.
 *
 * @param {AbortSignal} signal - Aborted when the client disconnects.
 * @param {(entry: object) => void} log
 */
export const recognise = async (orders, body, signal, log) => {
  if (typeof body?.text !== 'string') return { status: 400, body: { error: 'INPUT_INVALID' } };
  try {
    const { result, report } = await orders.parseWithReport({ input: body.text, signal });
    log(entryOf(200, report));
    const { intents, prohibitions, data } = result;
    return { status: 200, body: { intents, prohibitions, data } };
  } catch (error) {
    if (!(error instanceof IntentError)) throw error;
    const status = statusOf(error);
    log(entryOf(status, error.report, error));
    const ask = error instanceof IntentDataError ? openQuestions(error) : undefined;
    return { status, body: { error: error.code, ask }, retryAfter: status === 503 ? 1 : undefined };
  }
};
