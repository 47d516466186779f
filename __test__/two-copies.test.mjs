// Two copies of the package in one process: a bundle that holds one, a second node_modules, a test
// runner that loads modules anew. What one of them says, the other understands.

import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { core } from './hosts/candidate.mjs';

const root = join(import.meta.dirname, '..');
const require = createRequire(import.meta.url);
const request = { input: 'Query order 000123.', fields: [] };

/** @type {Record<string, { main: object, api: object }>} */
const copies = {};
let folder;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'intent-copy-'));
  for (const part of ['js', 'package.json'])
    cpSync(join(root, part), join(folder, part), { recursive: true });
  const load = (from) => ({
    main: require(join(from, 'js/index.js')),
    api: require(join(from, 'js/adapters/api.js')),
  });
  copies.own = load(root);
  // The same files again, with another registry of modules: the addon is the same one.
  const cached = Object.keys(require.cache).filter((file) => file.startsWith(join(root, 'js')));
  for (const file of cached) if (file.endsWith('.js')) delete require.cache[file];
  copies.again = load(root);
  copies.elsewhere = load(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const pairs = [
  ['own', 'again'],
  ['again', 'own'],
  ['own', 'elsewhere'],
  ['elsewhere', 'own'],
];

test('they are copies', () => {
  const classes = Object.values(copies).map(({ main }) => main.IntentError);
  expect(new Set(classes).size).toBe(3);
});

describe.each(pairs)('an Intent of %s, with things of %s', (one, other) => {
  const parse = (executor) => new copies[one].main.Intent({ executor }).parse(request);
  const failing = (thrown) =>
    parse({ id: 'x', generate: () => Promise.reject(thrown) }).then(expect.fail, (error) => error);

  test('an error passes through with its code, stage, message, issues and facts', async () => {
    const { IntentError } = copies[other].main;
    const issue = { code: 'MODEL_RATE_LIMITED', category: 'processing', path: null, message: 'i' };
    const http = { status: 429, retryAfterMs: 1000 };
    const thrown = new IntentError('MODEL_RATE_LIMITED', {
      stage: 'model',
      message: 'Too many.',
      issues: [issue],
      http,
    });
    const error = await failing(thrown);
    expect(error).toMatchObject({ code: 'MODEL_RATE_LIMITED', stage: 'model', http });
    expect(error.message).toBe(thrown.message);
    expect(error.issues).toEqual([issue]);
    expect(error.retryable).toBe(true);
    expect(error.cause).toBe(thrown);
  });

  test('instanceof holds across copies, by class', () => {
    const [{ IntentError, IntentDataError }, theirs] = [copies[one].main, copies[other].main];
    const plain = new theirs.IntentError('MODEL_TIMEOUT');
    const data = new theirs.IntentDataError('DATA_EXTRACTION_FAILED');
    expect(plain instanceof IntentError).toBe(true);
    expect(plain instanceof IntentDataError).toBe(false);
    expect(data instanceof IntentError).toBe(true);
    expect(data instanceof IntentDataError).toBe(true);
    expect(new Error('x') instanceof IntentError).toBe(false);
    expect({ name: 'IntentError', code: 'MODEL_TIMEOUT' } instanceof IntentError).toBe(false);
  });

  test.each([
    [401, 'MODEL_AUTH_FAILED'],
    [429, 'MODEL_RATE_LIMITED'],
    [503, 'MODEL_REQUEST_FAILED'],
    [200, undefined],
  ])('an API executor that is answered %i', async (status, code) => {
    const message = { role: 'assistant', content: core };
    const server = createServer((asked, answer) => {
      answer.statusCode = status;
      const body = { choices: [{ finish_reason: 'stop', message }] };
      asked.resume().on('end', () => answer.end(JSON.stringify(status === 200 ? body : {})));
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    const executor = copies[other].api.createApiExecutor({
      provider: 'openai',
      protocol: 'chat-completions',
      model: 'm',
      apiKey: 'k',
      baseURL: `http://127.0.0.1:${server.address().port}/v1`,
    });
    const told = await parse(executor).then(
      ({ primaryIntent }) => primaryIntent,
      (error) => [error.code, error.stage, error.http?.status],
    );
    expect(told).toEqual(code === undefined ? 'Query order 000123' : [code, 'model', status]);
    server.close();
    server.closeAllConnections();
  });
});
