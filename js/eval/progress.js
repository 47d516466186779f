'use strict';
// The progress of a long run: one changing line on a terminal, a plain line every ten seconds elsewhere.

const TERMINAL_MS = 100;
const PLAIN_MS = 10_000;

class Progress {
  #stream;
  #prices;
  #columns;
  #last = 0;
  #shown = false;

  /** @param {{ input?: number, output?: number }} [prices] - The prices of a million tokens. */
  constructor(stream, prices) {
    this.#stream = stream;
    this.#prices = prices;
    this.#columns = stream.isTTY ? () => stream.columns ?? 80 : undefined;
    // A short run with output to a file or pipe shows no progress.
    if (this.#columns === undefined) this.#last = performance.now();
  }

  show(state) {
    const now = performance.now();
    const every = this.#columns === undefined ? PLAIN_MS : TERMINAL_MS;
    if (now - this.#last < every) return;
    this.#last = now;
    const line = lineOf(state, this.#prices);
    if (this.#columns === undefined) {
      this.#stream.write(`${line}\n`);
    } else {
      this.#stream.write(`\r\u001b[K${line.slice(0, this.#columns() - 1)}`);
      this.#shown = true;
    }
  }

  /** Removes the changing line. */
  end() {
    if (this.#shown) this.#stream.write('\r\u001b[K');
    this.#shown = false;
  }
}

function lineOf(state, prices) {
  const { done, total, right, judged, seconds, resumed } = state;
  const rate = seconds > 0 ? (done - resumed) / seconds : 0;
  const parts = [`${done}/${total}`, `${percent(judged === 0 ? 0 : right / judged)} right`];
  if (rate > 0) parts.push(`${rate >= 10 ? Math.round(rate) : rate.toFixed(1)}/s`);
  if (state.inputTokens + state.outputTokens > 0)
    parts.push(`${short(state.inputTokens)} + ${short(state.outputTokens)} tokens`);
  const spent = costOf(state, prices);
  if (spent !== undefined) parts.push(`cost ${spent.toFixed(spent < 1 ? 4 : 2)}`);
  if (rate > 0 && done < total) parts.push(`${duration((total - done) / rate)} left`);
  return parts.join('  ');
}

/** The cost in the unit of the prices; `undefined` without prices. */
function costOf({ inputTokens, outputTokens }, prices) {
  if (prices === undefined) return undefined;
  return (inputTokens * (prices.input ?? 0) + outputTokens * (prices.output ?? 0)) / 1e6;
}

const percent = (share) => `${(100 * share).toFixed(1)} %`;

const short = (n) =>
  n < 10_000 ? String(n) : n < 1e7 ? `${Math.round(n / 1000)}k` : `${(n / 1e6).toFixed(1)}M`;

function duration(seconds) {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min ${whole % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

module.exports = { Progress, costOf, percent, short, duration };
