// The signals that executors are given: what their listeners do stays with them.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

/** A script with `parse(listen, end)`; prints the outcome and what reached the process. */
const run = (code) => {
  const script = `
    import { Intent } from '@devcodex/intent-runtime';
    import { core } from './__test__/hosts/candidate.mjs';
    process.on('uncaughtException', (error) => console.log('uncaught', String(error)));
    process.on('unhandledRejection', (error) => console.log('unhandled', String(error)));
    const boom = () => { throw new Error('boom'); };
    const parse = async (listen, signal) => {
      const generate = async (request) => {
        listen(request.signal);
        return signal ? new Promise(() => {}) : { outcome: 'complete', text: core };
      };
      const intent = new Intent({ executor: { id: 'x', generate } });
      try {
        const { primaryIntent } = await intent.parse({ input: 'Query order 000123.', fields: [], signal });
        console.log(primaryIntent);
      } catch ({ code }) {
        console.log(code);
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    };
    ${code}`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: join(import.meta.dirname, '..'),
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return stdout.trim().split('\n');
};

const LISTENERS = {
  'a listener that throws': "(signal) => signal.addEventListener('abort', boom)",
  'a listener once': "(signal) => signal.addEventListener('abort', boom, { once: true })",
  'an object that handles events':
    "(signal) => signal.addEventListener('abort', { handleEvent: boom })",
  'an object that handles none': "(signal) => signal.addEventListener('abort', {})",
  'an async listener': "(signal) => signal.addEventListener('abort', async () => boom())",
  onabort: '(signal) => { signal.onabort = boom; }',
  'a listener after the end':
    "(signal) => setTimeout(() => signal.addEventListener('abort', boom), 5)",
};

describe('a listener that fails has no effect and causes no uncaught exception', () => {
  test.each(Object.entries(LISTENERS))('after a good reply: %s', (_, listen) => {
    expect(run(`await parse(${listen});`)).toEqual(['Query order 000123']);
  });

  test.each(Object.entries(LISTENERS))('after an abort: %s', (_, listen) => {
    expect(run(`await parse(${listen}, AbortSignal.timeout(5));`)).toEqual(['MODEL_ABORTED']);
  });
});

describe('the signal is still an AbortSignal', () => {
  test('it has the class, fires once for each listener, and lets go of one', () => {
    expect(
      run(`
        let heard = 0;
        const hear = () => heard++;
        await parse((signal) => {
          console.log(signal instanceof AbortSignal, signal.aborted);
          signal.addEventListener('abort', hear);
          signal.addEventListener('abort', hear);
          signal.onabort = hear;
          console.log(signal.onabort === hear);
          const gone = () => console.log('not removed');
          signal.addEventListener('abort', gone);
          signal.removeEventListener('abort', gone);
          signal.addEventListener('abort', function (event) {
            console.log(this === signal, event.type, signal.aborted);
          });
        });
        console.log(heard);`),
    ).toEqual(['true false', 'true', 'true abort true', 'Query order 000123', '2']);
  });

  test('fetch and AbortSignal.any take it', () => {
    expect(
      run(`
        let signals;
        await parse((signal) => { signals = [signal, AbortSignal.any([signal])]; });
        console.log(signals.map(({ aborted }) => aborted));
        await fetch('http://127.0.0.1:9/', { signal: signals[0] }).catch((error) => console.log(error === signals[0].reason));`),
    ).toEqual(['Query order 000123', '[ true, true ]', 'true']);
  });
});
