'use strict';
// Scores the wrong answers of cases: the scorer must rate each as wrong, by the check that it names. A
// set whose wrong answers pass does not measure anything.

const { answerFrom } = require('./candidates.js');
const { run } = require('./run.js');

/** Makes an executor that answers every question with the gold answer of its case. */
const goldExecutor = () => ({
  id: 'gold',
  generate: async (request, { case: one } = {}) => answerFrom(one?.gold, request),
});

/**
 * @returns {Promise<{ total: number, caught: number, missed: { id, check, why, got }[] }>}
 */
async function checkWrong(options) {
  const found = { total: 0, caught: 0, missed: [], checks: {} };
  const { discard } = await run({
    ...options,
    cases: () => wrongCases(options.cases),
    executor: goldExecutor(),
    config: { ...options.config, repairAttempts: 0 },
    onCase: (entry, one) => note(found, entry, JSON.parse(one.note)),
  });
  discard();
  return found;
}

/** Makes a case for each wrong answer. */
async function* wrongCases(cases) {
  const { readCases } = require('./cases.js');
  const given = typeof cases === 'string' ? readCases(cases) : cases;
  for await (const one of given)
    for (const [i, { check, why, core, data }] of (one.wrong ?? []).entries()) {
      const { core: goldCore, data: goldData } = one.gold ?? {};
      const gold = { core: merged(goldCore, core), data: merged(goldData, data) };
      const note = JSON.stringify({ check, why });
      yield { ...one, id: `${one.id}#${i + 1}`, gold, wrong: undefined, note };
    }
}

/** Merges a wrong answer, which has only the keys that differ, with the gold answer. */
const merged = (gold, wrong) =>
  wrong === undefined || typeof wrong === 'string' ? (wrong ?? gold) : { ...gold, ...wrong };

function note(found, entry, { check, why }) {
  found.total += 1;
  found.checks[check] = (found.checks[check] ?? 0) + 1;
  const failed = (entry.failed ?? []).map((one) => one.check);
  const rejected = entry.ended?.code === 'MODEL_OUTPUT_INVALID';
  const caught = check === 'rejected' ? rejected : !rejected && failed.includes(check);
  if (caught) found.caught += 1;
  else found.missed.push({ id: entry.id, check, why, failed, got: entry.got ?? entry.why ?? null });
}

module.exports = { goldExecutor, checkWrong };
