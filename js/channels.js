'use strict';
// The tracing channels of `node:diagnostics_channel`. They tell what happened (stages, outcomes, times,
// tokens, codes), never a text of a user or a model. Where nobody listens nothing is made.

const diagnostics = require('node:diagnostics_channel');
const { define } = require('./own.js');

const EVENTS = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'];

/**
 * The five channels that `tracingChannel(name)` stands for, by their documented names. They are held
 * here: the platform holds them weakly.
 */
const tracing = (name) => EVENTS.map((event) => diagnostics.channel(`tracing:${name}:${event}`));

const PARSE = tracing('intent-runtime:parse');
const QUESTION = tracing('intent-runtime:question');

const [START, END, ASYNC_START, ASYNC_END, ERROR] = EVENTS.keys();

const isHeard = (channels) => channels.some((channel) => channel.hasSubscribers);

/** Node.js reports what a subscriber throws as uncaught; where a platform throws it here, it ends here. */
const publish = (channel, message) => {
  try {
    channel.publish(message);
  } catch {}
};

/** An error without its message, which may hold a text of the model's. */
const failure = ({ code, stage }) => ({ code, stage });

/** One traced operation: everything is published with one message, which grows. */
class Trace {
  #channels;
  #begun = false;
  #ended = false;

  constructor(channels, message) {
    this.#channels = channels;
    this.message = message;
  }

  /** Runs `work` as what was traced, with the stores that a tracer bound to the start. */
  run(work) {
    this.#begun = true;
    try {
      return this.#channels[START].runStores(this.message, work);
    } finally {
      publish(this.#channels[END], this.message);
    }
  }

  /** What came of it; `error` where it failed. */
  settle(entries, error) {
    if (!this.#begun || this.#ended) return;
    this.#ended = true;
    for (const key of Object.keys(entries)) define(this.message, key, entries[key]);
    if (error !== undefined) {
      define(this.message, 'error', failure(error));
      publish(this.#channels[ERROR], this.message);
    }
    publish(this.#channels[ASYNC_START], this.message);
    publish(this.#channels[ASYNC_END], this.message);
  }
}

/** Outcomes that are no error's code. */
const ANSWERS = ['accepted', 'rejected', 'refusal', 'incomplete'];

/** What is published of one recognition; `undefined` where nobody listens. */
const traceOf = (asksJavaScript) => {
  const parse = isHeard(PARSE);
  const questions = isHeard(QUESTION);
  return parse || questions ? new ParseTrace(parse, questions, asksJavaScript) : undefined;
};

class ParseTrace {
  #parse;
  #message = {};
  #asksJavaScript;
  #question;

  constructor(parse, questions, asksJavaScript) {
    if (parse) this.#parse = new Trace(PARSE, this.#message);
    this.#asksJavaScript = asksJavaScript;
    this.reported = parse;
    this.questions = questions;
  }

  /** Begins the recognition. */
  run(work) {
    return this.#parse === undefined ? work() : this.#parse.run(work);
  }

  /** A question goes out. An executor of the addon is asked there, any other one by {@link ask}. */
  asked({ stage, repair }) {
    this.#question = new Trace(QUESTION, { parse: this.#message, stage, repair });
    if (!this.#asksJavaScript) this.#question.run(() => undefined);
  }

  /** Asks the executor. */
  ask(work) {
    return this.#question === undefined ? work() : this.#question.run(work);
  }

  answered(call) {
    const code = ANSWERS.includes(call.outcome) ? undefined : call.outcome;
    this.#question?.settle(call, code && { code, stage: call.stage });
    this.#question = undefined;
  }

  /** The report of the whole, as far as it is published. */
  settle(report, error) {
    this.#parse?.settle(report === undefined ? {} : withoutTexts(report), error);
  }
}

/** A copy that is nobody else's, without the faults of candidates. */
const withoutTexts = ({ durationMs, calls, usage }) => ({
  durationMs,
  calls: calls.map(({ faults, usage, ...call }) => ({
    ...call,
    ...(usage === undefined ? {} : { usage: { ...usage } }),
  })),
  ...(usage === undefined ? {} : { usage: { ...usage } }),
});

module.exports = { traceOf };
