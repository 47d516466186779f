'use strict';
// The order in which options are tried after a service refused some.

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/** Merges options over others; `body` is merged too, and options with their default are omitted. */
const merged = (options, over) => {
  const next = { ...options, ...over };
  if (over.body !== undefined) next.body = { ...options.body, ...over.body };
  return next;
};

/** The fixes that a message of this package may name, and the options for each. */
const NAMED = [
  [/outputLimit: "max_tokens"/, { outputLimit: 'max_tokens' }],
  [/outputLimit: "max_completion_tokens"/, { outputLimit: 'max_completion_tokens' }],
  [/store: null/, { body: { store: null } }],
  [/enable_thinking: false/, { body: { enable_thinking: false } }],
];

/** The formats, from the most demanding to none. */
const FORMATS = ['json_schema', 'json_object', 'text'];
const lowered = ({ format = 'json_schema' }) => FORMATS[FORMATS.indexOf(format) + 1];

/** All fixes that a message names, together; the formats one after the other. */
const named = (options, message) => {
  let next = options;
  for (const [pattern, over] of NAMED) if (pattern.test(message)) next = merged(next, over);
  if (same(next, options) && /\bformat: "/.test(message) && lowered(options) !== undefined)
    next = merged(options, { format: lowered(options) });
  return next;
};

/** Options that a service may refuse without naming them, one after the other. */
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
 * Returns the options to try after the given ones were refused with this error; `undefined` if none are
 * left.
 *
 * @param {object} options
 * @param {{ message: string, http?: { status: number } }} error
 * @param {(options: object) => boolean} isNew - Returns whether the options were not tried yet.
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
