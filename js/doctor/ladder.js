'use strict';
// Which options come next where a service refused some.

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/** Options with others over them; `body` is merged, and an option that is the default left out. */
const merged = (options, over) => {
  const next = { ...options, ...over };
  if (over.body !== undefined) next.body = { ...options.body, ...over.body };
  return next;
};

/** What a message of this package may name as the mend, and what to write then. */
const NAMED = [
  [/outputLimit: "max_tokens"/, { outputLimit: 'max_tokens' }],
  [/outputLimit: "max_completion_tokens"/, { outputLimit: 'max_completion_tokens' }],
  [/store: null/, { body: { store: null } }],
  [/enable_thinking: false/, { body: { enable_thinking: false } }],
];

/** From the most that can be asked of a service to nothing. */
const FORMATS = ['json_schema', 'json_object', 'text'];
const lowered = ({ format = 'json_schema' }) => FORMATS[FORMATS.indexOf(format) + 1];

/** All that a message names, together; the formats one after the other. */
const named = (options, message) => {
  let next = options;
  for (const [pattern, over] of NAMED) if (pattern.test(message)) next = merged(next, over);
  if (same(next, options) && /\bformat: "/.test(message) && lowered(options) !== undefined)
    next = merged(options, { format: lowered(options) });
  return next;
};

/** What else may be refused without a word about it, one after the other. */
const SILENT = [
  ({ protocol }) => protocol !== 'chat-completions' && { protocol: 'chat-completions' },
  ({ outputLimit, body }) =>
    (outputLimit === undefined || body?.store === undefined) && {
      outputLimit: 'max_tokens',
      body: { store: null },
    },
  (options) => lowered(options) === 'json_object' && { format: 'json_object' },
  ({ body }) => body?.enable_thinking === undefined && { body: { enable_thinking: false } },
  (options) => {
    const { enable_thinking: _, ...body } = options.body ?? {};
    return lowered(options) === 'text' && { format: 'text', body };
  },
];

/**
 * The options to try after these were refused with this error; `undefined` where none are left.
 *
 * @param {object} options
 * @param {{ message: string, http?: { status: number } }} error
 * @param {(options: object) => boolean} isNew whether they were not tried yet
 */
exports.after = (options, error, isNew) => {
  const mend = named(options, error.message);
  if (!same(mend, options) && isNew(mend)) return mend;
  for (const step of SILENT) {
    const over = step(options);
    const next = over && merged(options, over);
    if (next && isNew(next)) return next;
  }
  return undefined;
};

exports.merged = merged;
exports.lowered = lowered;
