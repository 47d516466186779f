'use strict';
// The Bridge for JavaScript. Replies are assembled here from the parts that differ between tasks, so that
// the fixed instructions do not cross the boundary every time.

const { CANCEL, PREPARE, readRequest, readSubmission } = require('./plain/request.js');
const { readBridgeConfig } = require('./plain/service-config.js');
const { isText } = require('./plain/objects.js');
const { begin } = require('./addon-tasks.js');
const { buildBridge } = require('./build-bridge.js');
const { formOf, formatOf, instructionsOf } = require('./model-request.js');
const { ownedIntents } = require('./owned-intents.js');
const { buildOrThrow, fault } = require('./intent.js');

const TASK = 0;
const RESULT = 1;

/** Makes the reply of kind `error`; it has `job` if the call concerns a job. */
const errorOf = (job, error) =>
  typeof job === 'string' ? { kind: 'error', job, error } : { kind: 'error', error };

/** The number of elements of a reply of the addon (src/node/bridge.rs); its events have six elements each. */
const REPLY_SLOTS = 7;

/**
 * Makes the caller's reply from a reply of the addon: `kind`, `text`, `jobId`, `stepToken`, two flags for the core
 * stage and the brief form, and `expiresAt` of a task or `job` of an error.
 */
const readReply = (reply) => {
  const kind = reply[0];
  const text = reply[1];
  const more = reply[6];
  if (kind === RESULT) return { kind: 'result', result: JSON.parse(text) };
  if (kind !== TASK) return errorOf(more, JSON.parse(text));
  const stage = reply[4] ? 'core' : 'data';
  const form = formOf(reply[5]);
  const instructions = instructionsOf(stage, form);
  const task = {
    kind: 'task',
    jobId: reply[2],
    stepToken: reply[3],
    stage,
    instructions,
    payload: text,
    format: formatOf(stage, form),
  };
  return more === null ? task : { ...task, expiresAt: more };
};

/** Makes the reply for a call that failed internally; `job` gives the state of its job, if it has one. */
const failed = (cause, job) => {
  let status;
  try {
    status = job?.();
  } catch {
    status = 'ended';
  }
  return errorOf(status, fault('MODEL_REQUEST_FAILED', cause).toJSON());
};

const openSession = (session) => ({
  prepare(...args) {
    const { text, unread } = readRequest(args, PREPARE);
    try {
      return readReply(session.prepare(text, unread));
    } catch (cause) {
      return failed(cause);
    }
  },
  accept(...args) {
    return new Promise((resolve) => {
      const submission = readSubmission(args);
      const job = () => session.jobStatus(submission.jobId ?? '');
      try {
        const end = (kind, text) => {
          resolve(kind === RESULT ? JSON.parse(text) : failed(undefined, job));
        };
        begin({ end }, (host, id, forget) => {
          const reply = host.accept(id, session, submission);
          if (reply.length !== REPLY_SLOTS) return reply;
          forget();
          resolve(readReply(reply));
          return [];
        });
      } catch (cause) {
        resolve(failed(cause, job));
      }
    });
  },
  cancel(...args) {
    const { text, unread, jobId } = readRequest(args, CANCEL);
    try {
      return readReply(session.cancel(text, unread));
    } catch (cause) {
      return failed(cause, () => session.jobStatus(isText(jobId) ? jobId : ''));
    }
  },
  close() {
    session.close();
  },
});

const createIntentBridge = (config) => {
  const owned = ownedIntents();
  const bridge = buildBridge(readBridgeConfig(config, owned));
  return {
    connect() {
      return openSession(buildOrThrow('BRIDGE_JOB_NOT_FOUND', () => bridge.connect()));
    },
    close() {
      bridge.close();
      owned.dispose();
    },
  };
};

exports.createIntentBridge = createIntentBridge;
