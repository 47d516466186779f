'use strict';
// Runs cases through Intents and scores the results. Only the id of a finished case stays in memory; the
// journal has the rest.

const { createHash, randomUUID } = require('node:crypto');
const { rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { IntentError } = require('../errors.js');
const { checked, EvaluationError, readCases, survey } = require('./cases.js');
const { Journal } = require('./journal.js');
const { Pool } = require('./pool.js');
const { score } = require('./score.js');
const { Summary } = require('./summary.js');

/** The codes of calls without an answer, which say nothing about the model's recognition. */
const NO_ANSWER = ['MODEL_REQUEST_FAILED', 'MODEL_RATE_LIMITED', 'MODEL_TIMEOUT', 'RESOURCE_LIMIT'];

/**
 * Runs every case; see `evaluate` in eval.d.ts.
 *
 * @returns {Promise<{ report: object, journal: Journal, discard: () => void }>}
 */
async function run(options) {
  const open = source(options);
  const total = await survey(open);
  const file = options.journal ?? join(tmpdir(), `intent-runtime-eval-${randomUUID()}.jsonl`);
  const summary = new Summary();
  const journal = await new Journal(file).open({
    resume: options.resume === true,
    onCase: (entry) => summary.add(entry),
  });
  summary.markResumed();
  const runner = new Runner({ ...options, journal, summary, total });
  try {
    await runner.all(remaining(open, journal.done));
  } finally {
    journal.close();
    await runner.close();
  }
  const report = summary.report({
    executor: options.executor.id,
    interrupted: options.signal?.aborted === true,
    total,
  });
  return {
    report,
    journal,
    discard: () => options.journal === undefined && rmSync(file, { force: true }),
  };
}

/** Returns a function that iterates over the selected cases at each call. */
function source({ cases: given, tags, lang, ids, limit = Number.POSITIVE_INFINITY }) {
  const isWanted = (one) =>
    (tags === undefined || tags.some((tag) => one.tags?.includes(tag))) &&
    (lang === undefined || lang.includes(one.lang)) &&
    (ids === undefined || ids.includes(one.id));
  return async function* open() {
    let count = 0;
    for await (const one of all(given)) if (isWanted(one) && count++ < limit) yield one;
  };
}

async function* all(given) {
  if (typeof given === 'string') {
    yield* readCases(given);
    return;
  }
  let index = 0;
  for await (const one of typeof given === 'function' ? given() : given)
    yield checked(one, `cases[${index++}]`);
}

async function* remaining(open, done) {
  for await (const one of open()) if (!done.has(one.id)) yield one;
}

class Runner {
  #options;
  #pool;
  #fault;

  constructor(options) {
    const { schema, executor } = options.config ?? {};
    if (schema !== undefined)
      throw new EvaluationError('config.schema would be ignored: give each case its "schema".');
    if (executor !== undefined)
      throw new EvaluationError('config.executor would be ignored: give it as "executor".');
    this.#options = options;
    this.#pool = new Pool((slot) => this.#executorOf(slot));
  }

  /** Runs `concurrency` workers that take cases from one iterator. */
  async all(row) {
    const { concurrency = 4 } = this.#options;
    await Promise.all(Array.from({ length: concurrency }, () => this.#work(row)));
    await row.return?.();
    if (this.#fault !== undefined) throw this.#fault;
  }

  async #work(row) {
    const { signal } = this.#options;
    while (!signal?.aborted && this.#fault === undefined) {
      const { value, done } = await row.next();
      if (done) return;
      try {
        await this.#one(value);
      } catch (fault) {
        this.#fault ??= fault;
      }
    }
  }

  async #one(one) {
    const { signal } = this.#options;
    if (one.shutOut !== undefined) {
      this.#finish(one, { ...head(one), state: 'shutOut', why: { message: one.shutOut } });
      return;
    }
    const started = performance.now();
    let slot;
    try {
      slot = this.#pool.acquire(one.schema, { ...one.config, ...this.#options.config });
    } catch (error) {
      this.#finish(one, shutOut(one, error));
      return;
    }
    const session = { one };
    slot.session = session;
    const outcome = await recognise(slot.intent, one, signal);
    this.#pool.release(slot);
    if (signal?.aborted && outcome.error?.code === 'MODEL_ABORTED') return;
    if (outcome.error?.code === 'MODEL_AUTH_FAILED')
      throw new EvaluationError(
        `The executor's credentials were refused: ${outcome.error.message}`,
      );
    const ms = performance.now() - started;
    this.#finish(one, scoredEntry(one, outcome, ms));
  }

  #finish(one, entry) {
    const { journal, summary, onCase, onProgress, total } = this.#options;
    journal.finished(entry);
    summary.add(entry);
    onCase?.(entry, one);
    onProgress?.(summary.progress(total));
  }

  /** Makes an executor that asks the given one, and records questions and answers. */
  #executorOf(slot) {
    const { executor } = this.#options;
    return {
      id: executor.id,
      ...(executor.capabilities && { capabilities: executor.capabilities }),
      generate: (request) => this.#ask(slot.session, request),
    };
  }

  async #ask({ one }, request) {
    const { executor, journal } = this.#options;
    const question = createHash('sha256')
      .update(`${request.stage}\n${request.payload}`)
      .digest('base64url');
    const before = journal.answerOf(one.id, question);
    if (before !== undefined) return before;
    const reply = await executor.generate(request, { case: one });
    journal.answered(one.id, question, reply);
    return reply;
  }

  close() {
    return this.#pool.close();
  }
}

/** Returns `{ result }` or `{ error }` as JSON values, with the calls. */
async function recognise(intent, { input, context, fields }, signal) {
  try {
    const { result, report } = await intent.parseWithReport({
      input,
      context,
      fields,
      signal,
      evidence: true,
    });
    return { result, calls: report.calls };
  } catch (error) {
    if (!(error instanceof IntentError)) throw error;
    return { error: error.toJSON(), calls: error.report?.calls ?? [] };
  }
}

const head = ({ id, lang, tags }) => ({ id, lang, tags });

/** The outcome of a case for which no Intent can be created, most often because of its schema. */
function shutOut(one, error) {
  if (!(error instanceof IntentError)) throw error;
  const { code, message } = error;
  return { ...head(one), state: 'shutOut', why: { code, message } };
}

/** The journal's entry of a case; it has the failed checks and the texts only if a check failed. */
function scoredEntry(one, { calls, ...outcome }, ms) {
  const card = score(one.expect, outcome);
  const noAnswer = NO_ANSWER.includes(outcome.error?.code);
  const state = card.right ? 'right' : noAnswer ? 'failed' : 'wrong';
  const entry = {
    ...head(one),
    state,
    checks: card.checks,
    calls,
    ended: outcome.error && { code: outcome.error.code, stage: outcome.error.stage },
    ms,
  };
  if (state === 'right') return entry;
  const { input, context, note } = one;
  return { ...entry, failed: card.failed, case: { input, context, note }, got: outcome };
}

module.exports = { run };
