'use strict';

const { compare } = require('./baseline.js');
const { EvaluationError, readCases } = require('./cases.js');
const { writeHtml, writeJson, readBaseline } = require('./files.js');
const { recording, replaying } = require('./records.js');
const { run } = require('./run.js');
const { score } = require('./score.js');
const { readPublicSet, PUBLIC_SETS } = require('./sets/index.js');
const { checkWrong, goldExecutor } = require('./wrong.js');

/** Runs cases, writes the requested files and returns the report. */
async function evaluate(options) {
  const { baseline, alpha, json, html } = options;
  const before = typeof baseline === 'string' ? readBaseline(baseline) : baseline;
  const { report, journal, discard } = await run(options);
  try {
    if (before !== undefined) report.comparison = compare(before, await outcomes(journal), alpha);
    if (json !== undefined) await writeJson(json, report, journal.cases());
    if (html !== undefined)
      await writeHtml(html, report, journal.cases(), { comparison: report.comparison });
  } finally {
    discard();
  }
  return report;
}

async function outcomes(journal) {
  const all = [];
  for await (const { id, state } of journal.cases())
    if (state !== 'shutOut') all.push([id, state === 'right']);
  return all;
}

module.exports = {
  evaluate,
  checkWrong,
  score,
  readCases,
  readPublicSet,
  PUBLIC_SETS,
  goldExecutor,
  recording,
  replaying,
  EvaluationError,
};
