'use strict';
// Recorded answers: the part that the evaluation and the testing entry share.
//
// The key of an answer is the materials of its question (stage and payload). The instructions are not
// part of it, so a recording remains valid when their wording changes; each entry records the instructions
// that it was made under.

const { createHash } = require('node:crypto');

const hash = (text) => createHash('sha256').update(text).digest('base64url').slice(0, 22);
const keyOf = ({ stage, payload }) => hash(`${stage}\n${payload}`);

/** Makes an executor that passes every answer of another executor to `note(entry, request, about)`. */
const recorder = (executor, note) => ({
  id: executor.id,
  ...(executor.capabilities && { capabilities: executor.capabilities }),
  async generate(request, about) {
    const reply = await executor.generate(request, about);
    const { outcome, text, detail, usage } = reply ?? {};
    const entry = {
      key: keyOf(request),
      stage: request.stage,
      instructions: hash(request.instructions),
      reply: { outcome, text, detail, usage },
    };
    note(entry, request, about);
    return reply;
  },
});

/**
 * Makes an executor that answers from entries by key. `missing(request, about)` returns the error for a
 * question without an entry. `otherInstructions` counts the answers that were made under other instructions.
 */
const replayer = (id, entries, missing) => {
  const executor = { id, otherInstructions: 0 };
  return Object.assign(executor, {
    async generate(request, about) {
      const entry = entries.get(keyOf(request));
      if (entry === undefined) throw missing(request, about);
      if (entry.instructions !== hash(request.instructions)) executor.otherInstructions += 1;
      return entry.reply;
    },
  });
};

module.exports = { recorder, replayer };
