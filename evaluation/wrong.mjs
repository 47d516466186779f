// Makes wrong answers: each has its difference from the gold one, and the check that must find it.

/** Returns `{ check, why, core?, data? }` for a line such as `target 1 order 8841`. */
export function wrongAnswer(line, block, gold, place) {
  const [, kind, rest = ''] = /^(\S+)(?: (.*))?$/.exec(line) ?? [];
  const write = KINDS[kind];
  if (write === undefined) throw new Error(`${place}: no wrong answer of the kind ${kind}`);
  const at = Number(rest.split(' ')[0]) - 1;
  const text = rest.replace(/^\S+ ?/, '');
  const context = { block, gold, at, text, rest, place, single: block.intents.length <= 1 };
  return write(context);
}

const intentsWith = ({ gold, at, place }, change) => {
  if (gold.core.intents[at] === undefined)
    throw new Error(`${place}: there is no intent ${at + 1}`);
  return { intents: gold.core.intents.map((one, i) => (i === at ? { ...one, ...change } : one)) };
};

const CLEAR = {
  clarification: undefined,
  questions: undefined,
  confirmation: undefined,
  condition: undefined,
};

const ready = (one) => {
  const { clarification, questions, confirmation, condition, ...rest } = one;
  return rest;
};

const split = (text) => {
  const [, action, target] = /^(\S+) (.*)$/.exec(text);
  return { action, target: target === '-' ? null : target };
};

/** Returns whether a text contains words that must not occur in a result. */
const leaks = ({ block }, text) => block.nowhere?.some((word) => text.includes(word)) === true;

const KINDS = {
  only: (c) => ({
    check: 'intents/count',
    why: `only intent ${c.at + 1} is left`,
    core: { intents: [c.gold.core.intents[c.at]] },
  }),
  drop: (c) => ({
    check: 'intents/count',
    why: `intent ${c.at + 1} is lost`,
    core: { intents: c.gold.core.intents.filter((_, i) => i !== c.at) },
  }),
  none: () => ({
    check: 'intents/count',
    why: 'nothing is recognised',
    core: { intents: [], primaryIntent: null },
  }),
  add: ({ gold, rest }) => ({
    check: 'intents/count',
    why: `${rest} is not asked for`,
    core: {
      intents: [...gold.core.intents, split(rest)],
      ...(gold.core.intents.length === 0 && { primaryIntent: rest }),
    },
  }),
  swap: ({ gold }) => ({
    check: 'intents/order',
    why: 'the order is turned round',
    core: { intents: [...gold.core.intents].reverse() },
  }),
  target: (c) => ({
    check: leaks(c, c.text) ? 'text' : `intents/${c.at}/target`,
    why: `the target is not ${c.text}`,
    core: intentsWith(c, { target: c.text === '-' ? null : c.text }),
  }),
  action: (c) => ({
    check: `intents/${c.at}/action`,
    why: `the action is not ${c.text}`,
    core: intentsWith(c, { action: c.text }),
  }),
  ready: (c) => ({
    check: `intents/${c.at}/status`,
    why: `intent ${c.at + 1} cannot be acted upon as it stands`,
    core: {
      intents: c.gold.core.intents.map((one, i) =>
        i === c.at ? { ...ready(one), action: one.action ?? (c.text || 'other') } : one,
      ),
    },
  }),
  ask: (c) => ({
    check: `intents/${c.at}/status`,
    why: 'there is nothing to ask',
    core: intentsWith(c, { ...CLEAR, clarification: c.text, questions: [c.text] }),
  }),
  confirm: (c) => ({
    check: `intents/${c.at}/status`,
    why: 'nobody asked to confirm first',
    core: intentsWith(c, { ...CLEAR, confirmation: c.text }),
  }),
  cond: (c) => ({
    check: `intents/${c.at}/status`,
    why: 'it depends on nothing that is unknown',
    core: intentsWith(c, { ...CLEAR, condition: c.text }),
  }),
  reason: (c) => {
    const kind = c.gold.core.intents[c.at].confirmation ? 'confirmation' : 'condition';
    return {
      check: `intents/${c.at}/reason`,
      why: `the reason is not: ${c.text}`,
      core: intentsWith(c, { [kind]: c.text }),
    };
  },
  question: (c) => ({
    check: `intents/${c.at}/questions`,
    why: `the question is not: ${c.text}`,
    core: intentsWith(c, { questions: [c.text] }),
  }),
  noreq: (c) => ({
    check: c.single ? 'stated' : `intents/${c.at}/requirements`,
    why: 'what was required is lost',
    core: intentsWith(c, { requirements: [] }),
  }),
  req: (c) => ({
    check: c.single ? 'stated' : `intents/${c.at}/requirements`,
    why: `it does not require: ${c.text}`,
    core: intentsWith(c, { requirements: [c.text] }),
  }),
  noroot: (c) => ({
    check: c.single ? 'stated' : 'requirements',
    why: 'what holds for the whole request is lost',
    core: { requirements: [] },
  }),
  root: (c) => ({
    check: leaks(c, c.rest) ? 'text' : c.single ? 'stated' : 'requirements',
    why: `the whole request does not require: ${c.rest}`,
    core: { requirements: [c.rest] },
  }),
  noproh: () => ({
    check: 'prohibitions',
    why: 'what is forbidden is lost',
    core: { prohibitions: [] },
  }),
  proh: (c) => ({
    check: 'prohibitions',
    why: `not this is forbidden: ${c.rest}`,
    core: { prohibitions: [c.rest] },
  }),
  norm: (c) => ({
    check: 'normalizedInput',
    why: `the request does not say: ${c.rest}`,
    core: { normalizedInput: c.rest },
  }),
  set: (c) => {
    const [, pointer, value] = /^(\S+) (.*)$/.exec(c.rest);
    return {
      check: `data/${topOf(pointer)}`,
      why: `${pointer} is not ${value}`,
      data: dataWith(c, pointer, parsed(value, c.place)),
    };
  },
  unset: (c) => ({
    check: `data/${topOf(c.rest)}`,
    why: `${c.rest} is given`,
    data: dataWith(c, c.rest, undefined),
  }),
  // A value that the package itself refuses, because no quote supports it.
  forge: (c) => {
    const [, pointer, value] = /^(\S+) (.*)$/.exec(c.rest);
    const forged = parsed(value, c.place);
    const data = dataWith(c, pointer, forged);
    // A part of a longer number is the most tempting quote.
    if (c.block.input.includes(forged)) data.quotes = { ...data.quotes, [pointer]: [forged] };
    return { check: 'rejected', why: `${value} stands nowhere as a whole word`, data };
  },
  guess: (c) => ({
    check: 'outcome',
    why: `a guess where something is missing or does not fit: ${c.rest}`,
    data: {
      data: parsed(c.rest, c.place),
      issues: [],
      verdicts: {},
      quotes: quotesFor(c, parsed(c.rest, c.place)),
    },
  }),
  issue: (c) => {
    const [, code, path] = /^(\S+) (\S+)$/.exec(c.rest);
    const message = 'See the input.';
    const had =
      c.gold.data.issues?.length > 0 || Object.keys(c.gold.data.verdicts ?? {}).length > 0;
    return {
      check: had ? 'issues' : 'outcome',
      why: `there is no ${code} at ${path}`,
      data: { issues: [{ code, path: path === '-' ? null : path, message }], verdicts: {} },
    };
  },
};

const parsed = (text, place) => {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${place}: ${error.message}: ${text}`);
  }
};

const topOf = (pointer) => pointer.split('/')[1];

/** The gold data with one value changed, and the quotes that still belong to something. */
function dataWith(c, pointer, value) {
  const data = structuredClone(c.gold.data.data);
  const tokens = pointer.split('/').slice(1);
  let here = data;
  for (const token of tokens.slice(0, -1)) here = here[token];
  if (value === undefined) delete here[tokens.at(-1)];
  else here[tokens.at(-1)] = value;
  return { data, quotes: quotesFor(c, data) };
}

function quotesFor({ gold }, data) {
  const has = (pointer) =>
    pointer
      .split('/')
      .slice(1)
      .reduce((here, token) => here?.[token], data) !== undefined;
  return Object.fromEntries(
    Object.entries(gold.data.quotes ?? {}).filter(([pointer]) => has(pointer)),
  );
}
