'use strict';
// Keeps the answers of a model in a file for tests. The file is readable and sorted, and it is always
// complete for a reader, even while another test writes it.

const {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} = require('node:fs');
const { dirname } = require('node:path');
const { IntentError } = require('../errors.js');
const { recorder, replayer } = require('../records.js');
const { quoted } = require('../text.js');
const { misuse } = require('./check.js');

const LOCK_TRIES = 1000;
const LOCK_WAIT_MS = 10;
const STALE_LOCK_MS = 10_000;

const HOW =
  'Run the test once with recordingExecutor(executor, file) in its place, and keep the file with the test.';

/** See testing.d.ts. */
const recordingExecutor = (inner, file) => {
  if (typeof inner?.generate !== 'function')
    throw misuse('recordingExecutor: the first argument must be an executor.');
  checkFile('recordingExecutor', file);
  return recorder(inner, ({ key, ...entry }, request) => {
    const reply = readable(entry.reply);
    merge(file, key, { ...entry, input: label(request), reply });
  });
};

/** See testing.d.ts. */
const replayingExecutor = (file) => {
  checkFile('replayingExecutor', file);
  if (!existsSync(file))
    throw misuse(`replayingExecutor: there is no file ${quoted(file)}. ${HOW}`);
  const stored = Object.entries(readAnswers(file));
  const entries = new Map(
    stored.map(([key, entry]) => [key, { ...entry, reply: original(entry.reply) }]),
  );
  const { generate } = replayer(`replay:${file}`, entries, (request) =>
    missing(file, entries, request),
  );
  return { id: 'replaying', generate };
};

const checkFile = (what, file) => {
  if (typeof file !== 'string' || file === '')
    throw misuse(`${what}: the file must be a path that is not empty.`);
};

const missing = (file, entries, request) => {
  const input = label(request);
  const repair = request.input.repair === undefined ? '' : ' of a repair';
  const isNear = [...entries.values()].some(
    (entry) => entry.stage === request.stage && entry.input === input,
  );
  const near = isNear
    ? ' It holds one for this input with another schema, context, language or core result.'
    : '';
  return new IntentError('MODEL_REQUEST_FAILED', {
    message: `replayingExecutor: ${file} has no answer to the ${request.stage} question${repair} for the input ${quoted(input)}.${near} ${HOW}`,
  });
};

/** The first characters of an input, for people. */
const label = ({ input }) => [...input.currentInput].slice(0, 80).join('');

/** Returns a candidate as an object, if the text can be restored from it except for white space. */
const readable = ({ text, ...rest }) => {
  if (typeof text !== 'string') return rest;
  const tight = text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, '$1');
  try {
    const candidate = JSON.parse(text);
    if (JSON.stringify(candidate) === tight) return { candidate, ...rest };
  } catch {
    // A text that is not JSON stays a text.
  }
  return { ...rest, text };
};

const original = ({ candidate, ...rest }) =>
  candidate === undefined ? rest : { ...rest, text: JSON.stringify(candidate) };

const readAnswers = (file) => {
  let whole;
  try {
    whole = JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new IntentError('CONFIG_INVALID', {
      message: `${file} is not a file of recorded answers. Delete it and record again.`,
      cause,
    });
  }
  if (whole?.format !== 1 || typeof whole.answers !== 'object' || whole.answers === null)
    throw misuse(`${file} holds no recorded answers: recordingExecutor writes such a file.`);
  return whole.answers;
};

/** Adds one answer to the file, and keeps the answers that other tests have added. */
const merge = (file, key, entry) => {
  mkdirSync(dirname(file), { recursive: true });
  withLock(file, () => {
    const answers = existsSync(file) ? readAnswers(file) : {};
    const all = Object.entries({ ...answers, [key]: sorted(entry) }).sort(([a], [b]) =>
      a < b ? -1 : 1,
    );
    const partial = `${file}.${process.pid}.new`;
    const text = JSON.stringify({ answers: Object.fromEntries(all), format: 1 }, null, 2);
    writeFileSync(partial, `${text}\n`);
    renameSync(partial, file);
  });
};

/** Sorts the keys of an entry. A candidate keeps the order in which the model wrote it. */
const sorted = (value, key) => {
  if (typeof value !== 'object' || value === null || key === 'candidate') return value;
  const names = Object.keys(value).filter((name) => value[name] !== undefined);
  return Object.fromEntries(names.sort().map((name) => [name, sorted(value[name], name)]));
};

/** Runs with the lock of the file: a folder, which is created atomically and which other processes respect. */
const withLock = (file, run) => {
  const lock = `${file}.lock`;
  for (let i = 0; !tryLock(lock); i++) {
    if (i >= LOCK_TRIES)
      throw misuse(`${lock} does not go away. Remove it, and ${lock}.removal where that exists.`);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOCK_WAIT_MS);
  }
  try {
    run();
  } finally {
    // Forced, because others take the lock of a process that was suspended for long.
    rmSync(lock, { recursive: true, force: true });
  }
};

const tryLock = (lock) => {
  try {
    mkdirSync(lock);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST' && error.code !== 'EPERM') throw error;
    dropStale(lock);
    return false;
  }
};

const isStale = (lock) => Date.now() - statSync(lock).mtimeMs > STALE_LOCK_MS;

/**
 * Removes the lock that a killed process left behind. One process at a time may do so and looks again
 * first, so that none removes the lock that another one has taken since.
 */
const dropStale = (lock) => {
  const removal = `${lock}.removal`;
  try {
    if (!isStale(lock)) return;
    mkdirSync(removal);
    try {
      if (isStale(lock)) rmdirSync(lock);
    } finally {
      rmdirSync(removal);
    }
  } catch {
    // Another process was faster.
  }
};

module.exports = { recordingExecutor, replayingExecutor };
