'use strict';
// Writes candidates from short forms, and checks them when they are made.

const { coreText, dataText, holdsWord } = require('../eval/candidates.js');
const { own } = require('../properties.js');
const { tokensOf, valueAt } = require('../pointer.js');
const { quoted } = require('../text.js');
const { checkKeys, misuse, refusalError, runCandidates } = require('./check.js');

const CORE_KEYS = [
  'intents',
  'requirements',
  'prohibitions',
  'primaryIntent',
  'normalizedInput',
  'input',
  'proof',
];
const INTENT_KEYS = [
  'action',
  'target',
  'requirements',
  'clarification',
  'questions',
  'confirmation',
  'condition',
];

const SOME_INPUT = 'A request.';

/** Writes the text of a core candidate; see testing.d.ts. */
const coreCandidate = (given = {}) => {
  const short = checkKeys('coreCandidate: the candidate', given, CORE_KEYS);
  const { intents = [], input, proof, ...rest } = short;
  if (!Array.isArray(intents)) throw misuse('coreCandidate: intents must be an array.');
  const items = intents.map((one, i) =>
    explained(checkKeys(`coreCandidate: intents[${i}]`, one, INTENT_KEYS)),
  );
  const full = JSON.parse(coreText({ __proto__: null, ...rest, intents: items }, input?.trim()));
  // Without an input, the request consists of the words of the intents.
  full.normalizedInput ??= full.primaryIntent ?? SOME_INPUT;
  const text = JSON.stringify(proof === 'brief' ? briefCore(full) : full);
  const { error } = runCandidates({ proof }, { input: input ?? SOME_INPUT }, [text]);
  if (error !== undefined) throw refusalError('coreCandidate', error);
  return text;
};

/** Questions need a reason; the default is the first question. */
const explained = (one) => {
  const [first] = one.questions ?? [];
  if (one.clarification !== undefined || first === undefined) return one;
  return {
    __proto__: null,
    ...one,
    clarification: typeof first === 'string' ? first : first.question,
  };
};

const briefCore = ({ intents, ...rest }) => ({
  ...rest,
  intents: intents.map(({ blockers, ...item }) => {
    const { questions, ...reasons } = blockers;
    const open = questions.length > 0 || Object.values(reasons).some((reason) => reason !== null);
    return { ...item, blockers: open ? blockers : null };
  }),
});

const DATA_KEYS = ['data', 'quotes', 'verdicts', 'issues', 'absent'];
const REQUEST_KEYS = ['input', 'context', 'fields'];
const CONFIG_KEYS = [
  'schema',
  'proof',
  'evidence',
  'evidenceFrom',
  'unknownKeywords',
  'language',
  'limits',
];

const some = (value, keys) => {
  const entries = keys.filter((key) => key in value).map((key) => [key, value[key]]);
  return { __proto__: null, ...Object.fromEntries(entries) };
};

/** Returns the context for a request; it may also be that of a question, `request.input.context`. */
const contextOf = (context) => {
  if (!Array.isArray(context)) return context;
  const [first] = context;
  const isObject = typeof first === 'object' && first !== null;
  if (isObject && context.length === 1 && own(first, 'role') === 'background')
    return own(first, 'content');
  return context.map((message) => {
    if (typeof message !== 'object' || message === null) return message;
    const { sourceId, ...rest } = message;
    return rest;
  });
};

/** Writes the text of a data candidate; see testing.d.ts. */
const dataCandidate = (given) => {
  const keys = [...CONFIG_KEYS, ...REQUEST_KEYS, ...DATA_KEYS];
  const short = checkKeys('dataCandidate: the candidate', given, keys);
  const { data = {} } = short;
  if (typeof data !== 'object' || data === null || Array.isArray(data))
    throw misuse('dataCandidate: data must be an object.');
  const config = some(short, CONFIG_KEYS);
  const request = { ...some(short, REQUEST_KEYS), context: contextOf(short.context) };
  const core = coreCandidate({ intents: [{ action: 'other' }], proof: config.proof });
  const { asked, error } = runCandidates(config, request, [core]);
  if (error !== undefined) throw error;
  if (asked === undefined)
    throw misuse(
      'dataCandidate: no data question is asked: give a schema with properties, and fields that are not [].',
    );
  const selectedFields = asked.selectedFields ?? Object.keys(asked.selectedSchema.properties);
  checkPointers(short, data, sourceTexts(asked));
  const full = JSON.parse(
    dataText({ __proto__: null, ...some(short, DATA_KEYS), data }, { ...asked, selectedFields }),
  );
  const text = JSON.stringify(config.proof === 'brief' ? briefData(full, short, asked) : full);
  const outcome = runCandidates(config, request, [core, text]).error;
  // A candidate with issues is accepted; its outcome is an `IntentDataError`.
  if (outcome !== undefined && outcome.code !== 'DATA_EXTRACTION_FAILED')
    throw refusalError('dataCandidate', outcome, hintFor(outcome.faults ?? []));
  return text;
};

const sourceTexts = ({ currentInput, context }) => [
  currentInput,
  ...context.map(({ content }) => content),
];

/** Refuses quotes and verdicts for values that are not in `data`, and quotes that no source contains. */
const checkPointers = ({ quotes = {}, verdicts = {} }, data, texts) => {
  for (const pointer of [...Object.keys(quotes), ...Object.keys(verdicts)])
    if (
      (pointer !== '' && !pointer.startsWith('/')) ||
      valueAt(data, tokensOf(pointer)) === undefined
    )
      throw misuse(
        `dataCandidate: ${quoted(pointer)} in quotes or verdicts points at nothing in data; write it as "/field" or "/items/0".`,
      );
  for (const [pointer, given] of Object.entries(quotes))
    for (const quote of [given].flat())
      if (typeof quote !== 'string' || !texts.some((text) => text.includes(quote)))
        throw misuse(
          `dataCandidate: quotes[${quoted(pointer)}] holds ${quoted(String(quote))}, which stands to the letter in neither input nor context.`,
        );
};

const belowData = (path) => (path === null ? null : path.slice('/data'.length));

/** Writes the brief form, without the parts that the package finds by itself. */
const briefData = (full, { quotes = {} }, asked) => {
  const texts = sourceTexts(asked);
  const isFound = (path, [source]) =>
    !Object.hasOwn(quotes, path) &&
    texts.filter((text) => holdsWord(text, source.quote)).length === 1;
  const needed = full.evidence.filter(({ path, sources }) => {
    const below = belowData(path);
    const value = valueAt(full.data, tokensOf(below));
    const isWord = typeof value === 'string' || typeof value === 'number';
    return !(isWord && sources[0].quote === String(value) && isFound(below, sources));
  });
  return {
    data: full.data,
    quotes: needed.flatMap(({ path, sources }) =>
      sources.map(({ sourceId, quote }) => ({ path: belowData(path), source: sourceId, quote })),
    ),
    notes: [
      ...full.descriptionChecks
        .filter(({ verdict }) => verdict !== 'satisfied')
        .map(({ path, verdict, explanation }) => note(path, verdict, explanation)),
      ...full.fieldResults
        .filter(({ status }) => status === 'not_applicable')
        .map(({ path, status, explanation }) => note(path, status, explanation)),
      ...full.issues.map(({ path, code, message }) => note(path, code, message)),
    ],
  };
};

const note = (path, kind, why) => ({ path: belowData(path), kind, why });

/** Says what to change in the call, for faults whose text refers to the candidate. */
const hintFor = (faults) => {
  const all = faults.join('\n');
  const hints = [];
  if (/DATA_REQUIRED_MISSING|required/i.test(all))
    hints.push(
      "A required field that the text does not give needs an issue: issues: [{ code: 'DATA_REQUIRED_MISSING', path: '/data/<field>', message: '<question to the user>' }].",
    );
  if (/quot|evidence|stands in|source|numeral|digits/i.test(all))
    hints.push(
      "A value that the text says in other words needs its words: quotes: { '/<field>': '<words of input or context>' }. A value that no text says is not accepted.",
    );
  return hints.length === 0 ? undefined : hints.join('\n');
};

module.exports = { coreCandidate, dataCandidate };
