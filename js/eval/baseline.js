'use strict';
// Compares two runs of the same cases by an exact paired test.

const { lossProbability } = require('./stats.js');

/**
 * @param {Iterable<[string, boolean]>} before - Cases of the older run, and whether they were right.
 * @param {Iterable<[string, boolean]>} after - The same for the newer run.
 * @param {number} [alpha] - A loss below this probability is significant.
 */
function compare(before, after, alpha = 0.05) {
  const old = new Map(before);
  const lost = [];
  const won = [];
  let paired = 0;
  for (const [id, right] of after) {
    const was = old.get(id);
    if (was === undefined) continue;
    paired += 1;
    if (was && !right) lost.push(id);
    if (!was && right) won.push(id);
  }
  const probability = lossProbability(lost.length, won.length);
  return { paired, lost, won, probability, alpha, significantLoss: probability < alpha };
}

module.exports = { compare };
