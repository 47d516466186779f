'use strict';
// Writes a report as text for the terminal of intent-runtime-eval.

const { costOf, percent, short } = require('./progress.js');

const MOST_CASES = 20;
const MOST_ROWS = 12;

/**
 * @param {object} report - The summary of js/eval/summary.js.
 * @param {object} [more]
 * @param {object} [more.prices] - Prices for tokens, to show a cost.
 * @param {object} [more.comparison] - The comparison with a baseline.
 * @param {object[]} [more.wrong] - The cases that are not right, those without an answer among them.
 * @param {object} [more.missed] - What the scorer made of answers that were made wrong on purpose.
 * @returns {string}
 */
function terminalReport(report, { prices, comparison, wrong, missed } = {}) {
  const lines = [headline(report)];
  const section = (title, rows) => rows.length > 0 && lines.push('', title, ...rows);
  section('By language', ratesOf(report.langs));
  section('By tag', ratesOf(report.tags));
  const failing = Object.entries(report.checks).filter(([, { right, total }]) => right < total);
  section('Checks that failed', ratesOf(Object.fromEntries(failing)));
  section('By stage', Object.entries(report.stages).flatMap(stageLines));
  section('Causes of repairs', countsOf(report.causes));
  section('Errors', countsOf(report.ends));
  section('Shut out', countsOf(report.shutOut.reasons));
  if (prices) section('Cost', [`  ${costOf(tokensOf(report), prices).toFixed(4)}`]);
  if (wrong?.length) section('Not right', wrongLines(wrong, report));
  if (comparison) section('Against the baseline', comparisonLines(comparison));
  if (missed) section('Wrong answers', missedLines(missed));
  return `${lines.join('\n')}\n`;
}

function headline({ right, wrong, failed, shutOut, total, executor, interrupted }) {
  const [low, high] = right.interval ?? [0, 0];
  const share = right.share === null ? 'nothing judged' : `${percent(right.share)} right`;
  const rest = [
    wrong && `${wrong} wrong`,
    failed && `${failed} without an answer`,
    shutOut.total && `${shutOut.total} shut out`,
  ].filter(Boolean);
  const ended = interrupted ? ' (interrupted)' : '';
  return (
    `${executor}: ${share} (${right.right} of ${right.total}; 95 % interval ` +
    `${percent(low)} to ${percent(high)})${rest.length ? `; ${rest.join(', ')}` : ''}` +
    `${right.total + shutOut.total < total ? `; ${total} in all` : ''}${ended}`
  );
}

function ratesOf(rates) {
  const rows = Object.entries(rates).sort(([, a], [, b]) => a.share - b.share);
  const width = Math.max(0, ...rows.map(([name]) => name.length));
  return rows.map(
    ([name, { right, total, share }]) =>
      `  ${name.padEnd(width)}  ${percent(share).padStart(7)}  ${right}/${total}`,
  );
}

function stageLines([name, stage]) {
  if (stage.questions === 0) return [];
  const { firstAnswerAccepted: first, repairs, repaired, time, inputTokens, outputTokens } = stage;
  const tokens = [inputTokens, outputTokens].map((sum) => (sum ? short(sum.sum) : 'unknown'));
  return [
    `  ${name}: ${stage.questions} questions, first answer accepted ${percent(first.share)}, ` +
      `${repairs} repairs (${repaired} succeeded)` +
      (time ? `, median ${time.median.toFixed(1)} ms, p95 ${time.p95.toFixed(1)} ms` : '') +
      `, tokens ${tokens[0]} in, ${tokens[1]} out`,
  ];
}

function countsOf(list) {
  const rows = list.slice(0, MOST_ROWS).map(({ what, times }) => `  ${times} x ${what}`);
  if (list.length > MOST_ROWS) rows.push(`  and ${list.length - MOST_ROWS} more`);
  return rows;
}

function wrongLines(wrong, report) {
  const rows = wrong.slice(0, MOST_CASES).map(({ id, failed = [] }) => {
    const names = failed.map(({ check }) => check);
    return `  ${id}: ${names.slice(0, 4).join(', ')}${names.length > 4 ? ', ...' : ''}`;
  });
  const more = report.wrong + report.failed - rows.length;
  if (more > 0) rows.push(`  and ${more} more; the HTML report has them (--html)`);
  return rows;
}

function comparisonLines({ paired, lost, won, probability, significantLoss, alpha }) {
  const verdict = significantLoss
    ? `a significant loss (p = ${probability.toPrecision(2)}, below ${alpha})`
    : `no significant loss (p = ${probability.toPrecision(2)})`;
  const rows = [`  ${paired} cases in both: ${won.length} won, ${lost.length} lost: ${verdict}`];
  if (lost.length > 0)
    rows.push(`  lost: ${lost.slice(0, 10).join(', ')}${lost.length > 10 ? ', ...' : ''}`);
  return rows;
}

function missedLines({ total, caught, missed }) {
  const rows = [`  ${caught} of ${total} caught by the check that they name`];
  for (const { id, check, why, failed } of missed.slice(0, MOST_CASES))
    rows.push(
      `  missed: ${id} (${check}: ${why}); failed instead: ${failed.join(', ') || 'nothing'}`,
    );
  return rows;
}

const tokensOf = ({ stages }) => ({
  inputTokens: (stages.core.inputTokens?.sum ?? 0) + (stages.data.inputTokens?.sum ?? 0),
  outputTokens: (stages.core.outputTokens?.sum ?? 0) + (stages.data.outputTokens?.sum ?? 0),
});

module.exports = { terminalReport };
