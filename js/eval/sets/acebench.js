'use strict';
// ACEBench (github.com/ACEBench/ACEBench, MIT): `en` and `zh`, functions with parameters.
// Each function becomes an optional field with its parameters, so that both the choice of the function and its
// arguments are measured. If one request calls several functions, each field is a list of calls.

const { answersById, functionSchema, readLines, usable } = require('./common.js');

const NORMAL = [
  'normal_atom_bool',
  'normal_atom_enum',
  'normal_atom_list',
  'normal_atom_number',
  'normal_single_turn_single_function',
];

const read = (lang) =>
  async function* cases(folder) {
    const readers = [
      ...NORMAL.map((category) => [category, called]),
      ['normal_single_turn_parallel_function', calledInParallel],
      ['special_incomplete', incomplete],
      ['special_error_param', errorParameter],
      ['special_irrelevant', irrelevant],
    ];
    for (const [category, read] of readers) {
      const file = `data_${category}.json`;
      const answers = await answersById(folder, `${lang}/possible_answer/${file}`);
      for await (const one of readLines(folder, `${lang}/${file}`)) {
        const head = { id: `acebench-${lang}/${one.id}`, lang, tags: [category], ...dialogue(one) };
        yield usable({ ...head, ...read(one, answers.get(one.id)) });
      }
    }
  };

/** The last line of the user is the input; the lines before it and the time are the context. */
function dialogue({ question, time }) {
  const turns = question
    .trim()
    .split(/\n?^(?=(?:user|system):)/m)
    .filter((turn) => turn.trim());
  const messages = turns.map((turn) => ({
    role: turn.startsWith('system:') ? 'assistant' : 'user',
    content: turn.replace(/^(?:user|system):/, '').trim(),
  }));
  const input = messages.pop().content;
  const background = time ? [{ role: 'tool', content: time }] : [];
  return { input, context: [...background, ...messages] };
}

/** An answer with alternatives is a list; the first one is the gold answer. */
function called({ function: functions }, answer) {
  const alternatives = [answer].flat();
  const names = new Set(alternatives.flatMap(Object.keys));
  const values = [...names].map((name) => [
    `/${name}`,
    { anyOf: alternatives.map((one) => one[name]).filter((one) => one !== undefined), loose: true },
  ]);
  return {
    schema: functionSchema(functions),
    expect: { values: Object.fromEntries(values), fields: [...names] },
    gold: { data: { data: alternatives[0] } },
  };
}

/** `name_1` and `name_2` are calls of one function. */
function calledInParallel({ function: functions }, answer) {
  const calls = {};
  for (const [name, args] of Object.entries(answer)) {
    const known = functions.some((one) => one.name === name) ? name : name.replace(/_\d+$/, '');
    calls[known] ??= [];
    calls[known].push(args);
  }
  const values = Object.entries(calls).map(([name, list]) => [
    `/${name}`,
    { sameItems: list, loose: true },
  ]);
  return {
    schema: functionSchema(functions, (items) => ({ type: 'array', items })),
    expect: { values: Object.fromEntries(values), fields: Object.keys(calls) },
    gold: { data: { data: calls } },
  };
}

/** The answer names the parameters that the user has not given. */
function incomplete({ function: functions }, answer) {
  const schema = functionSchema(functions);
  const [[name, listed]] = Object.entries(answer);
  const paths = listed
    .flatMap((one) => one.split(','))
    .map((parameter) => pathOf(schema.properties[name], parameter.trim()));
  if (paths.includes(undefined))
    return { schema, expect: {}, shutOut: 'the answer names a parameter that the function lacks' };
  const whole = `/data/${name}`;
  return {
    schema,
    expect: {
      issues: paths.map((path) => ({
        code: 'DATA_REQUIRED_MISSING',
        path: [whole, ...ancestors(path).map((one) => whole + one), `${whole}${path}/*`],
      })),
      otherIssues: true,
    },
    gold: issuesOf(paths.map((path) => ['DATA_REQUIRED_MISSING', whole + path])),
  };
}

/** Returns the prefixes of a pointer: `/a` and `/a/b` for `/a/b`. */
const ancestors = (path) =>
  path
    .split('/')
    .slice(1)
    .map((_, i, all) => `/${all.slice(0, i + 1).join('/')}`);

/** Finds the place of a parameter: at the top, by its dotted path, or anywhere below. */
function pathOf(schema, parameter) {
  const dotted = parameter.split('.');
  let here = schema;
  if (dotted.every((name) => (here = here?.properties?.[name] ?? here?.items?.properties?.[name])))
    return `/${dotted.join('/')}`;
  return below(schema, dotted.at(-1));
}

function below(schema, parameter) {
  for (const [name, inner] of Object.entries(schema?.properties ?? {})) {
    if (name === parameter) return `/${name}`;
    const found = below(inner, parameter) ?? below(inner.items, parameter);
    if (found !== undefined) return `/${name}${found}`;
  }
  return undefined;
}

/** The answer names the values that do not fit; the name shows the function to which they belong. */
function errorParameter({ function: functions }, answer) {
  const schema = functionSchema(functions);
  const places = Object.keys(answer).map((parameter) =>
    functions
      .map(({ name }) => [name, pathOf(schema.properties[name], parameter)])
      .filter(([, path]) => path !== undefined)
      .map(([name, path]) => `/data/${name}${path}`),
  );
  if (places.some((paths) => paths.length === 0))
    return { schema, expect: {}, shutOut: 'the answer names a parameter that no function has' };
  return {
    schema,
    expect: {
      issues: places.map((path) => ({
        code: ['DATA_CONSTRAINT_VIOLATED', 'DATA_VALUE_UNREPRESENTABLE'],
        path,
      })),
      otherIssues: true,
    },
    gold: issuesOf(places.map(([path]) => ['DATA_CONSTRAINT_VIOLATED', path])),
  };
}

const issuesOf = (list) => ({
  data: { data: {}, issues: list.map(([code, path]) => ({ code, path })) },
});

const irrelevant = ({ function: functions }) => ({
  schema: functionSchema(functions),
  expect: { data: {} },
  gold: { data: { data: {} } },
});

module.exports = { read };
