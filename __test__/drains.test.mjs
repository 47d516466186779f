// An answer of a JavaScript executor is attended to in the call that brings it: the addon asks the event
// loop for nothing more.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** Counts the calls that come back from the addon, in a process of its own. */
const count = (work) => {
  const script = `
    const native = require('./js/addon.js');
    let calls = 0;
    const { Host } = native;
    native.Host = class extends Host {
      constructor(notify) {
        super(() => { calls++; notify(); });
      }
    };
    const { Intent } = require('@devcodex/intent-runtime');
    const turn = () => new Promise((resolve) => setTimeout(resolve, 20));
    import('./__test__/hosts/candidate.mjs').then(async ({ core, executor, silent }) => {
      const request = { input: 'Query order 000123.', fields: [] };
      ${work}
      await turn();
      console.log(calls);
    });`;
  const run = spawnSync(process.execPath, ['-e', script], {
    cwd: join(import.meta.dirname, '..'),
    encoding: 'utf8',
  });
  expect(run.stderr).toBe('');
  return Number(run.stdout);
};

test('of a thousand answers none posts a call', () => {
  const parses = `
    const intent = new Intent({ executor });
    for (let i = 0; i < 1000; i++) {
      await intent.parse(request);
      // Calls that are posted are made between turns of the event loop, several as one.
      await new Promise(setImmediate);
    }`;
  expect(count(parses)).toBe(0);
});

test('nor does an error, a repair, an abort or a disposal', () => {
  const endings = `
    const failing = { id: 'x', generate: () => Promise.reject(new Error('no')) };
    const texts = ['{', core];
    const mending = { id: 'x', generate: async () => ({ outcome: 'complete', text: texts.shift() }) };
    await new Intent({ executor: failing }).parse(request).catch(() => {});
    await new Intent({ executor: mending }).parse(request);
    const controller = new AbortController();
    const intent = new Intent({ executor: silent });
    const parses = [intent.parse({ ...request, signal: controller.signal }), intent.parse(request)];
    for (const parse of parses) parse.catch(() => {});
    controller.abort();
    await turn();
    intent.dispose();
    await Promise.allSettled(parses);`;
  expect(count(endings)).toBe(0);
});

test('a deadline does, since it comes from a timer of the addon', () => {
  expect(
    count('await new Intent({ executor: silent, timeoutMs: 10 }).parse(request).catch(() => {});'),
  ).toBeGreaterThan(0);
});
