'use strict';
// The Berkeley Function Calling Leaderboard, v4 (github.com/ShishirPatil/gorilla, Apache-2.0).
// A case has one function, which becomes an optional field with its parameters. An answer lists the right values
// of each parameter; an empty string among them means that the parameter may be omitted.

const { answersById, functionSchema, readLines, usable } = require('./common.js');

async function* read(folder) {
  for (const category of ['simple_python', 'live_simple']) {
    const file = `BFCL_v4_${category}.json`;
    const answers = await answersById(folder, `possible_answer/${file}`);
    for await (const one of readLines(folder, file))
      yield usable({ ...head(one, category), ...called(one, answers.get(one.id)) });
  }
  for await (const one of readLines(folder, 'BFCL_v4_irrelevance.json'))
    yield usable({
      ...head(one, 'irrelevance'),
      schema: functionSchema(one.function),
      expect: { data: {} },
      gold: { data: { data: {} } },
    });
}

function head({ id, question }, category) {
  const messages = question[0];
  const context = messages.slice(0, -1).map(({ role, content }) => ({
    role: role === 'system' ? 'tool' : role,
    content,
  }));
  const input = messages.at(-1).content;
  return { id: `bfcl/${id}`, lang: 'en', tags: [category], input, context };
}

function called({ function: functions }, [answer]) {
  const [[name, parameters]] = Object.entries(answer);
  const schema = functionSchema(functions);
  return {
    schema,
    expect: { values: { [`/${name}`]: members(parameters) }, fields: [name] },
    gold: { data: { data: { [name]: first(parameters, schema.properties[name]) } } },
  };
}

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Members whose values are lists of right values. */
const members = (parameters) => ({
  object: Object.fromEntries(
    Object.entries(parameters).map(([name, listed]) => [name, listedValue(listed)]),
  ),
});

/** An empty list of values means an empty list; a list with only the empty string means the empty string. */
function listedValue(listed) {
  if (listed.length === 0) return { anyOf: [[]], optional: true };
  const optional = listed.includes('');
  const values = listed.filter((one) => one !== '');
  if (values.length === 0) return { anyOf: [''], optional };
  if (values.length === 1 && isObject(values[0])) return { ...members(values[0]), optional };
  return { anyOf: values.map((value) => plainValue(value)), loose: true, optional };
}

/** Objects inside lists also have lists of alternatives. */
function plainValue(value, schema) {
  if (isObject(value)) return first(value, schema);
  if (Array.isArray(value))
    return value.map((one) => (isObject(one) ? first(one, schema?.items) : one));
  return value;
}

/** Returns the first right value of each member; optional members are included only if they are required by the schema. */
function first(parameters, schema) {
  const chosen = {};
  for (const [name, listed] of Object.entries(parameters)) {
    const required = schema?.required?.includes(name);
    const value = listed.length === 0 ? [] : listed[0] === '' && required ? listed[1] : listed[0];
    if (value === '' || value === undefined || (listed.length === 0 && !required)) continue;
    chosen[name] = plainValue(value, schema?.properties?.[name]);
  }
  return chosen;
}

module.exports = { read };
