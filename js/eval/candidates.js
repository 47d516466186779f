'use strict';
// Expands the short forms of a case's answers into complete candidates. A gold answer proves that the
// case can be satisfied; a wrong answer proves that the scorer finds its fault.

const { escapeToken } = require('../pointer.js');

/** Expands a short form into a full core candidate; a string is a complete answer. */
function coreText(short, input) {
  if (typeof short === 'string') return short;
  const { intents = [], requirements = [], prohibitions = [] } = short;
  const items = intents.map(item);
  const [first] = intents;
  const main = first && [first.action ?? 'other', first.target].filter(Boolean).join(' ');
  return JSON.stringify({
    normalizedInput: short.normalizedInput ?? input,
    primaryIntent: short.primaryIntent === undefined ? (main ?? null) : short.primaryIntent,
    requirements,
    prohibitions,
    intents: items,
  });
}

function item({ action = null, target = null, requirements = [], ...rest }) {
  const blocks = { __proto__: null, ...rest };
  const questions = questionsOf(blocks);
  return {
    action,
    target,
    requirements,
    blockers: {
      clarificationReason: blocks.clarification ?? null,
      questions,
      confirmationReason: blocks.confirmation ?? null,
      conditionReason: blocks.condition ?? null,
    },
  };
}

const questionsOf = ({ questions = [] }) =>
  questions.map((one) =>
    typeof one === 'string' ? { question: one, options: [] } : { options: [], ...one },
  );

/**
 * Expands a short form into a full data candidate.
 *
 * @param {{ data, quotes?, verdicts?, issues?, absent? }} short - `quotes` has one or more quotes for
 * each JSON Pointer into `data`, from any source. Without quotes, a string or number is searched in the
 * sources; a value that is not found has the whole sources as its quotes.
 * @param {object} question - The question as the model received it (`ModelRequest.input`).
 */
function dataText(short, question) {
  if (typeof short === 'string') return short;
  const sources = [
    { sourceId: 'input', text: question.currentInput },
    ...question.context.map(({ sourceId, content }) => ({ sourceId, text: content })),
  ];
  const writer = new DataWriter(short, sources);
  return JSON.stringify(writer.write(question));
}

class DataWriter {
  #short;
  #sources;
  #evidence = [];
  #checks = [];

  constructor(short, sources) {
    this.#short = short;
    this.#sources = sources;
  }

  write({ selectedSchema, selectedFields }) {
    const { data, issues = [], absent = {} } = this.#short;
    this.#node(data, '');
    for (const [pointer, verdict] of Object.entries(this.#short.verdicts ?? {})) {
      const check = this.#checks.find(({ path }) => path === `/data${pointer}`);
      if (check) Object.assign(check, verdict);
    }
    return {
      data,
      evidence: this.#evidence,
      descriptionChecks: JSON.stringify(selectedSchema).includes('"description"')
        ? this.#checks
        : [],
      fieldResults: selectedFields.map((name) => fieldResult(name, data, issues, absent)),
      issues: issues.map(({ code, path, message }) => ({
        code,
        category: CATEGORY[code] ?? 'definition',
        path,
        message: message ?? 'See the input.',
      })),
    };
  }

  /** Writes evidence for every leaf and a verdict for every node; more than necessary is allowed. */
  #node(value, pointer) {
    const sources = this.#quotes(value, pointer);
    this.#checks.push({
      path: `/data${pointer}`,
      verdict: 'satisfied',
      explanation: 'It is what the text says.',
      sources,
    });
    const inner = typeof value === 'object' && value !== null ? Object.entries(value) : [];
    if (inner.length > 0) {
      for (const [key, below] of inner) this.#node(below, `${pointer}/${escapeToken(key)}`);
    } else if (pointer !== '') {
      const exact = typeof value === 'string' && sources.some(({ quote }) => quote === value);
      this.#evidence.push({
        path: `/data${pointer}`,
        mode: exact ? 'exact' : 'semantic',
        sources,
      });
    }
  }

  #quotes(value, pointer) {
    const given = this.#short.quotes?.[pointer];
    if (given !== undefined) return [given].flat().map((quote) => this.#place(quote));
    if (typeof value === 'string' || typeof value === 'number') {
      const found = this.#sources.find(({ text }) => holdsWord(text, String(value)));
      if (found) return [{ sourceId: found.sourceId, quote: String(value) }];
    }
    return this.#whole();
  }

  /** Quotes every source as a whole, for a value that they say in other words. */
  #whole() {
    const worded = this.#sources.filter(({ text }) => /[\p{L}\p{N}]/u.test(text));
    return (worded.length > 0 ? worded : this.#sources.slice(0, 1)).map(({ sourceId, text }) => ({
      sourceId,
      quote: text.trim(),
    }));
  }

  #place(quote) {
    if (typeof quote !== 'string') return quote;
    const source = this.#sources.find(({ text }) => text.includes(quote));
    return { sourceId: source?.sourceId ?? 'input', quote };
  }
}

const CATEGORY = {
  DATA_REQUIRED_MISSING: 'business_information',
  DATA_AMBIGUOUS: 'business_information',
  DATA_CONFLICT: 'business_information',
  DATA_DEPENDENCY_MISSING: 'business_information',
};

/** Returns whether a text contains a word that is not part of a longer run of letters and digits. */
function holdsWord(text, word) {
  if (!/[\p{L}\p{N}]/u.test(word)) return false;
  const inRun = (c) => c !== undefined && /[0-9A-Za-z０-９Ａ-Ｚａ-ｚ]/.test(c);
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const end = at + word.length;
    const cutsFirst = inRun(text[at - 1]) && inRun(text[at]);
    const cutsLast = inRun(text[end]) && inRun(text[end - 1]);
    if (!cutsFirst && !cutsLast) return true;
  }
  return false;
}

function fieldResult(name, data, issues, absent) {
  const path = `/data/${escapeToken(name)}`;
  const isOf = (issue) => issue.path === path || issue.path?.startsWith(`${path}/`);
  const status = issues.some(isOf)
    ? 'issue'
    : Object.hasOwn(data, name)
      ? 'extracted'
      : (absent[name] ?? 'not_provided');
  return { path, status, explanation: EXPLANATION[status] };
}

const EXPLANATION = {
  extracted: 'The text gives it.',
  not_provided: 'The text does not give it.',
  not_applicable: 'It does not apply here.',
  issue: 'See issues.',
};

/** Returns the reply to a question from a case's answers, `{ core, data }`. */
function answerFrom(answers, request) {
  const { stage, input } = request;
  if (input.repair !== undefined) {
    const detail = `a shipped answer was rejected: ${input.repair.diagnostic}`;
    return { outcome: 'incomplete', detail: detail.slice(0, 2000) };
  }
  if (stage === 'core') {
    const text = coreText(answers?.core ?? {}, input.currentInput.trim());
    return { outcome: 'complete', text };
  }
  return { outcome: 'complete', text: dataText(answers?.data ?? { data: {} }, input) };
}

module.exports = { answerFrom, coreText, dataText, holdsWord };
