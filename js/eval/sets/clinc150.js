'use strict';
// CLINC150 (github.com/clinc/oos-eval, CC BY 3.0): one of 150 intents, or none of them.

const { readJson, usable } = require('./common.js');

async function* read(folder) {
  const { test, oos_test: outOfScope } = readJson(folder, 'test.json');
  const names = [...new Set(test.map(([, intent]) => intent))].sort();
  const schema = {
    type: 'object',
    properties: {
      intent: {
        type: 'string',
        enum: names,
        description: 'What the user wants, where it is one of these; left out where it is none.',
      },
    },
  };
  for (const [i, [input, intent]] of test.entries())
    yield usable({
      ...head(`clinc150/test/${i}`, ['in scope'], input, schema),
      ...expected({ intent }),
    });
  for (const [i, [input]] of outOfScope.entries())
    yield usable({
      ...head(`clinc150/oos/${i}`, ['out of scope'], input, schema),
      ...expected({}),
    });
}

const head = (id, tags, input, schema) => ({ id, lang: 'en', tags, input, schema });
const expected = (data) => ({ expect: { data }, gold: { data: { data } } });

module.exports = { read };
