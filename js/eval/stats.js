'use strict';
// The statistics of a report. Every figure is exact, or its comment says how it is approximated.

/** The two-sided 95 % point of the normal distribution. */
const Z = 1.959963984540054;

/** The Wilson score interval of a share, 95 %; `null` if the total is 0. */
function wilson(right, total) {
  if (total === 0) return null;
  const share = right / total;
  const z2 = Z * Z;
  const middle = share + z2 / (2 * total);
  const half = Z * Math.sqrt((share * (1 - share)) / total + z2 / (4 * total * total));
  const scale = 1 + z2 / total;
  return [Math.max(0, (middle - half) / scale), Math.min(1, (middle + half) / scale)];
}

/**
 * P(X >= lost) of a fair coin thrown `lost + won` times: the exact one-sided paired (sign or
 * McNemar) test of "the new run is not worse". `lost` counts the cases that were right and are
 * wrong now, `won` those that were wrong and are right.
 */
function lossProbability(lost, won) {
  const n = lost + won;
  if (n === 0) return 1;
  // The sum starts at C(n, lost) / 2^n and uses logarithms, so that a hundred thousand pairs do not overflow.
  let log = -n * Math.LN2;
  for (let k = 1; k <= lost; k++) log += Math.log((n - k + 1) / k);
  let sum = 0;
  for (let k = lost; k <= n; k++) {
    sum += Math.exp(log);
    log += Math.log((n - k) / (k + 1));
  }
  return Math.min(1, sum);
}

/** `{ right, total, share, interval }`. */
const rate = (right, total) => ({
  right,
  total,
  share: total === 0 ? null : right / total,
  interval: wilson(right, total),
});

module.exports = { wilson, lossProbability, rate };
