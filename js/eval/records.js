'use strict';
// Answers on file: a run that was paid for once can be scored again and again, after a change of
// the rules, of the scorer or of an expectation.
//
// The key of an answer is its question's materials (stage and payload). The instructions are not
// part of it, so a recording outlives their wording; each line notes under which it was made.

const { createHash } = require('node:crypto');
const { appendFileSync, existsSync, readFileSync, writeFileSync } = require('node:fs');
const { EvaluationError } = require('./cases.js');

const hash = (text) => createHash('sha256').update(text).digest('base64url').slice(0, 22);
const keyOf = ({ stage, payload }) => hash(`${stage}\n${payload}`);

/** An executor that notes every answer of another one in a JSONL file. */
function recording(executor, file) {
  writeFileSync(file, '');
  return {
    id: executor.id,
    ...(executor.capabilities && { capabilities: executor.capabilities }),
    async generate(request, about) {
      const reply = await executor.generate(request, about);
      const { outcome, text, detail, usage } = reply ?? {};
      const line = {
        key: keyOf(request),
        case: about?.case?.id,
        stage: request.stage,
        instructions: hash(request.instructions),
        reply: { outcome, text, detail, usage },
      };
      appendFileSync(file, `${JSON.stringify(line)}\n`);
      return reply;
    },
  };
}

/** An executor that answers from such a file, and fails for a question that it does not hold. */
function replaying(file) {
  if (!existsSync(file)) throw new EvaluationError(`--replay ${file}: there is no such file.`);
  const replies = new Map();
  const instructions = new Map();
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    if (line.trim() === '') continue;
    const entry = JSON.parse(line);
    replies.set(entry.key, entry.reply);
    instructions.set(entry.key, entry.instructions);
  }
  const told = { id: `replay:${file}`, otherInstructions: 0 };
  return Object.assign(told, {
    async generate(request, about) {
      const key = keyOf(request);
      const reply = replies.get(key);
      if (reply === undefined)
        throw new EvaluationError(
          `${file} holds no answer to the ${request.stage} question of ${about?.case?.id}: ` +
            'record again with --record.',
        );
      if (instructions.get(key) !== hash(request.instructions)) told.otherInstructions += 1;
      return reply;
    },
  });
}

module.exports = { recording, replaying };
