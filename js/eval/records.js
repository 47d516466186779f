'use strict';
// Recorded answers: a paid run can be scored again after a change of the rules, the scorer or an
// expectation. The file has one line for each answer, so it can be appended to at any size.

const { appendFileSync, existsSync, readFileSync, writeFileSync } = require('node:fs');
const { recorder, replayer } = require('../records.js');
const { EvaluationError } = require('./cases.js');

/** Makes an executor that writes every answer of another executor to a JSONL file. */
function recording(executor, file) {
  writeFileSync(file, '');
  return recorder(executor, ({ key, ...entry }, _, about) => {
    appendFileSync(file, `${JSON.stringify({ key, case: about?.case?.id, ...entry })}\n`);
  });
}

/** Makes an executor that answers from such a file, and fails for a question that is not in it. */
function replaying(file) {
  if (!existsSync(file)) throw new EvaluationError(`--replay ${file}: there is no such file.`);
  const entries = new Map();
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    if (line.trim() === '') continue;
    const entry = JSON.parse(line);
    entries.set(entry.key, entry);
  }
  return replayer(
    `replay:${file}`,
    entries,
    ({ stage }, about) =>
      new EvaluationError(
        `${file} has no answer to the ${stage} question of ${about?.case?.id}. Record it again with --record.`,
      ),
  );
}

module.exports = { recording, replaying };
