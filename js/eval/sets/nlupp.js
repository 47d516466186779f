'use strict';
// NLU++ (github.com/PolyAI-LDN/task-specific-datasets, CC BY 4.0): several intents in one text, and slots whose
// values occur in it.

const { readJson, usable } = require('./common.js');

const DOMAINS = ['banking', 'hotels'];
const FOLDS = [0, 1, 2, 3];

async function* read(folder) {
  const ontology = readJson(folder, 'ontology.json');
  for (const domain of DOMAINS) {
    const schema = schemaOf(ontology, domain);
    for (const fold of FOLDS)
      for (const [i, one] of readJson(folder, `${domain}/fold${fold}.json`).entries())
        yield usable({
          id: `nlupp/${domain}/${fold}/${i}`,
          lang: 'en',
          tags: [domain],
          input: one.text,
          schema,
          ...expected(one),
        });
  }
}

function schemaOf({ intents, slots }, domain) {
  const ofDomain = (all) =>
    Object.entries(all).filter(([, one]) =>
      one.domain.some((d) => d === domain || d === 'general'),
    );
  const listed = ofDomain(intents);
  const properties = ofDomain(slots).map(([name, { description }]) => [
    name,
    { type: 'string', description: `${description} As it stands in the text.` },
  ]);
  return {
    type: 'object',
    properties: {
      intents: {
        type: 'array',
        items: { type: 'string', enum: listed.map(([name]) => name) },
        description: `All that apply. ${listed.map(([name, { description }]) => `${name}: ${description}`).join(' ')}`,
      },
      ...Object.fromEntries(properties),
    },
  };
}

/** If the set names no intent, an absent list is as right as an empty one. */
function expected({ intents = [], slots = {} }) {
  const texts = Object.entries(slots).map(([name, { text }]) => [name, text]);
  const data = { ...(intents.length > 0 && { intents }), ...Object.fromEntries(texts) };
  const values = texts.map(([name, text]) => [`/${name}`, { equals: text, loose: true }]);
  return {
    expect: {
      values: {
        '/intents': { sameItems: intents, optional: intents.length === 0 },
        ...Object.fromEntries(values),
      },
      fields: ['intents', ...texts.map(([name]) => name)],
    },
    gold: { data: { data } },
  };
}

module.exports = { read };
