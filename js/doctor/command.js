'use strict';
// The command intent-runtime-doctor: its output, in order.

const { IntentError } = require('../errors.js');
const { createApiExecutor } = require('../adapters/api.js');
const { examine, MOST_REQUESTS } = require('./index.js');
const { modelsOf } = require('./models.js');
const { shown } = require('../text.js');

/** Writes a value as JavaScript source. */
const literal = (value) => {
  if (typeof value === 'string') return `'${value.replace(/[\\']/g, '\\$&')}'`;
  if (typeof value !== 'object' || value === null) return String(value);
  const members = Object.entries(value).map(([name, one]) => {
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name);
    return `${key}: ${literal(one)}`;
  });
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
};

const ORDER = ['provider', 'protocol', 'baseURL', 'model', 'format', 'outputLimit', 'body'];

/** Writes the call, ready to paste. */
const callOf = ({ options, keyed }) => {
  const lines = ORDER.filter((name) => options[name] !== undefined).map(
    (name) => `  ${name}: ${literal(options[name])},`,
  );
  if (keyed) lines.push('  apiKey: process.env.INTENT_API_KEY,');
  return `const executor = createApiExecutor({\n${lines.join('\n')}\n});`;
};

const differences = ({ protocol = 'responses', format = 'json_schema', outputLimit, body }) =>
  [protocol, format, outputLimit, body && `body ${literal(body)}`].filter(Boolean).join(', ');

const lineOf = ({ request, purpose, options, outcome, status, message }) => {
  const end = status === undefined ? outcome : `HTTP ${status}`;
  const why = message === undefined ? '' : `\n      ${message}`;
  return `${String(request).padStart(3)}  ${purpose}: ${differences(options)}: ${end}${why}\n`;
};

const YES = { true: 'yes', false: 'no', null: 'unknown' };

const honoured = ({ format, schema, outputLimit, usage, reasoningTokens, repairs, right }) => {
  const lines = [
    format === 'json_schema' && `  JSON Schema honoured: ${YES[schema]}`,
    `  output limit honoured: ${YES[outputLimit]}`,
    `  token usage reported: ${YES[usage]}`,
    reasoningTokens > 0 &&
      `  the model thinks first (${reasoningTokens} tokens on a small question); a field of body may switch this off, see the recipes in the documentation`,
    repairs !== undefined && `  answers that needed a repair: ${repairs} of 2`,
    right === false && '  the model read the order number wrong: expect poor data from it',
  ];
  return lines.filter(Boolean).join('\n');
};

const textOf = (result) => {
  const { ok, reason, requests, options, honours } = result;
  const parts = [];
  if (ok) parts.push(`A whole recognition was completed, ${requests} requests in all:`);
  else parts.push(`No recognition was completed, after ${requests} requests. ${reason}`);
  if (options !== null) {
    if (!ok) parts.push('The best options so far:');
    parts.push(callOf(result));
  }
  if (honours !== null) parts.push(`Features of the service:\n${honoured(honours)}`);
  return `\n${parts.join('\n\n')}\n`;
};

/** Removes the key from a text, independent of the text's author. */
const redactor = (apiKey) => (text) =>
  apiKey === undefined || apiKey.length < 4 ? text : text.replaceAll(apiKey, '[key]');

/** Finds the model to ask if the command line names none. */
const chooseModel = async ({ baseURL, apiKey, timeoutMs }) => {
  const models = await modelsOf({ baseURL, apiKey, timeoutMs });
  if (models.length === 1) return models[0];
  const some = models.slice(0, 20).map((name) => `  ${shown(name)}`);
  const more = models.length > some.length ? [`  and ${models.length - some.length} more`] : [];
  const message =
    models.length === 0
      ? 'The service lists no models. Name a model with --model.'
      : `The service has several models. Name one with --model:\n${[...some, ...more].join('\n')}`;
  throw new IntentError('MODEL_REQUEST_FAILED', { message });
};

/** @returns the exit code */
exports.run = async ({ baseURL, model, apiKey, timeoutMs, json }) => {
  const hide = redactor(apiKey);
  const say = (text) => (json ? process.stderr : process.stdout).write(hide(text));
  // A wrong base URL is reported before the first request.
  createApiExecutor({ provider: 'openai', baseURL, model: model ?? 'any', apiKey });
  say(
    `At most ${MOST_REQUESTS} requests go to ${baseURL}. They contain only this package's own questions and none of your data; the longest have about 2,000 tokens.\n`,
  );
  const use = model ?? (await chooseModel({ baseURL, apiKey, timeoutMs }));
  say(`Model: ${shown(use)}\n\n`);
  const on = (entry) => say(lineOf(entry));
  const requests = MOST_REQUESTS - (model === undefined ? 1 : 0);
  const result = await examine({ baseURL, model: use, apiKey, timeoutMs, requests, on });
  if (json) process.stdout.write(`${hide(JSON.stringify(result, null, 2))}\n`);
  else say(textOf(result));
  return result.ok ? 0 : 1;
};
