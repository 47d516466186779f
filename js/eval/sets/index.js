'use strict';
// Reads public sets as cases. The package does not contain them; they are read from a folder.

const { EvaluationError } = require('../cases.js');

const READERS = {
  __proto__: null,
  'acebench-zh': () => require('./acebench.js').read('zh'),
  'acebench-en': () => require('./acebench.js').read('en'),
  bfcl: () => require('./bfcl.js').read,
  clinc150: () => require('./clinc150.js').read,
  nlupp: () => require('./nlupp.js').read,
};

const PUBLIC_SETS = Object.freeze(Object.keys(READERS));

/** Reads the cases of a public set, one at a time. */
function readPublicSet(name, folder) {
  const reader = READERS[name];
  if (reader === undefined)
    throw new EvaluationError(`--set ${name}: there are ${PUBLIC_SETS.join(', ')}.`);
  return reader()(folder);
}

module.exports = { readPublicSet, PUBLIC_SETS };
