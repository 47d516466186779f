// The error classes. Failures cross the boundary as data (`{ code, stage, message, issues,
// partialResult? }`), and become errors here.

const { types } = require('node:util');
const { DATA_ISSUE_CODES, ERROR_CODES } = require('./constants.js');
const { has, hide, own, property } = require('./properties.js');
const { faultsOf, httpOf, limitOf, read, retryableOf } = require('./error-facts.js');
const { didYouMean, quoted } = require('./text.js');

const STAGES = ['config', 'input', 'core', 'data', 'model', 'bridge'];
const CATEGORIES = ['input', 'config', 'business_information', 'definition', 'processing'];

const ISSUE_KEYS = ['code', 'category', 'path', 'message'];

/** A limit for arrays of callers, whose length can be arbitrary; no data stage reports nearly as many issues. */
const MOST_ISSUES = 10_000;

/** The stage of an error that was made without one, as in src/error/mod.rs; `model` otherwise. */
const STAGE_OF = {
  __proto__: null,
  CONFIG_INVALID: 'config',
  SCHEMA_UNSUPPORTED: 'config',
  HOST_CAPABILITY_UNSUPPORTED: 'config',
  INPUT_INVALID: 'input',
  UNKNOWN_FIELD: 'input',
  EXECUTOR_NOT_CONFIGURED: 'input',
  DATA_EXTRACTION_FAILED: 'data',
  BRIDGE_JOB_NOT_FOUND: 'bridge',
  BRIDGE_JOB_EXPIRED: 'bridge',
  BRIDGE_STEP_CONFLICT: 'bridge',
};

/** The message of an error that was made without one. */
const MESSAGE_OF = {
  __proto__: null,
  CONFIG_INVALID: 'The configuration is not valid.',
  SCHEMA_UNSUPPORTED: 'The schema uses a feature that is not supported.',
  INPUT_INVALID: 'The request is not valid.',
  UNKNOWN_FIELD: 'The schema does not define a field that was asked for.',
  LIMIT_EXCEEDED: 'A limit was exceeded.',
  RESOURCE_LIMIT: 'The response of the model service was larger than allowed.',
  EXECUTOR_NOT_CONFIGURED: 'No executor was configured; parse needs one.',
  INSTANCE_DISPOSED: 'The Intent was disposed.',
  MODEL_AUTH_FAILED: 'The model service refused the credentials.',
  MODEL_RATE_LIMITED: 'The model service refused the request because of its rate limit.',
  MODEL_REQUEST_FAILED: 'The request to the model failed.',
  MODEL_TIMEOUT: 'The model did not answer in time.',
  MODEL_ABORTED: 'The call was aborted.',
  MODEL_REFUSED: 'The model refused to answer.',
  MODEL_OUTPUT_INCOMPLETE: 'The model stopped before the end of its answer.',
  MODEL_OUTPUT_INVALID: 'The model did not give an acceptable candidate.',
  DATA_EXTRACTION_FAILED: 'The data could not be extracted; see issues.',
  HOST_CAPABILITY_UNSUPPORTED: 'The executor lacks a capability that is needed.',
  BRIDGE_JOB_NOT_FOUND: 'This session has no such job.',
  BRIDGE_JOB_EXPIRED: 'The job was idle for too long.',
  BRIDGE_STEP_CONFLICT: "The submission does not belong to the job's current step.",
};

/**
 * Marks the errors of all copies of this package in this process. There can be several: a bundle that
 * contains one, a second node_modules, a test runner that loads modules anew.
 */
const BRAND = Symbol.for('@devcodex/intent-runtime.IntentError');

/** The same for the subclass. */
const DATA_BRAND = Symbol.for('@devcodex/intent-runtime.IntentDataError');

class IntentError extends Error {
  // Declared, so that an assignment never calls a setter on Object.prototype.
  code;
  stage;
  issues;
  retryable;

  /**
   * Never throws, because an error is often made while another one is handled. Invalid arguments are
   * replaced; an unknown code becomes MODEL_REQUEST_FAILED, like any other thrown value.
   */
  constructor(code, options, ...older) {
    const given =
      typeof options === 'string' || older.length > 0
        ? { stage: options, message: own(older, 0), issues: own(older, 1) }
        : readable(options)
          ? options
          : {};
    const known = ERROR_CODES.includes(code);
    const use = known ? code : 'MODEL_REQUEST_FAILED';
    const message = sentence(code, known, read(given, 'message'));
    super(message + unknownOption(given), causeOf(given));
    const stage = read(given, 'stage');
    this.code = use;
    this.stage = STAGES.includes(stage) ? stage : (STAGE_OF[use] ?? 'model');
    // Hidden is what contains words of the user or of the model, which a logger would otherwise write down.
    hide(this, 'issues', issuesOf(read(given, 'issues')));
    const http = httpOf(read(given, 'http'));
    this.retryable = retryableOf(read(given, 'retryable'), use, this.stage, http);
    addWhereKnown(this, 'http', http);
    addWhereKnown(this, 'limit', limitOf(read(given, 'limit')));
    addWhereKnown(this, 'faults', faultsOf(read(given, 'faults')), false);
    Object.defineProperty(this, BRAND, { __proto__: null, value: true });
  }

  /** Returns `IntentError [CODE]: message`. */
  toString() {
    return `${this.name} [${this.code}]: ${this.message}`;
  }

  toJSON() {
    const { code, stage, message, issues } = this;
    const partialResult = property(this, 'partialResult');
    const json = { code, stage, message, issues: issues.map((issue) => ({ ...issue })) };
    return partialResult === undefined ? json : { ...json, partialResult };
  }
}

// On the prototype, as for the language's own errors. The subclass shares it.
hide(IntentError.prototype, 'name', 'IntentError');

/** Defines a property only if its value is known, like `cause`; otherwise it is absent, not `undefined`. */
function addWhereKnown(error, key, value, enumerable = true) {
  if (value !== undefined)
    Object.defineProperty(error, key, { __proto__: null, value, enumerable });
}

class IntentDataError extends IntentError {
  data;
  missing;

  constructor(_code, ...rest) {
    super('DATA_EXTRACTION_FAILED', ...rest);
    const [given] = rest;
    const data = readable(given) ? read(given, 'data') : undefined;
    const missing = readable(given) ? read(given, 'missing') : undefined;
    hide(this, 'data', typeof data === 'object' && data !== null ? data : {});
    this.missing = Array.isArray(missing) ? [...missing] : [];
    Object.defineProperty(this, DATA_BRAND, { __proto__: null, value: true });
  }

  toJSON() {
    const { data, missing } = this;
    return { ...super.toJSON(), data, missing: [...missing] };
  }
}

/** For `instanceof`: errors of other copies of this package count, too, except for subclasses of users. */
Object.defineProperty(IntentError, Symbol.hasInstance, {
  __proto__: null,
  value(thrown) {
    if (Function.prototype[Symbol.hasInstance].call(this, thrown)) return true;
    if (!isIntentError(thrown)) return false;
    return this === IntentError || (this === IntentDataError && own(thrown, DATA_BRAND) === true);
  },
});

/** Returns whether a value is an error of this package, made by this copy or by another one. */
function isIntentError(value) {
  return (
    typeof value === 'object' &&
    value !== null &&
    // A proxy may return another value at each read.
    !types.isProxy(value) &&
    own(value, BRAND) === true
  );
}

/**
 * Makes the error for `{ code, stage, message, issues, partialResult?, data?, missing?, retryable, limit?,
 * faults?, http?, report? }` from the native side.
 *
 * @param {{ cause?: unknown }} [options] - A `cause` of `undefined` is kept, because a caller may have
 * thrown `undefined`.
 */
function fromNative(serialized, options) {
  const { code } = serialized;
  const [partialResult, report] = ['partialResult', 'report'].map((key) => own(serialized, key));
  const Class = code === 'DATA_EXTRACTION_FAILED' ? IntentDataError : IntentError;
  const error = new Class(code, { ...serialized, ...options });
  if (partialResult !== undefined) hide(error, 'partialResult', partialResult);
  // Not enumerable, because it is long and would clutter a printed error.
  addWhereKnown(error, 'report', report, false);
  return error;
}

/**
 * Returns `{ code, stage, message, issues }` and the facts of an error of this package that an executor
 * threw; `undefined` for any other value. Its properties are read again and its texts are made well-formed,
 * so that a modified object also has the shape that the native side expects.
 */
function toNative(thrown) {
  if (!isIntentError(thrown)) return undefined;
  const error = new IntentError(read(thrown, 'code'), thrown);
  const { code, stage, message, issues, retryable } = error;
  const [http, limit, faults] = ['http', 'limit', 'faults'].map((key) => own(error, key));
  for (const issue of issues) {
    issue.message = issue.message.toWellFormed();
    issue.path = issue.path?.toWellFormed() ?? null;
  }
  const texts = faults?.map((fault) => fault.toWellFormed());
  return {
    code,
    stage,
    message: message.toWellFormed(),
    issues,
    http,
    limit,
    retryable,
    faults: texts,
  };
}

function sentence(code, known, message) {
  const text = typeof message === 'string' ? message : undefined;
  if (known) return text ?? MESSAGE_OF[code];
  const what = typeof code === 'string' ? `unknown code ${quoted(code)}` : 'no error code';
  return `${text ?? MESSAGE_OF.MODEL_REQUEST_FAILED} (This IntentError was made with ${what}.)`;
}

/** The options of an error, and the members that an error or its JSON has. */
const OPTIONS = ['stage', 'message', 'issues', 'cause', 'http', 'retryable', 'limit', 'faults'];
const MEMBERS = ['name', 'code', 'stack', 'partialResult', 'data', 'missing', 'report'];

/** Returns a remark for the message, because a constructor of errors must not throw itself. */
function unknownOption(given) {
  // An error that was thrown may have properties of its own.
  if (isIntentError(given)) return '';
  try {
    const known = (key) => OPTIONS.includes(key) || MEMBERS.includes(key);
    const other = Object.keys(given).find((key) => !known(key));
    if (other === undefined) return '';
    return ` (This IntentError was made with unknown option ${quoted(other)}${didYouMean(other, OPTIONS)}.)`;
  } catch {
    // A proxy of the caller's.
    return '';
  }
}

function causeOf(given) {
  try {
    return has(given, 'cause') ? { __proto__: null, cause: given.cause } : undefined;
  } catch {
    return undefined;
  }
}

function issuesOf(issues) {
  const kept = [];
  try {
    if (!Array.isArray(issues)) return kept;
    const count = Math.min(issues.length, MOST_ISSUES);
    for (let i = 0; i < count; i++) {
      if (!readable(issues[i])) continue;
      const [code, category, path, message] = ISSUE_KEYS.map((key) => property(issues[i], key));
      if (
        (DATA_ISSUE_CODES.includes(code) || ERROR_CODES.includes(code)) &&
        CATEGORIES.includes(category) &&
        (path === null || typeof path === 'string') &&
        typeof message === 'string'
      )
        kept.push({ code, category, path, message });
    }
  } catch {
    // A getter or proxy of the caller threw; the issues that were read so far are kept.
  }
  return kept;
}

function readable(value) {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

module.exports = {
  IntentError,
  IntentParseError: IntentError,
  IntentDataError,
  isIntentError,
  fromNative,
  toNative,
};
