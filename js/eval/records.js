'use strict';
// Answers on file: a run that was paid for once can be scored again and again, after a change of
// the rules, of the scorer or of an expectation. One line for each answer, so that a file of any size
// grows at its end.

const { appendFileSync, existsSync, readFileSync, writeFileSync } = require('node:fs');
const { recorder, replayer } = require('../records.js');
const { EvaluationError } = require('./cases.js');

/** An executor that notes every answer of another one in a JSONL file. */
function recording(executor, file) {
  writeFileSync(file, '');
  return recorder(executor, ({ key, ...entry }, _, about) => {
    appendFileSync(file, `${JSON.stringify({ key, case: about?.case?.id, ...entry })}\n`);
  });
}

/** An executor that answers from such a file, and fails for a question that it does not hold. */
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
        `${file} holds no answer to the ${stage} question of ${about?.case?.id}: record again with --record.`,
      ),
  );
}

module.exports = { recording, replaying };
