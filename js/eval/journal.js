'use strict';
// The journal of a run: a JSONL file with one line for each finished case, and one for each answer of an
// unfinished case. If the process is killed, the file is valid up to its last newline, so a resumed run
// does not repeat answered questions.

const {
  closeSync,
  createReadStream,
  existsSync,
  ftruncateSync,
  openSync,
  writeSync,
} = require('node:fs');
const { EvaluationError } = require('./cases.js');

class Journal {
  #file;
  #descriptor;
  /** Ids of the cases that have been scored. */
  done = new Set();
  /** Answers of cases that were running when the process ended: id, then question, then reply. */
  #pending = new Map();

  constructor(file) {
    this.#file = file;
  }

  /** Creates an empty journal, or reads an existing one and continues after its last line. */
  async open({ resume, onCase }) {
    if (!resume) {
      this.#descriptor = openSync(this.#file, 'w');
      return this;
    }
    let whole = 0;
    for await (const { entry, end } of lines(this.#file)) {
      whole = end;
      this.#take(entry);
    }
    this.#descriptor = openSync(this.#file, existsSync(this.#file) ? 'r+' : 'w');
    ftruncateSync(this.#descriptor, whole);
    this.#descriptor = openForAppending(this.#descriptor, this.#file);
    for await (const entry of this.cases()) onCase?.(entry);
    return this;
  }

  #take(entry) {
    if (entry.answer === undefined) {
      this.#pending.delete(entry.id);
      // A case without an answer is asked again: the service may have been down.
      if (entry.state !== 'failed') this.done.add(entry.id);
      return;
    }
    if (!this.#pending.has(entry.id)) this.#pending.set(entry.id, new Map());
    this.#pending.get(entry.id).set(entry.answer, entry.reply);
  }

  /** Returns the reply that a case received for a question before the process ended. */
  answerOf(id, question) {
    return this.#pending.get(id)?.get(question);
  }

  answered(id, question, reply) {
    this.#write({ id, answer: question, reply });
  }

  finished(entry) {
    this.#write(entry);
    this.#pending.delete(entry.id);
  }

  #write(entry) {
    writeSync(this.#descriptor, `${JSON.stringify(entry)}\n`);
  }

  /** Reads the finished cases; if a case has several entries, the last one counts. */
  async *cases() {
    const failed = new Map();
    for await (const { entry } of lines(this.#file)) {
      if (entry.answer !== undefined) continue;
      if (entry.state === 'failed') {
        failed.set(entry.id, entry);
      } else {
        failed.delete(entry.id);
        yield entry;
      }
    }
    yield* failed.values();
  }

  close() {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}

/** Opens a descriptor for appending; the one that truncates a broken line cannot append. */
function openForAppending(descriptor, file) {
  closeSync(descriptor);
  return openSync(file, 'a');
}

/** Reads the complete lines of a journal with the offset after each; a last line without newline is ignored. */
async function* lines(file) {
  if (!existsSync(file)) return;
  let offset = 0;
  let number = 0;
  let rest = Buffer.alloc(0);
  for await (const chunk of createReadStream(file)) {
    let from = 0;
    const buffer = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (let end = buffer.indexOf(10, from); end >= 0; end = buffer.indexOf(10, from)) {
      number += 1;
      offset += end - from + 1;
      yield { entry: entryOf(buffer.toString('utf8', from, end), file, number), end: offset };
      from = end + 1;
    }
    rest = buffer.subarray(from);
  }
}

function entryOf(line, file, number) {
  try {
    return JSON.parse(line);
  } catch {
    throw new EvaluationError(`${file}:${number} is no line of a journal; give another file.`);
  }
}

module.exports = { Journal };
