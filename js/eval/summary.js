'use strict';
// The summary of a run. Its size depends on the number of tags, checks and causes, not on the number of
// cases.

const { rate } = require('./stats.js');
const { version } = require('../../package.json');

/** Buckets of times: each is a tenth wider than the one before, starting at 10 microseconds. */
const WIDER = Math.log(1.1);
const FIRST = 0.01;

class Times {
  #buckets = new Map();
  #count = 0;
  #sum = 0;

  add(ms) {
    const bucket = Math.max(0, Math.ceil(Math.log(ms / FIRST) / WIDER));
    this.#buckets.set(bucket, (this.#buckets.get(bucket) ?? 0) + 1);
    this.#count += 1;
    this.#sum += ms;
  }

  #quantile(share) {
    let left = share * this.#count;
    for (const bucket of [...this.#buckets.keys()].sort((a, b) => a - b)) {
      left -= this.#buckets.get(bucket);
      if (left <= 0) return FIRST * Math.exp(bucket * WIDER);
    }
    return null;
  }

  /** Returns milliseconds; the quantiles are accurate to a tenth of their value. */
  toJSON() {
    if (this.#count === 0) return null;
    return {
      mean: this.#sum / this.#count,
      median: this.#quantile(0.5),
      p95: this.#quantile(0.95),
    };
  }
}

/** The calls of one stage. */
class Stage {
  first = 0;
  accepted = 0;
  repairs = 0;
  repaired = 0;
  times = new Times();
  tokens = { inputTokens: new Sum(), outputTokens: new Sum() };

  add(calls) {
    if (calls.length === 0) return;
    this.first += 1;
    this.repairs += calls.filter(({ repair }) => repair).length;
    if (calls[0].outcome === 'accepted') this.accepted += 1;
    if (calls.some(({ repair, outcome }) => repair && outcome === 'accepted')) this.repaired += 1;
    for (const { durationMs, usage } of calls) {
      this.times.add(durationMs);
      for (const [name, sum] of Object.entries(this.tokens)) sum.add(usage?.[name]);
    }
  }

  toJSON() {
    const { first, accepted, repairs, repaired, times, tokens } = this;
    return {
      questions: first,
      firstAnswerAccepted: rate(accepted, first),
      repairs,
      repaired,
      time: times.toJSON(),
      inputTokens: tokens.inputTokens.toJSON(),
      outputTokens: tokens.outputTokens.toJSON(),
    };
  }
}

/** A sum that counts its terms: a number that a service did not report is not counted as 0. */
class Sum {
  reported = 0;
  unreported = 0;
  sum = 0;

  add(value) {
    if (typeof value === 'number' && value >= 0) {
      this.reported += 1;
      this.sum += value;
    } else this.unreported += 1;
  }

  toJSON() {
    return this.reported === 0
      ? null
      : { sum: this.sum, calls: this.reported, untold: this.unreported };
  }
}

class Counts {
  #map = new Map();

  add(key, right) {
    const count = this.#map.get(key) ?? { right: 0, total: 0 };
    count.total += 1;
    if (right) count.right += 1;
    this.#map.set(key, count);
  }

  toJSON() {
    const rows = [...this.#map].map(([name, { right, total }]) => [name, rate(right, total)]);
    return Object.fromEntries(rows.sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

class Summary {
  #states = { right: 0, wrong: 0, failed: 0, shutOut: 0 };
  #tags = new Counts();
  #langs = new Counts();
  #checks = new Counts();
  #causes = new Map();
  #ends = new Map();
  #shutOut = new Map();
  #stages = { core: new Stage(), data: new Stage() };
  #times = new Times();
  #started = performance.now();
  #resumed = 0;

  add(entry) {
    this.#states[entry.state] += 1;
    if (entry.state === 'shutOut') {
      count(this.#shutOut, general(entry.why.message));
      return;
    }
    const right = entry.state === 'right';
    for (const tag of entry.tags ?? []) this.#tags.add(tag, right);
    if (entry.lang !== undefined) this.#langs.add(entry.lang, right);
    const failed = new Set(entry.failed?.map(({ check }) => check));
    for (const check of entry.checks) this.#checks.add(general(check), !failed.has(check));
    this.#addCalls(entry);
    if (entry.ms !== undefined) this.#times.add(entry.ms);
  }

  #addCalls({ calls, ended }) {
    for (const stage of ['core', 'data'])
      this.#stages[stage].add(calls.filter((call) => call.stage === stage));
    for (const fault of calls.flatMap((call) => call.faults ?? []))
      count(this.#causes, general(fault));
    if (ended) count(this.#ends, ended.code);
  }

  get #judged() {
    const { right, wrong, failed } = this.#states;
    return right + wrong + failed;
  }

  /** Returns the numbers for a line of progress. */
  progress(total) {
    const done = this.#judged + this.#states.shutOut;
    const seconds = (performance.now() - this.#started) / 1000;
    const tokens = (name) =>
      this.#stages.core.tokens[name].sum + this.#stages.data.tokens[name].sum;
    return {
      done,
      total,
      right: this.#states.right,
      judged: this.#judged,
      seconds,
      resumed: this.#resumed,
      inputTokens: tokens('inputTokens'),
      outputTokens: tokens('outputTokens'),
    };
  }

  /** Marks the cases added so far as those of an earlier process, which took none of this run's time. */
  markResumed() {
    this.#resumed = this.#judged + this.#states.shutOut;
    this.#started = performance.now();
  }

  report({ executor, interrupted, total }) {
    const { right, wrong, failed, shutOut } = this.#states;
    return {
      format: 1,
      package: version,
      executor,
      interrupted,
      total,
      right: rate(right, this.#judged),
      wrong,
      failed,
      shutOut: { total: shutOut, reasons: sorted(this.#shutOut) },
      langs: this.#langs.toJSON(),
      tags: this.#tags.toJSON(),
      checks: this.#checks.toJSON(),
      stages: {
        core: this.#stages.core.toJSON(),
        data: this.#stages.data.toJSON(),
      },
      causes: sorted(this.#causes),
      ends: sorted(this.#ends),
      time: this.#times.toJSON(),
    };
  }
}

const count = (map, key) => map.set(key, (map.get(key) ?? 0) + 1);

const sorted = (map) =>
  [...map].map(([what, times]) => ({ what, times })).sort((a, b) => b.times - a.times);

/** Removes the parts of a fault or check that differ between cases: indices and quoted names. */
const general = (text) =>
  text
    .replace(/\/\d+(?=\/|:|$)/g, '/*')
    .replace(/"[^"]*"/g, '"…"')
    .slice(0, 200);

module.exports = { Summary, general };
