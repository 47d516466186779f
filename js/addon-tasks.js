'use strict';
// The tasks of the addon: recognitions, submissions, connections. A call into the addon's host returns
// events, such as a question for the executor or an outcome. This file hands each event to its task.

const addon = require('./addon.js');

/** @type {Map<number, { question?(event: object): void, told?(event: object): void, message?(text: string): void, end(event: object): void }>} */
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

/** Hands events to their tasks. */
const dispatch = (events) => {
  for (const event of events) {
    const task = tasks.get(event.id);
    if (task === undefined) continue;
    if (event.kind === QUESTION) task.question(event);
    else if (event.kind === MESSAGE) task.message(event.text);
    else if (event.kind >= CORE) task.told(event);
    else {
      tasks.delete(event.id);
      task.end(event);
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

/** Makes a call of the addon after which other tasks may go on. */
const act = (call) => dispatch(call(theHost()));

const RESULT = 1;

/** A task that settles a promise, with `read` for its JSON. */
const promised = (call, read, fail) =>
  new Promise((resolve, reject) => {
    const end = (event) => {
      if (event.kind === RESULT) resolve(read(event.text));
      else reject(fail(event));
    };
    begin({ end }, call);
  });

module.exports = { RESULT, CORE, ASKED, ANSWERED, begin, act, promised, theHost };
