// The evaluation kit: the scorer, runs with resume, records and baselines, reports, and the sets.

import { spawn, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  checkWrong,
  EvaluationError,
  evaluate,
  goldExecutor,
  PUBLIC_SETS,
  readCases,
  readPublicSet,
  recording,
  replaying,
  score,
} from '@devcodex/intent-runtime/eval';
import { afterAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const bin = join(root, 'bin/intent-runtime-eval.js');
const ownSet = join(root, 'evaluation/cases.jsonl');
const folder = mkdtempSync(join(tmpdir(), 'intent-eval-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const item = (action, target, more) => ({
  id: 'i1',
  action,
  target,
  requirements: [],
  status: 'ready',
  ...more,
});
const resultOf = (intents, more) => ({
  result: {
    input: 'x',
    normalizedInput: 'x',
    primaryIntent: 'x',
    requirements: [],
    intents,
    prohibitions: [],
    data: {},
    ...more,
  },
});
const failedOf = (expectation, outcome) =>
  score(expectation, outcome).failed.map(({ check }) => check);

const sample = (count, right = () => true) =>
  Array.from({ length: count }, (_, i) => ({
    id: `c${i}`,
    lang: i % 2 ? 'en' : 'zh',
    tags: [i % 3 ? 'a' : 'b'],
    input: `Delete order ${i}.`,
    expect: { intents: [{ action: 'delete', target: String(i) }] },
    gold: {
      core: { intents: [{ action: 'delete', target: right(i) ? `order ${i}` : 'order x' }] },
    },
  }));

describe('the scorer', () => {
  it.each([
    ['a number stands alone', '88', 'order 880', false],
    ['a number is found without grouping', '1234.5', 'pay 1,234.5', true],
    ['a word begins where a word begins', 'port', 'export', false],
    ['a word may go on', 'port', 'two ports', true],
    ['width and case are free', 'ab12', 'ＡＢ１２', true],
    ['space beside Chinese is free', '订单8814', '订单 8814', true],
    ['one of several terms', { all: [['seat', 'chair']] }, 'a chair', true],
    ['none of', { none: ['oslo'] }, 'to Oslo', false],
    ['a pattern', { pattern: '^\\d{3}$' }, '１２３', true],
  ])('%s', (_, wanted, text, right) => {
    const card = score({ intents: [{ target: wanted }] }, resultOf([item('query', text)]));
    expect(card.right).toBe(right);
  });

  it('names the mistake', () => {
    const two = [item('query', 'a'), item('delete', 'b')];
    const wanted = [
      { action: 'query', target: 'a' },
      { action: 'delete', target: 'b' },
    ];
    expect(failedOf({ intents: wanted }, resultOf(two))).toEqual([]);
    expect(failedOf({ intents: wanted }, resultOf([...two].reverse()))).toEqual(['intents/order']);
    const anyOrder = { intents: wanted, order: 'any' };
    expect(failedOf(anyOrder, resultOf([...two].reverse()))).toEqual([]);
    expect(failedOf({ intents: wanted }, resultOf([two[1]]))).toContain('intents/count');
    expect(failedOf({ intents: [{ action: ['modify', 'other'] }] }, resultOf([two[0]]))).toEqual([
      'intents/0/action',
    ]);
    expect(failedOf({ primaryIntent: null }, resultOf([]))).toEqual(['primaryIntent']);
    expect(failedOf({ prohibitions: { count: 0 } }, resultOf([], { prohibitions: ['x'] }))).toEqual(
      ['prohibitions'],
    );
    expect(failedOf({ prohibitions: ['x'] }, resultOf([]))).toEqual(['prohibitions']);
    expect(
      failedOf({ text: { none: ['secret'] } }, resultOf([item('query', 'the secret')])),
    ).toEqual(['text']);
  });

  it('holds data exactly, and by place', () => {
    const got = resultOf([], { data: { a: 1, list: [{ b: 'x' }, { b: 'y' }] } });
    expect(failedOf({ data: { list: [{ b: 'x' }, { b: 'y' }], a: 1 } }, got)).toEqual([]);
    expect(failedOf({ data: { a: 2, list: [] } }, got)).toEqual(['data/a', 'data/list']);
    expect(failedOf({ data: { a: 1 } }, got)).toEqual(['data/list']);
    const values = {
      '/list/1/b': { anyOf: ['y', 'z'] },
      '/none': { absent: true },
      '/a': { min: 2 },
    };
    expect(failedOf({ values }, got)).toEqual(['data/a']);
    expect(
      failedOf(
        { values: { '/list': { sameItems: [{ b: 'Y.' }, { b: ' x' }], loose: true } } },
        got,
      ),
    ).toEqual([]);
    expect(failedOf({ fields: ['a'] }, got)).toEqual(['data/fields']);
  });

  it('wants every issue, by code and place', () => {
    const { result } = resultOf([]);
    const issues = [{ code: 'DATA_REQUIRED_MISSING', path: '/data/a/b' }];
    const error = { code: 'DATA_EXTRACTION_FAILED', issues, partialResult: result };
    const of = (wanted, more) => failedOf({ issues: wanted, ...more }, { error });
    expect(of([{ code: 'DATA_REQUIRED_MISSING', path: ['/data/a/*'] }])).toEqual([]);
    expect(of([{ code: 'DATA_AMBIGUOUS', path: '/data/a/b' }])).toEqual(['issues']);
    expect(of([])).toEqual(['issues']);
    expect(of([], { otherIssues: true })).toEqual([]);
    expect(failedOf({ issues: [] }, resultOf([]))).toEqual(['outcome']);
    expect(failedOf({}, { error: { code: 'MODEL_REFUSED' } })).toEqual(['outcome']);
  });
});

describe('a run', () => {
  it('adds up, by tag and language', async () => {
    const report = await evaluate({
      cases: sample(40, (i) => i % 10 !== 0),
      executor: goldExecutor(),
    });
    expect(report.right).toMatchObject({ right: 36, total: 40, share: 0.9 });
    expect(report.right.interval[0]).toBeCloseTo(0.7695, 3);
    expect(report.right.interval[1]).toBeCloseTo(0.9604, 3);
    expect(report.langs.en.total).toBe(20);
    expect(report.tags.b.right + report.tags.a.right).toBe(36);
    expect(report.checks['intents/*/target'].right).toBe(36);
    expect(report.stages.core.questions).toBe(40);
    expect(report.stages.core.inputTokens).toBeNull();
  });

  it('counts repairs, their causes, and reported tokens', async () => {
    const executor = {
      id: 'mends',
      generate: async (request, about) => {
        if (!request.input.repair && about.case.id === 'c1')
          return { outcome: 'complete', text: '{"intents":[]}', usage: { inputTokens: 7 } };
        const given = request.input.repair
          ? { ...request, input: { ...request.input, repair: undefined } }
          : request;
        const reply = await goldExecutor().generate(given, about);
        return { ...reply, usage: { inputTokens: 10, outputTokens: 2 } };
      },
    };
    const report = await evaluate({ cases: sample(4), executor });
    expect(report.stages.core).toMatchObject({ questions: 4, repairs: 1, repaired: 1 });
    expect(report.stages.core.firstAnswerAccepted.right).toBe(3);
    expect(report.stages.core.inputTokens).toEqual({ sum: 47, calls: 5, untold: 0 });
    expect(report.stages.core.outputTokens).toEqual({ sum: 8, calls: 4, untold: 1 });
    expect(report.causes.map(({ what }) => what).join()).toContain('is missing');
  });

  it('refuses a malformed case before a model is asked', async () => {
    let asked = 0;
    const executor = { id: 'e', generate: async () => ++asked };
    const bad = [...sample(2), { ...sample(1)[0], id: 'z', expect: { intent: [] } }];
    await expect(evaluate({ cases: bad, executor })).rejects.toThrow(
      /cases\[2\] \(id "z"\).*"intent"/,
    );
    await expect(evaluate({ cases: [...sample(1), ...sample(1)], executor })).rejects.toThrow(
      EvaluationError,
    );
    for (const [config, message] of [
      [{ schema: { type: 'object', properties: {} } }, /config\.schema would be ignored/],
      [{ executor }, /config\.executor would be ignored/],
    ])
      await expect(evaluate({ cases: sample(1), executor, config })).rejects.toThrow(message);
    expect(asked).toBe(0);
  });

  it('goes on after a kill without asking twice', async () => {
    const log = join(folder, 'asked.log');
    const cases = join(folder, 'many.jsonl');
    const journal = join(folder, 'journal.jsonl');
    writeFileSync(
      cases,
      sample(3000)
        .map((one) => `${JSON.stringify(one)}\n`)
        .join(''),
    );
    const module = join(folder, 'executor.mjs');
    writeFileSync(
      module,
      `import { appendFileSync } from 'node:fs';
import { createRequire } from 'node:module';
const { goldExecutor } = createRequire(${JSON.stringify(join(root, 'package.json'))})('./js/eval.js');
const gold = goldExecutor();
export default { id: 'logs', async generate(request, about) {
  await new Promise(setImmediate);
  const reply = await gold.generate(request, about);
  appendFileSync(${JSON.stringify(log)}, about.case.id + '\\n');
  return reply;
} };`,
    );
    const args = [bin, cases, '--executor', module, '--journal', journal, '--quiet'];
    const child = spawn(process.execPath, args);
    const asked = () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []);
    while (asked().length < 300) await new Promise((resolve) => setTimeout(resolve, 20));
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('exit', resolve));
    // A line that the kill cut off.
    appendFileSync(journal, '{"id":"c29');
    const before = asked().length;
    expect(before).toBeLessThan(3000);
    const { stdout, status } = spawnSync(process.execPath, [...args, '--resume'], {
      encoding: 'utf8',
    });
    expect(stdout).toContain('100.0 % right (3000 of 3000');
    expect(status).toBe(0);
    const all = asked();
    // At most the questions in progress were answered but not yet recorded when the process died.
    expect(all.length - new Set(all).size).toBeLessThanOrEqual(4);
    expect(new Set(all).size).toBe(3000);
  }, 120_000);

  it('ends at an abort with the finished cases', async () => {
    const controller = new AbortController();
    const report = await evaluate({
      cases: sample(200),
      executor: goldExecutor(),
      signal: controller.signal,
      onCase: (entry) => entry.id === 'c20' && controller.abort(),
    });
    expect(report.interrupted).toBe(true);
    expect(report.right.total).toBeGreaterThan(10);
    expect(report.right.total).toBeLessThan(60);
  });

  it('stops at refused credentials, and counts failures of a service separately', async () => {
    const { IntentError } = await import('@devcodex/intent-runtime');
    const failing = (code) => ({
      id: 'e',
      generate: async () => {
        throw new IntentError(code);
      },
    });
    await expect(
      evaluate({ cases: sample(9), executor: failing('MODEL_AUTH_FAILED') }),
    ).rejects.toThrow(/credentials/);
    const report = await evaluate({ cases: sample(3), executor: failing('MODEL_RATE_LIMITED') });
    expect(report).toMatchObject({ failed: 3, wrong: 0 });
  });
});

describe('records and baselines', () => {
  it('replays recorded answers, and names the case of another question', async () => {
    const file = join(folder, 'record.jsonl');
    await evaluate({ cases: sample(5), executor: recording(goldExecutor(), file) });
    const again = replaying(file);
    const report = await evaluate({ cases: sample(5), executor: again });
    expect(report.right.right).toBe(5);
    expect(again.otherInstructions).toBe(0);
    const outcomes = [];
    await evaluate({
      cases: sample(6),
      executor: replaying(file),
      onCase: (one) => outcomes.push(one),
    });
    expect(outcomes.filter(({ state }) => state === 'failed').map(({ id }) => id)).toEqual(['c5']);
  });

  it('detects a significant loss by an exact paired test', async () => {
    const before = sample(30).map(({ id }) => [id, true]);
    const lose = (count) =>
      evaluate({
        cases: sample(30, (i) => i >= count),
        executor: goldExecutor(),
        baseline: before,
      });
    expect((await lose(4)).comparison).toMatchObject({
      probability: 1 / 16,
      significantLoss: false,
    });
    const five = (await lose(5)).comparison;
    expect(five.probability).toBeCloseTo(1 / 32, 12);
    expect(five).toMatchObject({ paired: 30, won: [], significantLoss: true });
    expect(five.lost).toHaveLength(5);
  });

  it('gates on the command line', () => {
    const cases = join(folder, 'gate.jsonl');
    const write = (right) =>
      writeFileSync(
        cases,
        sample(20, right)
          .map((one) => JSON.stringify(one))
          .join('\n'),
      );
    const run = (...args) =>
      spawnSync(process.execPath, [bin, cases, '--executor', 'gold', ...args], {
        encoding: 'utf8',
      });
    const old = join(folder, 'old.json');
    write(() => true);
    expect(run('--json', old).status).toBe(0);
    expect(run('--at-least', '1').status).toBe(0);
    write((i) => i > 5);
    expect(run('--baseline', old).status).toBe(1);
    expect(run('--baseline', old).stdout).toContain('a significant loss');
    expect(run('--at-least', '0.9').status).toBe(1);
    expect(run('--baseline', cases).stderr).toContain('cannot be read');
  });

  it.each([
    [[], /give a file of cases/],
    [['none.jsonl', '--executor', 'gold'], /there is no file/],
    [[ownSet], /--executor is missing/],
    [[ownSet, '--executor', 'none.mjs'], /there is no file/],
    [[ownSet, '--executor', 'gold', '--limit', '0'], /--limit must be/],
    [[ownSet, '--executor', 'gold', '--resume'], /--resume needs --journal/],
    [['--set', 'mmlu', '--data', '.', '--executor', 'gold'], /acebench-zh/],
    [['--bad'], /--bad/],
  ])('a mistake is one line: %j', (args, says) => {
    const { status, stderr, stdout } = spawnSync(process.execPath, [bin, ...args], {
      encoding: 'utf8',
    });
    expect(status).toBe(1);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(stderr).toMatch(says);
    expect(stdout).toBe('');
  });
});

describe('the page', () => {
  it('loads nothing, and shows texts as text', async () => {
    const html = join(folder, 'report.html');
    const evil = '</script><script>alert(1)</script><img src=x onerror=alert(1)>';
    const cases = sample(2, () => false).map((one) => ({
      ...one,
      input: evil,
      tags: [evil],
      note: evil,
    }));
    await evaluate({ cases, executor: goldExecutor(), html });
    const page = readFileSync(html, 'utf8');
    expect(page).not.toContain('<img');
    expect(page.match(/<script/g)).toHaveLength(2);
    expect(page).toContain("default-src 'none'");
    const data = /<script type="application\/json" id="data">([\s\S]*?)<\/script>/.exec(page)[1];
    expect(page.replace(data, '')).not.toMatch(/(?<!&[a-z]+;[^<]*)<[^>]*(?:src|href)=/);
    expect(JSON.parse(data)[0].input).toBe(evil);
  });
});

describe("the package's own set", () => {
  it('is large, balanced and tagged', async () => {
    const langs = {};
    const tags = new Set();
    for await (const one of readCases(ownSet)) {
      langs[one.lang] = (langs[one.lang] ?? 0) + 1;
      for (const tag of one.tags) tags.add(tag);
      expect(one.wrong.length, one.id).toBeGreaterThanOrEqual(2);
    }
    const { zh, en, ...others } = langs;
    expect(zh + en + Object.values(others).reduce((a, b) => a + b)).toBeGreaterThanOrEqual(300);
    expect(Math.abs(zh - en)).toBeLessThan(10);
    expect(Object.keys(others)).toHaveLength(5);
    expect(tags.size).toBeGreaterThan(35);
  });

  it('matches its sources, is accepted, and every wrong answer is found for its reason', async () => {
    const check = spawnSync(process.execPath, [join(root, 'evaluation/build.mjs'), '--check'], {
      encoding: 'utf8',
    });
    expect(check.stderr).toBe('');
    const wrong = [];
    const onCase = (entry) => entry.state !== 'right' && wrong.push(entry);
    const report = await evaluate({ cases: ownSet, executor: goldExecutor(), onCase });
    expect(wrong).toEqual([]);
    expect(report.right.share).toBe(1);
    expect(report.stages.data.repairs + report.stages.core.repairs).toBe(0);
    const { total, caught, missed } = await checkWrong({ cases: ownSet });
    expect(missed).toEqual([]);
    expect(caught).toBe(total);
    expect(total).toBeGreaterThanOrEqual(2 * report.total);
  });

  it('has a scorer that a false wrong answer does not pass', async () => {
    const [one] = sample(1);
    const { missed } = await checkWrong({
      cases: [{ ...one, wrong: [{ check: 'prohibitions', core: {} }] }],
    });
    expect(missed).toHaveLength(1);
  });
});

const data = [
  process.env.INTENT_RECOGNITION_SETS,
  join(root, '../shared/suites/recognition'),
  join(root, '../../shared/suites/recognition'),
].find((path) => path !== undefined && existsSync(path));
describe('public sets', () => {
  const known = {
    'acebench-zh': ['acebench', 550, 30],
    'acebench-en': ['acebench', 550, 30],
    bfcl: ['bfcl', 898, 5],
    clinc150: ['clinc150', 5500, 0],
    nlupp: ['nlupp', 611, 0],
  };
  if (data === undefined)
    console.warn('skipped: the public sets are not there (INTENT_RECOGNITION_SETS)');
  it.skipIf(data === undefined).each(PUBLIC_SETS)(
    '%s is right with its own answers',
    async (name) => {
      const [sub, total, mostShutOut] = known[name];
      const report = await evaluate({
        cases: () => readPublicSet(name, join(data, sub)),
        executor: goldExecutor(),
      });
      expect(report.total).toBe(total);
      expect(report.right.share).toBe(1);
      expect(report.shutOut.total).toBeLessThanOrEqual(mostShutOut);
      expect(report.right.total + report.shutOut.total).toBe(total);
    },
    120_000,
  );
});
