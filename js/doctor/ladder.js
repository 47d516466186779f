'use strict';
// The order in which options are tried after a service refused some.

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/** Merges options over others; `body` is merged too, and options with their default are omitted. */
const mergeOptions = (options, over) => {
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
const lowerFormat = ({ format = 'json_schema' }) => FORMATS[FORMATS.indexOf(format) + 1];

/** All fixes that a message names, together; the formats one after the other. */
const applyNamedFixes = (options, message) => {
  let next = options;
  for (const [pattern, over] of NAMED) if (pattern.test(message)) next = mergeOptions(next, over);
  if (same(next, options) && /\bformat: "/.test(message) && lowerFormat(options) !== undefined)
    next = mergeOptions(options, { format: lowerFormat(options) });
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
  (options) => lowerFormat(options) === 'json_object' && { format: 'json_object' },
  ({ body }) => body?.enable_thinking === undefined && { body: { enable_thinking: false } },
  (options) => {
    const { enable_thinking: _, ...body } = options.body ?? {};
    return lowerFormat(options) === 'text' && { format: 'text', body };
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
  const fixed = applyNamedFixes(options, error.message);
  if (!same(fixed, options) && isNew(fixed)) return fixed;
  for (const step of SILENT) {
    const over = step(options);
    const next = over && mergeOptions(options, over);
    if (next && isNew(next)) return next;
  }
  return undefined;
};

exports.mergeOptions = mergeOptions;
exports.lowerFormat = lowerFormat;
