'use strict';
// The tracing channels of `node:diagnostics_channel`. They publish stages, outcomes, times, tokens and
// codes, never a text of a user or a model. Without subscribers, no message is built.

const diagnostics = require('node:diagnostics_channel');
const { define } = require('./properties.js');

const EVENTS = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'];

/**
 * The five channels of `tracingChannel(name)`, by their documented names. They are kept here because the
 * platform keeps only weak references.
 */
const tracing = (name) => EVENTS.map((event) => diagnostics.channel(`tracing:${name}:${event}`));

const PARSE = tracing('intent-runtime:parse');
const QUESTION = tracing('intent-runtime:question');

const [START, END, ASYNC_START, ASYNC_END, ERROR] = EVENTS.keys();

const hasSubscribers = (channels) => channels.some((channel) => channel.hasSubscribers);

/** Publishes a message. Node.js reports a subscriber's error as uncaught; on a platform that throws it here, it is ignored. */
const publish = (channel, message) => {
  try {
    channel.publish(message);
  } catch {}
};

/** Returns an error without its message, which may contain a text of the model. */
const failure = ({ code, stage }) => ({ code, stage });

/** One traced operation: all its events have the same message object, which gets more properties over time. */
class Trace {
  #channels;
  #begun = false;
  #ended = false;

  constructor(channels, message) {
    this.#channels = channels;
    this.message = message;
  }

  /** Runs `work` as the traced operation, with the stores that a tracer bound to the start. */
  run(work) {
    this.#begun = true;
    try {
      return this.#channels[START].runStores(this.message, work);
    } finally {
      publish(this.#channels[END], this.message);
    }
  }

  /** Publishes the end of the operation; `error` if it failed. */
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

/** Outcomes that are not the code of an error. */
const ANSWERS = ['accepted', 'rejected', 'refusal', 'incomplete'];

/** Makes the publisher for one recognition; `undefined` without subscribers. */
const traceOf = (asksJavaScript) => {
  const parse = hasSubscribers(PARSE);
  const questions = hasSubscribers(QUESTION);
  return parse || questions ? new ParseTrace(parse, questions, asksJavaScript) : undefined;
};

class ParseTrace {
  #parse;
  #message = {};
  #asksJavaScript;
  #question;
  #report = {};

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

  /** Begins a question. The addon asks its own executors; {@link ask} asks any other. */
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

  /** Keeps the report, which the addon gives before the outcome. */
  ended(report) {
    this.#report = report;
  }

  settle(error) {
    this.#parse?.settle(this.#report, error);
  }
}

module.exports = { traceOf };
