'use strict';
// The tasks of the addon: recognitions, submissions, connections. A call into the addon's host returns
// events, such as a question for the executor or an outcome. This file hands each event to its task.

const addon = require('./addon.js');

/**
 * @typedef {object} Task
 * @property {(call: number, schema: number | null, text: string, brief: boolean) => void} [question]
 * @property {(kind: number, text: string) => void} [progress]
 * @property {(text: string) => void} [message]
 * @property {(kind: number, text: string, thrown: boolean) => void} end
 */

/** @type {Map<number, Task>} */
const tasks = new Map();
let lastId = 0;
let host;

/** The addon's host for this thread. The first use makes it, so that an import opens nothing. */
const theHost = () => {
  host ??= new addon.Host(() => dispatch(host.drain()));
  return host;
};

const QUESTION = 0;
const MESSAGE = 3;
const CORE = 4;
const ASKED = 5;
const ANSWERED = 6;
const ENDED = 7;

/** The number of elements of one event in the array that the addon returns (src/node/events.rs). */
const EVENT_SLOTS = 6;

/** Passes events to their tasks. Each event is `id`, `kind`, `text`, `call`, `schema`, `flag`. */
const dispatch = (events) => {
  for (let at = 0; at < events.length; at += EVENT_SLOTS) {
    const id = events[at];
    const task = tasks.get(id);
    if (task === undefined) continue;
    const kind = events[at + 1];
    const text = events[at + 2];
    if (kind === QUESTION) task.question(events[at + 3], events[at + 4], text, events[at + 5]);
    else if (kind === MESSAGE) task.message(text);
    else if (kind >= CORE) task.progress(kind, text);
    else {
      tasks.delete(id);
      task.end(kind, text, events[at + 5]);
    }
  }
};

/**
 * Begins a task: `call(host, id, forget)` calls the addon and returns its events. After
 * `forget()` the task receives no more events. Returns the id.
 */
const begin = (task, call) => {
  lastId = (lastId + 1) >>> 0;
  const id = lastId;
  const forget = () => tasks.delete(id);
  tasks.set(id, task);
  let events;
  try {
    events = call(theHost(), id, forget);
  } catch (fault) {
    forget();
    throw fault;
  }
  dispatch(events);
  return id;
};

/** Returns whether there is exactly one event, and it belongs to the task `id`. */
const isOnlyOf = (events, id) => events.length === EVENT_SLOTS && events[0] === id;

/** Makes a call of the addon that may let other tasks continue. */
const act = (call) => dispatch(call(theHost()));

const RESULT = 1;

/** Makes a task that settles a promise: with `read(text)` of its JSON, or with the error `fail(text)`. */
const promised = (call, read, fail) =>
  new Promise((resolve, reject) => {
    const end = (kind, text) => {
      if (kind === RESULT) resolve(read(text));
      else reject(fail(text));
    };
    begin({ end }, call);
  });

module.exports = { RESULT, CORE, ASKED, ANSWERED, ENDED, begin, act, isOnlyOf, promised, theHost };
