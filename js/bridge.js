'use strict';
// The Bridge for JavaScript. Replies are assembled here from what changes from task to task, so
// that the fixed instructions do not cross the boundary every time.

const { readAccept, readBridgeConfig, readCancel, readRequest } = require('./plain.js');
const { native, begin } = require('./host.js');
const { formOf, formatOf, instructionsOf } = require('./model-request.js');
const { instanceKeeper } = require('./instances.js');
const { builtOr, fault, nativeOf } = require('./intent.js');

const TASK = 0;
const RESULT = 1;

/** A reply of the addon's as the caller's own object. */
const readReply = (reply) => {
  if (reply.kind === RESULT) return { kind: 'result', result: JSON.parse(reply.text) };
  if (reply.kind !== TASK) return { kind: 'error', error: JSON.parse(reply.text) };
  const { jobId, stepToken, text: payload, expiresAt } = reply;
  const stage = reply.core ? 'core' : 'data';
  const form = formOf(reply);
  const instructions = instructionsOf(stage, form);
  const task = {
    kind: 'task',
    jobId,
    stepToken,
    stage,
    instructions,
    payload,
    format: formatOf(stage, form),
  };
  if (expiresAt !== undefined) task.expiresAt = expiresAt;
  return task;
};

/** What is wrong with a request as a whole, for the addon to say at its turn. */
const invalidText = (error) => JSON.stringify({ $invalid: error.message });

const failed = (cause) => ({ kind: 'error', error: fault('MODEL_REQUEST_FAILED', cause).toJSON() });

/** A synchronous call: `read` gives the JSON of the request, `call` makes the native call. */
const replyOf = (read, call) => {
  let text;
  try {
    text = read();
  } catch (error) {
    text = invalidText(error);
  }
  try {
    return readReply(call(text));
  } catch (cause) {
    return failed(cause);
  }
};

const CANCEL_PARTS = ['outcome', 'detail'];

/** The JSON of a cancellation; what is given and no text stands as the reason. */
const cancelText = ({ jobId, outcome, detail, invalid }) => {
  const request = { jobId, outcome, detail };
  if (invalid !== undefined) {
    const part = CANCEL_PARTS.find((name) => invalid.startsWith(name));
    request[part ?? 'outcome'] = { $invalid: invalid };
  }
  return JSON.stringify(request);
};

const openSession = (session) => ({
  prepare(...args) {
    const read = () => readRequest(args.length, args[0], { instance: true }).text;
    return replyOf(read, (text) => session.prepare(text));
  },
  accept(...args) {
    return new Promise((resolve) => {
      let submission;
      try {
        submission = readAccept(args.length, args[0]);
      } catch (error) {
        submission = { shape: error.message };
      }
      try {
        const end = (event) => {
          resolve(event.kind === RESULT ? JSON.parse(event.text) : failed());
        };
        begin({ end }, (host, id, forget) => {
          const reply = host.accept(id, session, submission);
          if (Array.isArray(reply)) return reply;
          forget();
          resolve(readReply(reply));
          return [];
        });
      } catch (cause) {
        resolve(failed(cause));
      }
    });
  },
  cancel(...args) {
    return replyOf(
      () => cancelText(readCancel(args.length, args[0])),
      (text) => session.cancel(text),
    );
  },
  close() {
    session.close();
  },
});

/** The addon's bridge for a configuration that was read. */
const buildBridge = ({ instances, json }) => {
  const names = instances.map(([name]) => name);
  const intents = instances.map(([, intent]) => nativeOf(intent));
  return builtOr('CONFIG_INVALID', () => native.createBridge(json, names, intents));
};

const createIntentBridge = (config) => {
  const keeper = instanceKeeper();
  const bridge = buildBridge(readBridgeConfig(config, keeper));
  return {
    connect() {
      return openSession(builtOr('BRIDGE_JOB_NOT_FOUND', () => bridge.connect()));
    },
    close() {
      bridge.close();
      keeper.dispose();
    },
  };
};

exports.createIntentBridge = createIntentBridge;
// For ./mcp.js; the package's types do not name it.
Object.defineProperty(exports, 'buildBridge', { value: buildBridge });
