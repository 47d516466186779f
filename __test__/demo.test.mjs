// The demo: what people type into it, and how it is called.

import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Intent } from '@devcodex/intent-runtime';
import { createApiExecutor } from '@devcodex/intent-runtime/adapters/api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startStandIn } from '../examples/demo/stand-in.mjs';
import { WORDS } from '../examples/demo/words.mjs';
import { startService, status } from './support/service.mjs';

const demo = fileURLToPath(new URL('../examples/demo/demo.mjs', import.meta.url));

/** Texts that a rule reads, each with its whole meaning. */
const READ = [
  // text, intents as "action target status", prohibitions
  ['查询订单 000123，先不要修改', ['query 订单 000123 ready'], ['先不要修改']],
  ['删除订单 000123，但先问我', ['delete 订单 000123 awaiting_confirmation'], []],
  [
    '把订单 000123 的数量改为三件，但先问我',
    ['modify 订单 000123 的数量 awaiting_confirmation'],
    [],
  ],
  ['不要修改订单 000123，只查看', ['query 订单 000123 ready'], ['不要修改订单 000123']],
  ['删除订单 A，不，保留 A，删除 B', ['delete B ready'], ['保留 A']],
  ['先查订单 000123，算了，查订单 000456', ['query 订单 000456 ready'], []],
  ['能不能帮我查一下订单 000123？', ['query 订单 000123 ready'], []],
  ['查询并删除订单 000123', ['query 订单 000123 ready', 'delete 订单 000123 ready'], []],
  ['订单 000123 到哪了？', ['query 订单 000123 到哪了 ready'], []],
  ['我的快递到哪了？', ['query 我的快递到哪了 ready'], []],
  ['总结这份报告，不超过 3 页', ['analyze 这份报告 ready'], []],
  ['修复登录的 bug，不要动测试', ['modify 登录的 bug ready'], ['不要动测试']],
  ['导出 000123 还是 000456？', ['execute 000123 还是 000456 needs_clarification'], []],
  ['处理一下', ['null null needs_clarification'], []],
  ['改一下', ['modify null needs_clarification'], []],
  ['我已经删除了订单 5', [], []],
  ['Show order 000123', ['query order 000123 ready'], []],
  ['Where is my package?', ['query my package ready'], []],
  [
    'Change order 000123 to 3 pieces, but ask me first',
    ['modify order 000123 awaiting_confirmation'],
    [],
  ],
  ['Delete order 000123 and order 000124', ['delete order 000123 and order 000124 ready'], []],
  [
    'Update the README and run the tests',
    ['modify the README ready', 'execute the tests ready'],
    [],
  ],
  [
    'fix the bug in login.js without touching the tests',
    ['modify the bug in login.js ready'],
    ['without touching the tests'],
  ],
  [
    "Please don't delete anything, just show me the list",
    ['query the list ready'],
    ["Please don't delete anything"],
  ],
  ['delete A, no, keep A, delete B', ['delete B ready'], ['keep A']],
  ['Delete order 5 if the backup exists', ['delete order 5 conditional'], []],
  ['The customer asked to delete order 5, please check order 6', ['query order 6 ready'], []],
  [
    'Query order 000123, but do not modify it yet.',
    ['query order 000123 ready'],
    ['do not modify it yet'],
  ],
  ['Cancel my subscription', ['execute my subscription ready'], []],
  ['handle it', ['null null needs_clarification'], []],
];

/** Texts that people type as naturally and that no rule reads: silence, never a wrong result. */
const UNREAD = [
  '明天上海天气怎么样？',
  '帮我把下午三点的会改到周四，并通知李雷',
  '耳机收到就是坏的，我要退货',
  '订一张周五晚上七点四个人的位子',
  '提醒我今晚给妈妈打电话',
  '把这封邮件翻译成法语，语气随意一点',
  '取消昨天下的单，换成蓝色那款',
  '上个季度广告花了多少钱？',
  '帮我找下周去东京的便宜机票，不要转机',
  '删除张三发来的所有邮件，合同那封除外',
  '总结一下附件里的报告，中午之前发给团队',
  '股价跌破 50 就卖掉一半',
  '别忘了浇花',
  '能不能帮我看看税怎么报',
  '订单 000123 一直没收到，退款吧',
  '订单 000123 发货了吗',
  '我不想取消会员，只是暂停一下',
  '除了 A 以外都删掉',
  '老板让我问你什么时候能交报告',
  '不要不理我',
  '你能做什么',
  '不用查询了，直接删除订单 000123',
  '查询订单 000123 的物流，如果还没发货就取消',
  '重启服务器，不，先看看日志',
  '你好',
  '今天心情不好',
  "What's the weather like in Paris tomorrow?",
  'Can you move my 3pm meeting to Thursday and let Anna know?',
  'I need a refund for the headphones, they arrived broken',
  "Book a table for four at Luigi's on Friday at 7",
  'Actually, cancel the order I placed yesterday and order the blue one instead',
  'How much did we spend on ads last quarter?',
  'Find me a cheap flight to Tokyo next week, no layovers',
  'Delete all emails from Bob except the one about the contract',
  'Could you summarize the attached report and send it to the team by noon?',
  'If the stock drops below 50, sell half',
  "Don't forget to water the plants",
  'Set an alarm for 6:30',
  'Stop sending me newsletters',
  'Order 000123 never arrived. Refund it.',
  'Is order 000123 shipped yet?',
  "I don't want to cancel my subscription, just pause it",
  'Make it bigger',
  'Can I get a copy of my receipt?',
  "I'm not sure if I should buy it",
  'Send 200 dollars to Bob unless his account is closed',
  "Tell Anna I'm late",
  'Delete order 000123, then tell the customer',
  'Hello',
  "Thanks, that's all",
  '如果订单 7 没发货就取消它',
  'If order 7 has not shipped, cancel it',
];

describe('natural inputs', () => {
  let standIn;
  let executor;
  beforeAll(async () => {
    standIn = await startStandIn();
    const { baseURL } = standIn;
    executor = createApiExecutor({
      provider: 'openai',
      protocol: 'chat-completions',
      baseURL,
      apiKey: 'none',
      model: 'm',
    });
  });
  afterAll(() => standIn.close());

  const recognise = async (input) => {
    const language = /\p{Script=Han}/u.test(input) ? 'zh-CN' : 'en';
    const intent = new Intent({ language, executor });
    try {
      return await intent.parse({ input });
    } finally {
      await intent.dispose();
    }
  };

  it('are at least 40, half of them Chinese', () => {
    const all = [...READ.map(([text]) => text), ...UNREAD];
    const chinese = all.filter((text) => /\p{Script=Han}/u.test(text));
    expect(new Set(all).size).toBeGreaterThanOrEqual(40);
    expect(chinese.length / all.length).toBeGreaterThan(0.45);
  });

  it.each(READ)('%s is read', async (text, intents, prohibitions) => {
    const result = await recognise(text);
    expect(
      result.intents.map(({ action, target, status: s }) => `${action} ${target} ${s}`),
    ).toEqual(intents);
    expect(result.prohibitions).toEqual(prohibitions);
  });

  it.each(UNREAD)('%s is not read, and gives no result', async (text) => {
    await expect(recognise(text)).rejects.toMatchObject({ code: 'MODEL_REFUSED', stage: 'core' });
  });
});

/** Runs the demo with the text of a pipe, or with none. */
const run = (args, { input = '', env = {} } = {}) =>
  new Promise((resolve) => {
    const inherited = Object.fromEntries(
      Object.entries(process.env).filter(
        ([name]) => !/^(?:INTENT_|NO_COLOR|FORCE_COLOR|LANG|LC_)/.test(name),
      ),
    );
    const child = spawn(process.execPath, [demo, ...args], { env: { ...inherited, ...env } });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
    });
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    child.on('close', (code) => resolve({ code, stdout, stderr }));
    child.stdin.end(input);
  });

const SLOW = { timeout: 60_000 };

describe('the command', () => {
  it('reads a pipe as it reads an argument', SLOW, async () => {
    for (const text of ['查询订单 000123', 'Show order 000123']) {
      const piped = await run(['--json'], { input: `${text}\n` });
      const given = await run(['--json', text]);
      expect(piped.code).toBe(0);
      expect(JSON.parse(piped.stdout)).toEqual(JSON.parse(given.stdout));
      expect(JSON.parse(piped.stdout).input).toBe(text);
    }
    // The built-in example never replaces piped text.
    const blank = await run(['--json'], { input: '\n' });
    expect([blank.code, JSON.parse(blank.stdout).error.code]).toEqual([1, 'INPUT_INVALID']);
  });

  it('says that rules answered, and which texts they can read', SLOW, async () => {
    for (const [text, words] of [
      ['查询订单 000123', WORDS.zh],
      ['Show order 000123', WORDS.en],
    ]) {
      const { stdout } = await run([text]);
      expect(stdout).toContain(words.rulesAnswered);
      expect(stdout).toContain(words.rulesCan);
    }
  });

  it('says plainly where no rule matched, without a result', SLOW, async () => {
    for (const [text, words] of [
      ['帮我把下午三点的会改到周四', WORDS.zh],
      ['Play some jazz', WORDS.en],
    ]) {
      const { stdout, code } = await run([text]);
      expect(code).toBe(1);
      expect(stdout).toContain(words.noRule);
      expect(stdout).toContain(`«${text}»`);
      for (const heading of [words.understood, words.intents, words.status.ready])
        expect(stdout).not.toMatch(new RegExp(`^\\s*${heading}$`, 'm'));
      const json = await run(['--json', text]);
      expect(JSON.parse(json.stdout)).toMatchObject({
        error: { code: 'MODEL_REFUSED' },
        unread: [text],
      });
    }
  });

  it('has labels of one language, that of the input', SLOW, async () => {
    const { stdout: chinese } = await run(['--schema', 'orders', '删除订单 000123，但先问我']);
    const { stdout: english } = await run(['--schema', 'orders', 'Delete order 000123']);
    expect(english).not.toMatch(/\p{Script=Han}/u);
    for (const label of Object.values(WORDS.en).filter(
      (word) => typeof word === 'string' && word.length > 3,
    ))
      expect(chinese, label).not.toMatch(new RegExp(`^${label.replace(/[^\w ]/g, '.')}`, 'm'));
  });

  it('shows the evidence that the package gave, with its place', SLOW, async () => {
    const text = 'Delete order 000123';
    const { stdout } = await run(['--schema', 'orders', text]);
    const shown = /\/data\/orderId ← «(.+?)» input\[(\d+)\.\.(\d+)\] exact/.exec(stdout);
    expect(shown).not.toBeNull();
    const [, quoted, start, end] = shown;
    expect(text.slice(Number(start), Number(end))).toBe(quoted);
    const { stdout: json } = await run(['--schema', 'orders', '--json', text]);
    expect(JSON.parse(json).evidence).toMatchObject([{ path: '/data/orderId' }]);
  });

  it('offers texts that its rules read', SLOW, async () => {
    for (const words of [WORDS.zh, WORDS.en]) {
      const [, text] = /"(.+)"/.exec(words.tryThis);
      const examples = [...words.help.matchAll(/npm run .*?"([^"]+)"$/gm)].map((match) => match[1]);
      for (const example of [text, ...examples.filter((one) => !/^(?:TEXT|文字)$/.test(one))])
        expect([example, (await run(['--json', example])).code]).toEqual([example, 0]);
    }
  });

  it('writes errors as JSON to standard output under --json', SLOW, async () => {
    const wrong = await run(['--json', '--nope']);
    expect([wrong.code, wrong.stderr]).toEqual([2, '']);
    expect(JSON.parse(wrong.stdout).error.message).toContain('--nope');
    const settings = { INTENT_API_KEY: 'k', INTENT_MODEL: 'm', INTENT_BASE_URL: 'nowhere' };
    const refused = await run(['--json', 'Show order 1'], { env: settings });
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.stdout).error).toMatchObject({
      code: 'CONFIG_INVALID',
      stage: 'config',
    });
  });

  it('obeys FORCE_COLOR and NO_COLOR', SLOW, async () => {
    const plain = await run(['Show order 1']);
    const forced = await run(['Show order 1'], { env: { FORCE_COLOR: '1' } });
    const both = await run(['Show order 1'], { env: { FORCE_COLOR: '0', NO_COLOR: '1' } });
    expect([plain, forced, both].map(({ stdout }) => stdout.includes('\x1b['))).toEqual([
      false,
      true,
      false,
    ]);
  });

  it('names the model only where it answered', SLOW, async () => {
    const service = await startService();
    try {
      service.answers = [status(401)];
      const env = {
        INTENT_API_KEY: 'wrong',
        INTENT_MODEL: 'some-model',
        INTENT_PROTOCOL: 'chat-completions',
        INTENT_BASE_URL: service.baseURL,
      };
      const { stdout, code } = await run(['Show order 1'], { env });
      expect(code).toBe(1);
      expect(stdout).toContain('MODEL_AUTH_FAILED');
      expect(stdout).toContain(WORDS.en.noAnswerFrom('some-model'));
      expect(stdout).not.toContain('Answered by');
    } finally {
      await service.close();
    }
  });

  it('has its help in the language of the terminal', SLOW, async () => {
    const chinese = await run(['--help'], { env: { LANG: 'zh_CN.UTF-8' } });
    const english = await run(['--help'], { env: { LANG: 'C' } });
    expect([chinese.stdout, english.stdout]).toEqual([WORDS.zh.help, WORDS.en.help]);
  });
});

describe('on a terminal', () => {
  it('prompts until an empty line', SLOW, async () => {
    const { existsSync } = await import('node:fs');
    if (!existsSync('/usr/bin/script')) {
      console.log('The prompt is not tried: no /usr/bin/script, which lends a terminal.');
      return;
    }
    const shell = `"${process.execPath}" "${demo}"`;
    const child = spawn('/usr/bin/script', ['-qec', shell, '/dev/null'], {
      env: { PATH: process.env.PATH, LANG: 'C', TERM: 'dumb' },
      cwd: join(demo, '..'),
    });
    let seen = '';
    let asked = 0;
    child.stdout.on('data', (chunk) => {
      seen += chunk;
      const prompts = seen.split(WORDS.en.prompt).length - 1;
      if (prompts > asked) child.stdin.write(['Show order 5\n', '删除订单 6\n', '\n'][asked++]);
    });
    const code = await new Promise((resolve) => child.on('close', resolve));
    expect(code).toBe(0);
    expect(asked).toBe(3);
    expect(seen).toContain('query order 5');
    expect(seen).toContain('删除 订单 6');
  });
});
