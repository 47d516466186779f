'use strict';
// The Bridge for JavaScript. Replies are assembled here from what changes from task to task, so
// that the fixed instructions do not cross the boundary every time.

const { PREPARE_KEYS, readRequest } = require('./plain/request.js');
const { readBridgeConfig } = require('./plain/service-config.js');
const { namedJob, readAccept, readCancel } = require('./plain/submission.js');
const { begin } = require('./addon-tasks.js');
const { buildBridge } = require('./build-bridge.js');
const { formOf, formatOf, instructionsOf } = require('./model-request.js');
const { instanceKeeper } = require('./instances.js');
const { jsonText } = require('./json.js');
const { builtOr, fault } = require('./intent.js');

const TASK = 0;
const RESULT = 1;

/** The reply of kind `error`; `job` where the call is about one. */
const errorOf = (job, error) =>
  typeof job === 'string' ? { kind: 'error', job, error } : { kind: 'error', error };

/** A reply of the addon's as the caller's own object. */
const readReply = (reply) => {
  if (reply.kind === RESULT) return { kind: 'result', result: JSON.parse(reply.text) };
  if (reply.kind !== TASK) return errorOf(reply.job, JSON.parse(reply.text));
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
  return expiresAt === null ? task : { ...task, expiresAt };
};

/** What is wrong with a request as a whole, for the addon to say at its turn. */
const invalidText = (error, jobId) => jsonText({ jobId, $invalid: error.message });

/** A call that broke off; `job` tells what is left of its job, where it has one. */
const failed = (cause, job) => {
  let status;
  try {
    status = job?.();
  } catch {
    status = 'ended';
  }
  return errorOf(status, fault('MODEL_REQUEST_FAILED', cause).toJSON());
};

/** A synchronous call: `read` gives the JSON of the request, `call` makes the native call. */
const replyOf = (read, call, named, job) => {
  let text;
  try {
    text = read();
  } catch (error) {
    text = invalidText(error, named?.());
  }
  try {
    return readReply(call(text));
  } catch (cause) {
    return failed(cause, job);
  }
};

const CANCEL_PARTS = ['outcome', 'detail'];

/** The JSON of a cancellation; what is given and no text stands as the reason. */
const cancelText = ({ jobId, outcome, detail, invalid }) => {
  const request = { jobId, outcome, detail };
  if (invalid === undefined) return jsonText(request);
  const part = CANCEL_PARTS.find((name) => invalid.startsWith(name));
  return jsonText({ ...request, [part ?? 'outcome']: { $invalid: invalid } });
};

const openSession = (session) => ({
  prepare(...args) {
    const read = () => readRequest(args.length, args[0], PREPARE_KEYS).text;
    return replyOf(read, (text) => session.prepare(text));
  },
  accept(...args) {
    return new Promise((resolve) => {
      let submission;
      const job = () => session.jobStatus(submission.jobId ?? '');
      try {
        submission = readAccept(args.length, args[0]);
      } catch (error) {
        submission = { __proto__: null, shape: error.message, jobId: namedJob(args[0]) };
      }
      try {
        const end = (event) => {
          resolve(event.kind === RESULT ? JSON.parse(event.text) : failed(undefined, job));
        };
        begin({ end }, (host, id, forget) => {
          const reply = host.accept(id, session, submission);
          if (Array.isArray(reply)) return reply;
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
    const named = () => namedJob(args[0]);
    return replyOf(
      () => cancelText(readCancel(args.length, args[0])),
      (text) => session.cancel(text),
      named,
      () => session.jobStatus(named() ?? ''),
    );
  },
  close() {
    session.close();
  },
});

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
