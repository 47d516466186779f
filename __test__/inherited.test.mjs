// Properties that a library or an attack writes to Object.prototype must not change any outcome, request or
// message of this package.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** Names that this package reads or writes somewhere, and names that meet every object. */
const NAMES = [
  ...['x', 'schema', 'stage', 'format', 'kind', 'name', 'payload', 'instructions', 'signal'],
  ...['text', 'outcome', 'detail', 'usage', 'model', 'requestId', 'reason', 'cause', 'code'],
  ...[
    'message',
    'issues',
    'path',
    'category',
    'partialResult',
    'data',
    'missing',
    'report',
    'http',
  ],
  ...['limit', 'faults', 'retryable', 'error', 'expiresAt', 'language', 'executor', 'timeoutMs'],
  ...[
    'limits',
    'repairAttempts',
    'evidence',
    'evidenceFrom',
    'proof',
    'input',
    'fields',
    'context',
  ],
  ...['instance', 'role', 'content', 'jobId', 'stepToken', 'candidateText', 'capabilities', 'id'],
  ...['maxInputBytes', 'maxJobs', 'apiKey', 'baseURL', 'headers', 'body', 'outputLimit', 'on'],
  ...['toJSON', 'get', 'set', 'value', 'enumerable', 'onerror', 'onclose', 'transport', 'invalid'],
];

test('nothing that every object inherits changes an outcome', () => {
  const script = join(import.meta.dirname, 'support/inherited.mjs');
  const run = spawnSync(process.execPath, [script, JSON.stringify(NAMES)], {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
    timeout: 240_000,
  });
  expect(run.stderr).toBe('');
  const { differing, wanted } = JSON.parse(run.stdout);
  expect(differing).toEqual([]);
  // The work itself is what it should be, or nothing was shown.
  expect(wanted['two stages']).toContain('"data":{"orderId":"000123"}');
  expect(wanted['an MCP server']).toContain('stepToken');
  expect(wanted['a bridge']).toContain('BRIDGE_JOB_NOT_FOUND');
}, 300_000);
