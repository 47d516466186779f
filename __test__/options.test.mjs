// What an option must be is said in one way, whether JavaScript refuses a value that JSON cannot carry, or
// Rust one of a wrong type or range.

import { DEFAULT_LIMITS, Intent } from '@devcodex/intent-runtime';
import { createApiExecutor } from '@devcodex/intent-runtime/adapters/api';
import { createIntentBridge } from '@devcodex/intent-runtime/bridge';
import { describe, expect, test } from 'vitest';

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
];

describe('what an option must be', () => {
  test.each(rows)('%s', (name, make) => {
    const ofJson = messageOf(make({ [name]: null }));
    const [must, got] = ofJson.split(', got ');
    expect(got).toBe('null.');
    expect(must).toMatch(/^[\w.]+ must be /);
    for (const [value, kind] of [
      [1n, 'a bigint'],
      [() => {}, 'a function'],
      [Number.NaN, 'NaN'],
      [new Date(0), 'an instance of Date'],
    ])
      expect(messageOf(make({ [name]: value }))).toBe(`${must}, got ${kind}.`);
  });
});
