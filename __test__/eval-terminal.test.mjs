// The output of the command while it runs, and its state after Ctrl-C.

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

const root = join(import.meta.dirname, '..');
const { Progress } = createRequire(import.meta.url)('../js/eval/progress.js');
const folder = mkdtempSync(join(tmpdir(), 'intent-eval-terminal-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('progress', () => {
  beforeEach(() => vi.useFakeTimers({ toFake: ['performance'] }));
  afterEach(() => vi.useRealTimers());

  const stateAt = (done) => ({
    done,
    total: 1000,
    right: done / 2,
    judged: done,
    seconds: done / 20,
    resumed: 0,
    inputTokens: 20_000,
    outputTokens: 5_000,
  });
  const shownOn = (stream, prices) => {
    const written = [];
    const progress = new Progress({ ...stream, write: (text) => written.push(text) }, prices);
    for (let ms = 0; ms <= 30_000; ms += 50) {
      vi.advanceTimersByTime(50);
      progress.show(stateAt(100 + ms / 50));
    }
    const during = [...written];
    progress.end();
    return { during, after: written.slice(during.length) };
  };

  it('is one line that changes on a terminal, within its width, and goes away', () => {
    const { during, after } = shownOn({ isTTY: true, columns: 30 }, { input: 1, output: 2 });
    expect(during.length).toBeGreaterThan(200);
    for (const text of during) {
      expect(text.startsWith('\r\u001b[K')).toBe(true);
      expect(text).not.toContain('\n');
      expect(text.length - '\r\u001b[K'.length).toBeLessThan(30);
    }
    expect(after).toEqual(['\r\u001b[K']);
  });

  it('shows rate, tokens, cost and remaining time', () => {
    const { during } = shownOn({ isTTY: true, columns: 200 }, { input: 1, output: 2 });
    expect(during[0]).toMatch(
      /\d+\/1000 {2}50\.0 % right {2}20\/s {2}20k \+ 5000 tokens {2}cost 0\.0300 {2}\d+ s left$/,
    );
  });

  it('is a plain line every ten seconds elsewhere, without control characters', () => {
    const { during, after } = shownOn({ isTTY: false });
    expect(during).toHaveLength(3);
    for (const line of during) expect(line).toMatch(/^[\x20-\x7e]+\n$/);
    expect(after).toEqual([]);
  });
});

it.skipIf(process.platform === 'win32')(
  'Ctrl-C keeps what was done, and a later run goes on from there',
  async () => {
    const cases = join(folder, 'cases.jsonl');
    const journal = join(folder, 'journal.jsonl');
    const json = join(folder, 'report.json');
    const line = (i) => ({
      id: `c${i}`,
      input: `Query order ${i}.`,
      expect: { intents: [{ action: 'query' }] },
      gold: { core: { intents: [{ action: 'query', target: `order ${i}` }] } },
    });
    writeFileSync(
      cases,
      Array.from({ length: 400 }, (_, i) => `${JSON.stringify(line(i))}\n`).join(''),
    );
    const module = join(folder, 'executor.mjs');
    // Answers the first hundred; the next ones never come.
    writeFileSync(
      module,
      `import { createRequire } from 'node:module';
const { goldExecutor } = createRequire(${JSON.stringify(join(root, 'package.json'))})('./js/eval.js');
const gold = goldExecutor();
let asked = 0;
export default { id: 'slow', async generate(request, about) {
  asked += 1;
  if (asked === 101 && !process.env.QUICK) console.log('waiting');
  if (asked > 100 && !process.env.QUICK) await new Promise(() => {});
  return gold.generate(request, about);
} };`,
    );
    const bin = join(root, 'bin', 'intent-runtime-eval.js');
    const args = [bin, cases, '--executor', module, '--journal', journal, '--json', json];
    const run = (more, env) => {
      const child = spawn(process.execPath, [...args, ...more], {
        env: { ...process.env, ...env },
      });
      const said = { stdout: '', stderr: '' };
      for (const name of ['stdout', 'stderr'])
        child[name].on('data', (chunk) => {
          said[name] += chunk;
        });
      const ended = new Promise((resolve) => child.on('close', (code) => resolve({ code })));
      return { child, said, ended };
    };
    const first = run([]);
    await vi.waitFor(() => expect(first.said.stdout).toContain('waiting'), { timeout: 30_000 });
    first.child.kill('SIGINT');
    expect(await first.ended).toEqual({ code: 130 });
    expect(first.said.stderr).toContain('Stopping; what is done is kept.');
    const report = JSON.parse(readFileSync(json, 'utf8'));
    expect(report.interrupted).toBe(true);
    const done = Object.keys(report.cases).length;
    expect(done).toBeGreaterThanOrEqual(90);
    expect(done).toBeLessThanOrEqual(100);
    const second = run(['--resume'], { QUICK: '1' });
    expect(await second.ended).toEqual({ code: 0 });
    expect(Object.keys(JSON.parse(readFileSync(json, 'utf8')).cases)).toHaveLength(400);
  },
  60_000,
);
