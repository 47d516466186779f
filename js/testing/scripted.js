'use strict';
// An executor that replies from a script, and records the questions.

const { IntentError } = require('../errors.js');
const { checkKeys, misuse } = require('./check.js');
const { checkText } = require('./script-text.js');

const OUTCOMES = ['complete', 'refusal', 'incomplete'];

/** A reply of a script; `stage` is set if the text determines it. */
const readReply = (reply, place, stage) => {
  if (typeof reply === 'function') return { give: reply, place };
  if (reply instanceof Error)
    return {
      give: () => {
        throw reply;
      },
      place,
    };
  const whole = typeof reply === 'string' ? { outcome: 'complete', text: reply } : reply;
  const known = checkReply(whole, place, stage);
  return { give: () => ({ ...whole }), place, stage: known };
};

/** Refuses a candidate that the runtime would refuse, and returns its stage. */
const checkReply = (reply, place, stage) => {
  const shape =
    'must be a string (the text of a candidate), { outcome: "complete", text }, { outcome: "refusal" | "incomplete", detail? }, an Error to throw, or a function of the request';
  if (typeof reply !== 'object' || reply === null || !OUTCOMES.includes(reply.outcome))
    throw misuse(`scriptedExecutor: ${place} ${shape}.`);
  if (reply.outcome === 'complete') {
    if (typeof reply.text !== 'string') throw misuse(`scriptedExecutor: ${place} ${shape}.`);
    return checkText(reply.text, `scriptedExecutor: ${place}`, stage);
  }
  if (reply.detail !== undefined && typeof reply.detail !== 'string')
    throw misuse(`scriptedExecutor: ${place}.detail must be a string.`);
  return undefined;
};

/** Returns the script as lists of replies: one for both stages, or one for each. */
const readScript = (replies) => {
  if (Array.isArray(replies)) {
    const row = replies.map((reply, i) => readReply(reply, `reply ${i + 1}`));
    return { core: row, data: row };
  }
  const what = 'scriptedExecutor: the script, where it is no array,';
  const rows = checkKeys(what, replies, ['core', 'data']);
  const rowOf = (stage) =>
    [rows[stage] === undefined ? [] : rows[stage]]
      .flat()
      .map((reply, i) => readReply(reply, `${stage} reply ${i + 1}`, stage));
  return { core: rowOf('core'), data: rowOf('data') };
};

const unanswered = (message) =>
  new IntentError('MODEL_REQUEST_FAILED', { message: `scriptedExecutor: ${message}` });

/** See testing.d.ts. */
const scriptedExecutor = (replies) => {
  const script = readScript(replies);
  const requests = [];
  const given = new Map();
  const isByStage = script.core !== script.data;
  /** Returns the next reply of a list, which may be for both stages. */
  const next = (row, stage) => {
    const at = given.get(row) ?? 0;
    if (at >= row.length)
      throw unanswered(
        `the script has no reply left for question ${requests.length} (stage ${stage}): it holds ${row.length}${isByStage ? ` for ${stage}` : ''}.${repairNote(requests.at(-1))}`,
      );
    given.set(row, at + 1);
    const reply = row[at];
    if (reply.stage !== undefined && reply.stage !== stage)
      throw unanswered(
        `${reply.place} is a ${reply.stage} candidate, but question ${requests.length} is of stage ${stage}.`,
      );
    return reply;
  };
  return {
    id: 'scripted',
    requests,
    async generate(request) {
      requests.push(request);
      const { stage } = request;
      return next(script[stage], stage).give(request);
    },
  };
};

const repairNote = ({ input }) =>
  input.repair === undefined ? '' : ` It asks for a repair: ${input.repair.diagnostic}`;

module.exports = { scriptedExecutor };
