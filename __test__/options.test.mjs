// What an option must be is said in one way, whether JSON can carry the value that was given or not.

import { DEFAULT_LIMITS, Intent } from '@devcodex/intent-runtime';
import { createApiExecutor } from '@devcodex/intent-runtime/adapters/api';
import { createIntentBridge } from '@devcodex/intent-runtime/bridge';
import { describe, expect, test } from 'vitest';

const LONE = 'a\ud800b';

const messageOf = (make) => {
  try {
    make();
  } catch ({ code, message }) {
    expect(code).toBe('CONFIG_INVALID');
    return message;
  }
  return expect.fail('it was taken');
};

const intent = (options) => () => new Intent(options);
const limit = (options) => intent({ limits: options });
const bridge = (options) => () =>
  createIntentBridge({ instances: { default: new Intent() }, ...options });
const api = (options) => () =>
  createApiExecutor({ provider: 'openai', model: 'm', apiKey: 'k', ...options });

const rows = [
  ...[
    'language',
    'timeoutMs',
    'repairAttempts',
    'unknownKeywords',
    'dataWithoutIntent',
    'proof',
  ].map((name) => [name, intent]),
  ...Object.keys(DEFAULT_LIMITS).map((name) => [name, limit]),
  ...['maxJobs', 'maxReplayEntries', 'maxReplayBytes', 'jobTtlMs', 'replayTtlMs'].map((name) => [
    name,
    bridge,
  ]),
  ...[
    'provider',
    'protocol',
    'model',
    'baseURL',
    'maxOutputTokens',
    'maxResponseBytes',
    'format',
    'outputLimit',
  ].map((name) => [name, api]),
  ['limits', intent],
  ['evidence', intent],
  ['evidenceFrom', intent],
  ['headers', api],
  ['body', api],
  ['evidence["/a.b"]', (level) => intent({ evidence: { '/x': 'any', '/a.b': level.v } }), 'v'],
  ['evidenceFrom[1]', (source) => intent({ evidenceFrom: ['input', source.v] }), 'v'],
  ['headers["x-a"]', (header) => api({ headers: { 'x-b': '', 'x-a': header.v } }), 'v'],
];

describe('what an option must be', () => {
  test.each(rows)('%s', (place, make, name = place) => {
    const ofJson = messageOf(make({ [name]: null }));
    const [must, got] = ofJson.split(', got ');
    expect(got).toBe('null.');
    expect(must).toMatch(/^(\w+\.)?[^ ]+ must be /);
    for (const [value, kind] of [
      [1n, 'a bigint'],
      [() => {}, 'a function'],
      [Symbol('s'), 'a symbol'],
      [Number.NaN, 'NaN'],
      [Number.NEGATIVE_INFINITY, '-Infinity'],
      [new Date(0), 'an instance of Date'],
    ]) {
      // `limits` is read as a plain object; a class instance gets advice.
      const message = messageOf(make({ [name]: value }));
      expect(message.replace('; copy its properties into one: { ...it }', '')).toBe(
        `${must}, got ${kind}.`,
      );
    }
    if (name === 'limits') return;
    const lone = messageOf(make({ [name]: LONE }));
    const [shown] = must.split(' must be ');
    expect(lone).toBe(`${shown} holds a lone surrogate, which no text can carry.`);
  });

  test('the first option that is wrong is told, in the order of the options', () => {
    const wrong = { proof: 1n, evidenceFrom: [1n], limits: { maxInputBytes: 0 }, timeoutMs: NaN };
    const told = () => messageOf(intent(wrong));
    for (const name of ['timeoutMs', 'limits', 'evidenceFrom', 'proof']) {
      expect(told()).toMatch(new RegExp(`^${name}`));
      if (name !== 'proof') delete wrong[name];
    }
    expect(messageOf(intent({ ...wrong, other: 1 }))).toMatch(/^config: unknown key "other"/);
  });

  test('a header whose name holds the key is not named', () => {
    for (const value of [1n, LONE, undefined])
      expect(messageOf(api({ apiKey: 'the-key', headers: { 'x-the-key': value } }))).toMatch(
        /^headers: one of them /,
      );
  });

  test('apiKey', () => {
    const must = 'apiKey must be a string or a function that gives one, got';
    expect(messageOf(api({ apiKey: null }))).toBe(`${must} null.`);
    expect(messageOf(api({ apiKey: 1n }))).toBe(`${must} a bigint.`);
  });
});
