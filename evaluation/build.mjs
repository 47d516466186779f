// Writes cases.jsonl from source/*.txt and schemas.mjs.
//
//   node evaluation/build.mjs [--check]
// The sources state each fact once: the gold answer with the expected words in brackets, and the
// differences of the wrong answers. README.md explains the notation. Every case is written by hand; this
// script only derives the rest.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseBlocks } from './notation.mjs';
import { schemas } from './schemas.mjs';
import { wrongAnswer } from './wrong.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const LANGUAGES = { zh: 'zh-CN', en: 'en', ja: 'ja', es: 'es', de: 'de', fr: 'fr', ar: 'ar' };

const cases = [];
const counts = new Map();

function caseOf(block) {
  const { lang, tags, note, place } = block;
  const prefix = `${tags[0]}-${lang}`;
  const number = (counts.get(prefix) ?? 0) + 1;
  counts.set(prefix, number);
  const schema = block.schema && schemas[block.schema];
  if (block.schema && !schema) throw new Error(`${place}: no schema ${block.schema}`);
  if (block.wrong.length < 2) throw new Error(`${place}: at least two wrong answers`);
  const gold = { core: coreOf(block), ...(schema && { data: dataOf(block) }) };
  return {
    id: `${prefix}-${String(number).padStart(2, '0')}`,
    lang,
    tags,
    ...(note && { note }),
    input: block.input,
    ...(block.context && { context: block.context }),
    ...(block.fields && { fields: block.fields }),
    ...(schema && { schema }),
    config: { language: LANGUAGES[lang], ...block.config },
    expect: expectOf(block),
    gold,
    wrong: block.wrong.map((line) => wrongAnswer(line, block, gold, place)),
  };
}

function coreOf({ intents, requirements, prohibitions, normalized, primary }) {
  return {
    ...(normalized && { normalizedInput: normalized.gold }),
    ...(primary && { primaryIntent: primary.gold }),
    ...(requirements.length > 0 && { requirements: requirements.map(({ gold }) => gold) }),
    ...(prohibitions.length > 0 && { prohibitions: prohibitions.map(({ gold }) => gold) }),
    intents: intents.map((one) => ({
      action: one.actions[0],
      target: one.target?.gold ?? null,
      ...(one.requirements.length > 0 && {
        requirements: one.requirements.map(({ gold }) => gold),
      }),
      ...(one.clarification && {
        clarification: one.clarification.gold,
        questions: [{ question: one.question.gold, options: one.options }],
      }),
      ...(one.confirmation && { confirmation: one.confirmation.gold }),
      ...(one.condition && { condition: one.condition.gold }),
    })),
  };
}

function dataOf({ data, quotes, issues, verdicts, absent }) {
  return {
    data,
    ...(Object.keys(quotes).length > 0 && { quotes }),
    ...(Object.keys(verdicts).length > 0 && { verdicts }),
    ...(issues.length > 0 && { issues }),
    ...(Object.keys(absent).length > 0 && { absent }),
  };
}

function expectOf(block) {
  const { intents, requirements, normalized, primary, data, issues, verdicts } = block;
  const single = intents.length <= 1;
  const ofIntents = intents.flatMap((one) => one.requirements);
  const stated = single ? [...requirements, ...ofIntents] : [];
  const outcome = issues.length > 0 || Object.keys(verdicts).length > 0;
  return {
    primaryIntent: intents.length === 0 ? null : (primary?.expect ?? { pattern: '\\S' }),
    ...(normalized && { normalizedInput: normalized.expect }),
    intents: intents.map((one) => intentOf(one, single)),
    ...(block.anyOrder && { order: 'any' }),
    ...(stated.length > 0 && { stated: stated.map(({ expect }) => expect) }),
    ...(!single &&
      requirements.length > 0 && { requirements: requirements.map(({ expect }) => expect) }),
    ...prohibitionsOf(block),
    ...(block.schema && !outcome && { data }),
    ...(outcome && {
      issues: [...issuesOf(verdicts, data), ...issues.map(({ code, path }) => ({ code, path }))],
    }),
    ...(block.nowhere && { text: { none: block.nowhere } }),
  };
}

const prohibitionsOf = ({ prohibitions, anyProhibitions }) =>
  anyProhibitions
    ? {}
    : {
        prohibitions:
          prohibitions.length === 0 ? { count: 0 } : prohibitions.map(({ expect }) => expect),
      };

const issuesOf = (verdicts) =>
  Object.entries(verdicts).map(([pointer, { verdict }]) => ({
    code: verdict === 'violated' ? 'DATA_CONSTRAINT_VIOLATED' : 'DATA_DESCRIPTION_UNDETERMINED',
    path: `/data${pointer}`,
  }));

function intentOf(
  { actions, target, requirements, clarification, question, confirmation, condition },
  single,
) {
  const status = clarification
    ? 'needs_clarification'
    : confirmation
      ? 'awaiting_confirmation'
      : condition
        ? 'conditional'
        : 'ready';
  const reason = (confirmation ?? condition)?.expect;
  return {
    ...(actions[0] !== null && { action: actions.length === 1 ? actions[0] : actions }),
    status,
    target: target === null ? null : target.expect,
    ...(!single &&
      requirements.length > 0 && { requirements: requirements.map(({ expect }) => expect) }),
    ...(reason && !clarification && { reason }),
    ...(clarification && { questions: { count: { min: 1, max: 4 }, has: [question.expect] } }),
  };
}

for (const file of readdirSync(join(here, 'source')).sort())
  for (const block of parseBlocks(readFileSync(join(here, 'source', file), 'utf8'), file))
    cases.push(caseOf(block));

const text = cases.map((one) => `${JSON.stringify(one)}\n`).join('');
const target = join(here, 'cases.jsonl');
if (process.argv.includes('--check')) {
  if (readFileSync(target, 'utf8') !== text) {
    console.error('evaluation/cases.jsonl is not what its sources say: node evaluation/build.mjs');
    process.exit(1);
  }
} else {
  writeFileSync(target, text);
  console.log(`${cases.length} cases`);
}
