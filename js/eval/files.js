'use strict';
// Writes a report as files: JSON, which later runs are compared with, and one HTML page. Both are
// streamed from the journal, so memory does not depend on their size.

const { closeSync, openSync, readFileSync, renameSync, writeSync } = require('node:fs');
const { EvaluationError } = require('./cases.js');
const { pageBegin, pageEnd, pageEntry } = require('./page.js');

/** The largest number of cases on a page; browsers remain fast with this number. */
const MOST_ON_PAGE = 10_000;

/** `{ ...report, cases: { id: 1 | 0 } }`. */
async function writeJson(file, report, entries) {
  await writeAtomically(file, async (write) => {
    const head = JSON.stringify(report, null, 2);
    write(`${head.slice(0, -2)},\n  "cases": {`);
    let first = true;
    for await (const { id, state } of entries) {
      if (state === 'shutOut') continue;
      write(`${first ? '' : ','}\n    ${JSON.stringify(id)}: ${state === 'right' ? 1 : 0}`);
      first = false;
    }
    write('\n  }\n}\n');
  });
}

/** Reads the cases of an older report, and whether each was right. */
function readBaseline(file) {
  let report;
  try {
    report = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new EvaluationError(`--baseline ${file} cannot be read: ${error.message}`);
  }
  if (report?.format !== 1 || typeof report.cases !== 'object')
    throw new EvaluationError(
      `--baseline ${file} is no report of this command (--json writes one).`,
    );
  return Object.entries(report.cases).map(([id, right]) => [id, right === 1]);
}

async function writeHtml(file, report, entries, extras) {
  await writeAtomically(file, async (write) => {
    write(pageBegin(report, extras));
    let count = 0;
    for await (const entry of entries) {
      if (entry.state === 'right') continue;
      if (count < MOST_ON_PAGE) write(`${count === 0 ? '' : ',\n'}${pageEntry(entry)}`);
      count += 1;
    }
    write(pageEnd(Math.max(0, count - MOST_ON_PAGE)));
  });
}

/** Writes a file completely or not at all. */
async function writeAtomically(file, fill) {
  const partial = `${file}.new`;
  const descriptor = openSync(partial, 'w');
  let buffer = '';
  const flush = () => {
    writeSync(descriptor, buffer);
    buffer = '';
  };
  try {
    await fill((text) => {
      buffer += text;
      if (buffer.length > 65_536) flush();
    });
    flush();
  } finally {
    closeSync(descriptor);
  }
  renameSync(partial, file);
}

module.exports = { writeJson, writeHtml, readBaseline };
