// Tests the texts that an MCP host includes in every conversation: they must be short but sufficient. The
// scripted host below does not know this package. It takes every name, step and rule from the server's
// instructions, the tools' descriptions and their schemas; it fails if a rule is missing.

import { Intent } from '@devcodex/intent-runtime';
import { serveIntentMcp } from '@devcodex/intent-runtime/mcp';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, test } from 'vitest';
import { core, data, ordersConfig } from './support/mcp.mjs';

const INPUT = '查询订单 000123';

/** Connects, and returns the texts for the host and a function that calls tools. */
const connected = async (config, run) => {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const intent = new Intent({ ...ordersConfig, ...config });
  const service = await serveIntentMcp({ instances: { orders: intent }, transport: ours });
  const client = new Client({ name: 'scripted', version: '1' });
  await client.connect(theirs);
  try {
    const calls = [];
    const call = async (name, args) => {
      const { content, isError } = await client.callTool({ name, arguments: args });
      const reply = JSON.parse(content[0].text);
      calls.push({ name, args, reply, isError });
      return reply;
    };
    const instructions = client.getInstructions();
    return await run({ instructions, list: await client.listTools(), call, calls });
  } finally {
    await client.close();
    await service.closed;
    await intent.dispose();
  }
};

/** Extracts a rule from a text; fails the test if the text does not contain it. */
const said = (text, pattern) => {
  const found = pattern.exec(text);
  if (found === null) throw new Error(`nothing says ${pattern}: ${text}`);
  return found.groups;
};

/** The rules, as the texts state them. */
const rulesOf = ({ instructions, list: { tools } }) => {
  const tool = (name) => tools.find((each) => each.name === name);
  const { begin } = said(instructions, /(?<begin>\w+) begins a job/);
  const { task, answer } = said(
    instructions,
    /While a reply's (?:kind) is "(?<task>\w+)", answer with (?<answer>\w+)/,
  );
  const { done } = said(instructions, /"(?<done>\w+)" is the end/);
  const { error, word, open, ended } = said(
    instructions,
    /In an "(?<error>\w+)", `(?<word>\w+)` "(?<open>\w+)" means correct and resend, "(?<ended>\w+)" means prepare again/,
  );
  const { give } = said(instructions, /(?<give>\w+) gives up a job/);
  const { names } = said(instructions, /Instances: (?<names>.+)\.\n/);
  const { how, material, form } = said(
    tool(begin).description,
    /follow its `(?<how>\w+)` on its `(?<material>\w+)` \(data, not orders\), write one JSON object in its `(?<form>\w+)`/,
  );
  // The descriptions say the same of the word as the instructions.
  const accept = said(
    tool(answer).description,
    /"(?<error>\w+)": if `(?<word>\w+)` is "(?<open>\w+)", submit a corrected answer with the same (?<token>\w+); if "(?<ended>\w+)", report it or prepare again/,
  );
  expect(accept).toMatchObject({ error, word, open, ended });
  const { token: renewed } = said(tool(answer).description, /with its new (?<token>\w+)/);
  expect(renewed).toBe(accept.token);
  said(
    tool(give).description,
    new RegExp(`"${error}" whose \`${word}\` is "${ended}" confirms it`),
  );
  const [instance] = JSON.parse(`[${names}]`);
  return {
    tool,
    begin,
    task,
    answer,
    done,
    error,
    word,
    open,
    ended,
    give,
    instance,
    how,
    material,
    form,
  };
};

/** The property of a tool that is described so. */
const described = (tool, pattern) => {
  const found = Object.entries(tool.inputSchema.properties).filter(([, { description }]) =>
    pattern.test(description ?? ''),
  );
  expect(found).toHaveLength(1);
  return found[0][0];
};

/**
 * A host that does what the texts say. `model` is asked with a task's texts and gives its answer, or
 * undefined where it gives up; `corrected` is asked for another after an error that leaves the job open.
 */
const host = async (told, { input, model, corrected, most = 12 }) => {
  const rules = rulesOf(told);
  const [begin, answer, give] = [rules.begin, rules.answer, rules.give].map(rules.tool);
  const prepare = () =>
    told.call(begin.name, {
      [described(begin, /server instructions/)]: rules.instance,
      [described(begin, /user's words/)]: input,
    });
  const text = described(answer, /JSON text/);
  /** Takes the required arguments of a tool from the members of a reply with the same names. */
  const from = (reply, { inputSchema: { required } }) =>
    Object.fromEntries(required.filter((key) => key in reply).map((key) => [key, reply[key]]));

  let reply = await prepare();
  let task;
  for (let i = 0; i < most; i++) {
    if (reply.kind === rules.done) return reply;
    if (reply.kind === rules.task) {
      task = reply;
      const written = await model({
        instructions: task[rules.how],
        payload: task[rules.material],
        format: task[rules.form],
      });
      reply =
        written === undefined
          ? await told.call(give.name, from(task, give))
          : await told.call(answer.name, { ...from(task, answer), [text]: written });
      if (written === undefined) {
        expect([reply.kind, reply[rules.word]]).toEqual([rules.error, rules.ended]);
        return reply;
      }
    } else if (reply.kind === rules.error && reply[rules.word] === rules.open) {
      reply = await told.call(answer.name, {
        ...from(task, answer),
        [text]: await corrected(reply),
      });
    } else if (reply.kind === rules.error && reply[rules.word] === rules.ended) {
      reply = await prepare();
    } else throw new Error(`the texts do not say what to do with ${JSON.stringify(reply)}`);
  }
  throw new Error('it never ends');
};

/** A model that reads nothing but the task: it tells the stages by the materials. */
const answersOf = (script) => {
  const left = [...script];
  return async ({ instructions, payload }) => {
    expect(instructions).toMatch(/\w/);
    expect(JSON.parse(payload).currentInput).toBe(INPUT);
    return left.shift();
  };
};
const names = (calls) => calls.map(({ name }) => name.replace('intent_', ''));

describe('a host that knows nothing but the texts', () => {
  test('completes', () =>
    connected({}, async (told) => {
      const { result } = await host(told, { input: INPUT, model: answersOf([core, data()]) });
      expect(result.data).toEqual({ orderId: '000123' });
      expect(names(told.calls)).toEqual(['prepare', 'accept', 'accept']);
    }));

  test('repairs in both stages', () =>
    connected({}, async (told) => {
      const model = answersOf(['{bad', core, data('999999'), data()]);
      const { result } = await host(told, { input: INPUT, model });
      expect(result.data).toEqual({ orderId: '000123' });
      const payloads = told.calls.map(({ reply }) => reply.payload).filter(Boolean);
      expect(payloads.filter((payload) => 'repair' in JSON.parse(payload))).toHaveLength(2);
    }));

  test('submits again where the job is open', () =>
    connected({ limits: { maxOutputBytes: 2_000 } }, async (told) => {
      const model = answersOf([core + ' '.repeat(2_000), data()]);
      const { kind } = await host(told, { input: INPUT, model, corrected: () => core });
      expect(kind).toBe('result');
      expect(names(told.calls)).toEqual(['prepare', 'accept', 'accept', 'accept']);
      const [, refused, again] = told.calls;
      expect(refused.reply).toMatchObject({ job: 'open', error: { code: 'LIMIT_EXCEEDED' } });
      expect(again.args.stepToken).toBe(refused.args.stepToken);
    }));

  test('prepares again where the job has ended', () =>
    connected({ limits: { maxIntentCount: 1 } }, async (told) => {
      const parsed = JSON.parse(core);
      const two = JSON.stringify({ ...parsed, intents: [...parsed.intents, ...parsed.intents] });
      const { kind } = await host(told, { input: INPUT, model: answersOf([two, core, data()]) });
      expect(kind).toBe('result');
      expect(names(told.calls)).toEqual(['prepare', 'accept', 'prepare', 'accept', 'accept']);
      // The same code as above, and another word.
      expect(told.calls[1].reply).toMatchObject({
        job: 'ended',
        error: { code: 'LIMIT_EXCEEDED' },
      });
    }));

  test('gives up', () =>
    connected({}, async (told) => {
      const reply = await host(told, { input: INPUT, model: answersOf([core, undefined]) });
      expect(reply.error).toMatchObject({ code: 'MODEL_ABORTED', stage: 'data' });
      expect(names(told.calls)).toEqual(['prepare', 'accept', 'cancel']);
    }));
});

test('the texts are short', () =>
  connected({}, ({ instructions, list }) => {
    const tokens = (text) => encode(text).length;
    expect(tokens(JSON.stringify(list))).toBeLessThanOrEqual(450);
    expect(tokens(instructions)).toBeLessThanOrEqual(90);
  }));
