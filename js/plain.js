// Reading what callers pass: plain objects in, JSON text out.
//
// Only what must be JavaScript happens here: that an object is plain (its prototype is null or
// the Object.prototype of any realm, its keys are own, enumerable and known, nothing of it is an
// accessor) and that JSON can carry its values. What the values must be is the native side's to
// say. No getter of a plain object is ever called, and whatever a proxy throws becomes the one
// typed error.
//
// Scalars cross as they are. Where only a scalar can stand, an array crosses as `[]` and an
// object as `{}`: enough to be refused, whatever their size. A part of a request that JSON cannot
// carry crosses as `{"$invalid": "<message>"}` in its place, because the native side decides the
// order of complaints; nothing valid has that shape there.

const { DEFAULT_LIMITS } = require('./constants.js');
const { carried, emptyPlace, instead, TELLS_ITSELF } = require('./empty-subschema.js');
const { IntentError } = require('./errors.js');
const { jsonText } = require('./json.js');
const { has, own, property } = require('./own.js');
const { didYouMean, quoted, shown, wellFormed } = require('./text.js');

const { getOwnPropertyDescriptor, getPrototypeOf } = Object;
const { ownKeys } = Reflect;
const hasOwn = Object.hasOwn;

const MAX_TIMER_MS = 2147483647;
const SURROGATE = 'holds a lone surrogate, which no text can carry';

/** Why a value was refused, on its way to becoming an {@link IntentError}. */
class Refusal {
  // Told by this, since `instanceof` asks a thrown proxy for its prototype.
  #own;

  // Declared, so that what stands on Object.prototype is never theirs.
  message;
  code;
  cause;
  limit;

  constructor(message, facts) {
    const { code, cause, limit } = { __proto__: null, ...facts };
    this.message = message;
    this.code = code;
    this.cause = cause;
    this.limit = limit;
  }

  static is(thrown) {
    return typeof thrown === 'object' && thrown !== null && #own in thrown;
  }
}

/** The typed error for whatever was thrown while something of the caller's was read. */
function refused(thrown, code, what) {
  if (Refusal.is(thrown)) {
    const { message, cause, limit } = thrown;
    const options = { message: `${message}.`, stage: stageOf(code), limit };
    return new IntentError(
      thrown.code ?? code,
      cause === undefined ? options : { ...options, cause },
    );
  }
  return new IntentError(code, {
    message: `${what} cannot be read: something of it threw.`,
    cause: thrown,
  });
}

const stageOf = (code) => (code === 'INPUT_INVALID' ? 'input' : 'config');

// -----------------------------------------------------------------------------------------------
// Objects and values

/** Whether an object's prototype is null or the Object.prototype of any realm. */
function isPlain(object) {
  const proto = getPrototypeOf(object);
  return (
    proto === Object.prototype ||
    proto === null ||
    (getPrototypeOf(proto) === null &&
      hasOwn(proto, 'isPrototypeOf') &&
      hasOwn(proto, 'hasOwnProperty'))
  );
}

/** The name of an object's class; read so that no code of the class runs. */
function classOf(object) {
  const maker = Object.getOwnPropertyDescriptor(getPrototypeOf(object), 'constructor')?.value;
  const name = typeof maker === 'function' && Object.getOwnPropertyDescriptor(maker, 'name')?.value;
  return typeof name === 'string' && name !== '' ? shown(name) : 'a class';
}

/** What a value is, for messages; never the value itself, which may be secret or long. */
function kind(value) {
  switch (typeof value) {
    case 'undefined':
      return 'undefined';
    case 'number':
      return Number.isFinite(value) ? 'a number' : String(value);
    case 'object':
      if (value === null) return 'null';
      if (Array.isArray(value)) return 'an array';
      return isPlain(value) ? 'an object' : `an instance of ${classOf(value)}`;
    default:
      return `a ${typeof value}`;
  }
}

/**
 * The values of a plain object by its known keys.
 *
 * @param {object} into - Has every known key, and receives the values.
 */
function readMembers(value, what, into) {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !isPlain(value))
    throw new Refusal(`${what} must be a plain object, got ${kind(value)}`);
  const keys = ownKeys(value);
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i];
    if (typeof key === 'symbol' || !hasOwn(into, key)) throw unknownKey(what, key, into);
    into[key] = dataOf(value, key, what);
  }
  return into;
}

/** The value of one own property that is enumerable and no accessor. */
function dataOf(object, key, what) {
  const property = getOwnPropertyDescriptor(object, key);
  if (property === undefined) return undefined;
  if (!hasOwn(property, 'value'))
    throw new Refusal(`${member(what, key)} must be a value, not an accessor`);
  if (!property.enumerable) throw new Refusal(`${member(what, key)} must be enumerable`);
  return property.value;
}

function unknownKey(what, key, known) {
  if (typeof key === 'symbol')
    return new Refusal(`${what} must not have symbols as keys, got ${shown(String(key))}`);
  const names = Object.keys(known);
  const guess = didYouMean(key, names);
  const rest = guess || (names.length > 8 ? '' : `; it takes ${names.join(', ')}`);
  return new Refusal(`${what}: unknown key ${quoted(key)}${rest}`);
}

/** A path with one more name: `a.b`, or `a["b c"]` where a dot would mislead. */
function member(path, key) {
  if (typeof key === 'number') return `${path}[${key}]`;
  const whole = path === 'config' || path === 'request' ? '' : path;
  if (!/^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(key)) return `${whole}[${quoted(key)}]`;
  return whole === '' ? shown(key) : `${whole}.${shown(key)}`;
}

/**
 * The elements of an array that has no hole, no accessor and nothing besides its elements.
 *
 * @param {() => string} what
 */
function readElements(array, what) {
  const { length } = array;
  const elements = [];
  for (let i = 0; i < length; i++) {
    const property = getOwnPropertyDescriptor(array, i);
    if (property === undefined) throw new Refusal(`${what()} has a hole at index ${i}`);
    if (!hasOwn(property, 'value'))
      throw new Refusal(`${what()}[${i}] must be a value, not an accessor`);
    elements.push(property.value);
  }
  if (Object.keys(array).length !== length)
    throw new Refusal(`${what()} is an array with keys besides its elements`);
  return elements;
}

/** A scalar that JSON can carry as it is; an empty array or object for all else that JSON has. */
function scalar(value, what, must) {
  switch (typeof value) {
    case 'string':
      if (!value.isWellFormed()) throw new Refusal(`${what} ${SURROGATE}`);
      return value;
    case 'number':
      if (Number.isFinite(value)) return value;
      break;
    case 'boolean':
      return value;
    case 'object':
      if (value === null) return null;
      if (Array.isArray(value)) return [];
      if (isPlain(value)) return {};
      break;
    default:
  }
  throw new Refusal(`${what} must be ${must}, got ${kind(value)}`);
}

/** The {@link scalar} of each value that is given. */
function scalars(values, musts, prefix = '') {
  const read = { __proto__: null };
  for (const key of Object.keys(musts))
    if (values[key] !== undefined) read[key] = scalar(values[key], prefix + key, musts[key]);
  return read;
}

// -----------------------------------------------------------------------------------------------
// Configuration of an Intent

const CONFIG_MUST = {
  language: 'a string',
  timeoutMs: `an integer from 0 to ${MAX_TIMER_MS} milliseconds`,
  repairAttempts: '0 or 1',
  unknownKeywords: '"refuse" or "annotate"',
  dataWithoutIntent: '"ask" or "skip"',
  proof: '"full" or "brief"',
};

const LEVEL = '"exact", "bound" or "any"';

const LIMITS_MUST = {
  ...Object.fromEntries(
    Object.keys(DEFAULT_LIMITS).map((name) => [name, 'a positive safe integer']),
  ),
  maxValidationMs: `a positive integer of at most ${MAX_TIMER_MS} milliseconds`,
  maxQueuedParses: '0 or a positive safe integer',
};

const blank = (names) => Object.fromEntries(Object.keys(names).map((name) => [name, undefined]));

/**
 * Reads what `new Intent` takes.
 *
 * @param {unknown} config - `undefined` is `{}`.
 * @returns {{
 *   json: string,
 *   schemaText: string | undefined,
 *   schemaOrigin: 'json' | 'standard' | undefined,
 *   executor: object | Function | undefined,
 *   executorId: string | undefined,
 * }} `json` has all but `schema` and `executor`, as far as it is given.
 * @throws {IntentError} `CONFIG_INVALID`, `SCHEMA_UNSUPPORTED`, `LIMIT_EXCEEDED` or
 * `HOST_CAPABILITY_UNSUPPORTED`, stage `config`.
 */
function readConfig(config) {
  let read;
  let limits;
  let json;
  let executorId;
  try {
    read = readMembers(config === undefined ? {} : config, 'config', {
      language: undefined,
      schema: undefined,
      executor: undefined,
      timeoutMs: undefined,
      repairAttempts: undefined,
      limits: undefined,
      unknownKeywords: undefined,
      evidence: undefined,
      evidenceFrom: undefined,
      dataWithoutIntent: undefined,
      proof: undefined,
    });
    limits =
      read.limits === undefined
        ? {}
        : scalars(readMembers(read.limits, 'limits', blank(LIMITS_MUST)), LIMITS_MUST, 'limits.');
    const evidence = ofPolicy(read.evidence);
    const evidenceFrom = ofSources(read.evidenceFrom);
    json = jsonText({ ...scalars(read, CONFIG_MUST), limits, evidence, evidenceFrom });
    if (read.executor !== undefined) executorId = checkExecutor(read.executor);
  } catch (thrown) {
    throw refused(thrown, 'CONFIG_INVALID', 'config');
  }
  const schema = read.schema === undefined ? undefined : readSchema(read.schema, limits);
  return {
    json,
    schemaText: schema?.text,
    schemaOrigin: schema?.origin,
    executor: read.executor,
    executorId,
  };
}

/** A level of evidence, or levels by pointer. */
function ofPolicy(policy) {
  if (typeof policy !== 'object' || policy === null || Array.isArray(policy))
    return policy === undefined ? undefined : scalar(policy, 'evidence', `${LEVEL}, or an object`);
  if (!isPlain(policy))
    throw new Refusal(`evidence must be ${LEVEL}, or a plain object, got ${kind(policy)}`);
  const levels = { __proto__: null };
  for (const pointer of ownKeys(policy)) {
    if (typeof pointer === 'symbol') throw unknownKey('evidence', pointer, {});
    const place = member('evidence', pointer);
    if (!pointer.isWellFormed()) throw new Refusal(`${place}: the pointer ${SURROGATE}`);
    levels[pointer] = scalar(dataOf(policy, pointer, 'evidence') ?? null, place, LEVEL);
  }
  return levels;
}

function ofSources(sources) {
  if (!Array.isArray(sources))
    return sources === undefined ? undefined : scalar(sources, 'evidenceFrom', 'an array of names');
  const names = readElements(sources, () => 'evidenceFrom');
  return names.map((name, i) => scalar(name, `evidenceFrom[${i}]`, 'a string'));
}

const EXECUTOR = 'an object { id: "name", generate(request) { … } }';

/** An executor may be an instance of any class, so its getters are called. Returns its id. */
function checkExecutor(executor) {
  if ((typeof executor !== 'object' && typeof executor !== 'function') || executor === null)
    throw new Refusal(`executor must be ${EXECUTOR}, got ${kind(executor)}`);
  const id = ofExecutor(executor, 'id');
  if (typeof id !== 'string') {
    if (typeof executor === 'function')
      throw new Refusal(
        `executor must be ${EXECUTOR}, got a function; make it the generate of one`,
      );
    if (typeof ofExecutor(executor, 'then') === 'function')
      throw new Refusal(`executor must be ${EXECUTOR}, got a promise; await it first`);
    throw new Refusal(`executor.id must be a string, got ${kind(id)}; an executor is ${EXECUTOR}`);
  }
  if (!id.isWellFormed()) throw new Refusal(`executor.id ${SURROGATE}`);
  const generate = ofExecutor(executor, 'generate');
  if (typeof generate !== 'function')
    throw new Refusal(`executor.generate must be a function, got ${kind(generate)}`);
  const capabilities = ofExecutor(executor, 'capabilities');
  if (capabilities !== undefined) checkCapabilities(capabilities);
  return id;
}

function checkCapabilities(capabilities) {
  const read = readMembers(capabilities, 'executor.capabilities', {
    nativeJsonSchema: undefined,
    nativeJsonObject: undefined,
    isolatedTurn: undefined,
    supportsAbort: undefined,
  });
  for (const [key, value] of Object.entries(read))
    if (typeof value !== 'boolean')
      throw new Refusal(`executor.capabilities.${key} must be a boolean, got ${kind(value)}`);
  if (!read.supportsAbort)
    throw new Refusal(
      'executor.capabilities.supportsAbort is false, but a parse that ends must be able to stop ' +
        'its model call',
      { code: 'HOST_CAPABILITY_UNSUPPORTED' },
    );
}

function ofExecutor(executor, key) {
  try {
    return property(executor, key);
  } catch (cause) {
    throw new Refusal(`executor.${key} cannot be read: it threw`, { cause });
  }
}

// -----------------------------------------------------------------------------------------------
// Schemas

/** Whether a value or its class has a `toJSON`; one that everything inherits says nothing. */
const hasToJSON = (value) =>
  'toJSON' in value &&
  has(value, 'toJSON') &&
  (hasOwn(value, 'toJSON') || !hasOwn(Array.prototype, 'toJSON'));

/** Deeper nesting is past every sensible `maxSchemaDepth`, and past the native reader's own. */
const MAX_SCHEMA_NESTING = 512;

/**
 * Room for what the native side drops before it counts (`_label`, `$id`, ...). Only a graph that
 * holds one part many times grows far past the limit.
 */
const schemaRoom = (limit) => 8 * limit + 65536;

/** What a schema's graph may be. */
const schemaBounds = (limit) => ({
  root: 'schema',
  room: schemaRoom(limit),
  nesting: MAX_SCHEMA_NESTING,
  tooLong: () =>
    new Refusal(`The schema exceeds limits.maxSchemaBytes (${limit})`, {
      code: 'LIMIT_EXCEEDED',
      cause: undefined,
      limit: { name: 'maxSchemaBytes', max: limit },
    }),
  tooDeep: () =>
    new Refusal(
      `The schema exceeds limits.maxSchemaDepth: it nests more than ${MAX_SCHEMA_NESTING} levels deep`,
      {
        code: 'LIMIT_EXCEEDED',
        limit: { name: 'maxSchemaDepth', max: MAX_SCHEMA_NESTING },
      },
    ),
});

/**
 * Reads a JSON Schema, or asks a Standard JSON Schema for its own.
 *
 * @param {unknown} schema
 * @param {{ maxSchemaBytes?: unknown }} [limits] - As the caller gave them.
 * @returns {{ text: string, origin: 'json' | 'standard' }}
 * @throws {IntentError} `SCHEMA_UNSUPPORTED` or `LIMIT_EXCEEDED`, stage `config`.
 */
function readSchema(schema, limits = { maxSchemaBytes: undefined }) {
  try {
    const { value, origin, vendor } = schemaOf(schema);
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new Refusal(`schema must be an object, got ${kind(value)}`);
    const maxSchemaBytes = own(limits, 'maxSchemaBytes');
    const limit =
      Number.isSafeInteger(maxSchemaBytes) && maxSchemaBytes > 0
        ? maxSchemaBytes
        : DEFAULT_LIMITS.maxSchemaBytes;
    const text = new JsonWriter(schemaBounds(limit)).write(value);
    if (vendor !== undefined) refuseEmptyPlaces(text, vendor);
    return { text, origin };
  } catch (thrown) {
    throw refused(thrown, 'SCHEMA_UNSUPPORTED', 'schema');
  }
}

/**
 * The JSON Schema of a Standard JSON Schema; anything else as it is.
 *
 * A plain object on which `~standard` is not enumerable is a JSON Schema that such a library made
 * (`z.toJSONSchema`), and says itself what it means; the mark tells where it comes from.
 */
function schemaOf(schema) {
  if ((typeof schema !== 'object' && typeof schema !== 'function') || schema === null)
    return { value: schema, origin: 'json' };
  if (!has(schema, '~standard')) return { value: schema, origin: 'json' };
  if (
    typeof schema === 'object' &&
    isPlain(schema) &&
    getOwnPropertyDescriptor(schema, '~standard')?.enumerable === false
  )
    return { value: schema, origin: 'standard' };
  let vendor;
  try {
    const standard = schema['~standard'];
    const named = memberOf(standard, 'vendor');
    vendor = typeof named === 'string' ? named : '';
    const converter = memberOf(standard, 'jsonSchema');
    const input = memberOf(converter, 'input');
    if (typeof input !== 'function')
      throw new Refusal(
        `schema is a Standard Schema${vendorOf(standard)} without ~standard.jsonSchema; pass ` +
          `its JSON Schema in place of it: ${conversionOf(schema, standard)}`,
      );
    const value = inFirstOf(['draft-07', 'draft-2020-12'], (target) =>
      input.call(converter, { target }),
    );
    return { value, origin: 'standard', vendor };
  } catch (cause) {
    if (Refusal.is(cause)) throw cause;
    // The library's conversion refused; what threw before that says nothing of types.
    const advice = vendor === undefined ? '' : `; use types that JSON carries, ${carried(vendor)}`;
    throw new Refusal(`schema cannot be written as JSON Schema: ${reasonOf(cause)}${advice}`, {
      cause,
    });
  }
}

/** What a library wrote for its own type says something of every value. */
function refuseEmptyPlaces(text, vendor) {
  if (TELLS_ITSELF.includes(vendor)) return;
  const path = emptyPlace(JSON.parse(text));
  if (path !== undefined)
    throw new Refusal(
      `${path.reduce(member, 'schema')}: the library wrote an empty schema, as it does for a type ` +
        `that JSON cannot carry (a Date, an instance of a class); write ${instead(vendor)}`,
    );
}

/** A property of what a caller's object holds, where that is an object or function at all. */
function memberOf(value, key) {
  return (typeof value === 'object' && value !== null) || typeof value === 'function'
    ? property(value, key)
    : undefined;
}

/** What a library gives for the first target that it knows; for none, its first refusal. */
function inFirstOf([target, ...others], write) {
  try {
    return write(target);
  } catch (refusal) {
    for (const other of others) {
      try {
        return write(other);
      } catch {}
    }
    throw refusal;
  }
}

/** The call that makes a JSON Schema of a schema whose library has no Standard JSON Schema. */
function conversionOf(schema, standard) {
  const vendor = memberOf(standard, 'vendor');
  // Zod 4 and zod/mini mark their schemas so; Zod 3 does not.
  if (vendor === 'zod')
    return has(schema, '_zod')
      ? 'z.toJSONSchema(schema), of zod'
      : 'zodToJsonSchema(schema), of the package zod-to-json-schema, or move to Zod 4';
  if (vendor === 'valibot') return 'toJsonSchema(schema), of the package @valibot/to-json-schema';
  if (vendor === 'effect') return 'JSONSchema.make(schema), of effect';
  return "look for the library's own conversion, or for a version that implements Standard JSON Schema";
}

function vendorOf(standard) {
  const vendor = memberOf(standard, 'vendor');
  return typeof vendor === 'string' ? ` (vendor ${quoted(vendor)})` : '';
}

function reasonOf(cause) {
  try {
    const { message } = cause;
    if (typeof message === 'string') return shown(message).replace(/\.$/, '');
  } catch {
    // Whatever it is, it does not say.
  }
  return 'its ~standard.jsonSchema threw';
}

/** Text that JSON writes as it is. */
const UNESCAPED = /^[ !#-[\]-~]*$/;

/** A JSON string. The names and values of most schemas need no escape, and no call. */
const quote = (text) => (UNESCAPED.test(text) ? `"${text}"` : JSON.stringify(text));

/**
 * Writes an object graph as JSON text, and names the path of what JSON cannot carry. Each part is
 * read once, and nothing of the caller's is called.
 */
class JsonWriter {
  #bounds;
  #room;
  #path = [];
  /** The objects that hold the present one. */
  #open = [];

  constructor(bounds) {
    this.#bounds = bounds;
    this.#room = bounds.room;
  }

  write(value) {
    switch (typeof value) {
      case 'string':
        if (!value.isWellFormed()) this.#refuse(SURROGATE);
        this.#count(value.length + 3);
        return quote(value);
      case 'number':
        if (!Number.isFinite(value)) break;
        this.#count(2);
        return JSON.stringify(value);
      case 'boolean':
        this.#count(5);
        return String(value);
      case 'object':
        if (value !== null) return this.#container(value);
        this.#count(5);
        return 'null';
      default:
    }
    return this.#refuse(`must be a JSON value, got ${kind(value)}`);
  }

  #container(value) {
    if (this.#open.includes(value)) this.#refuse('holds itself; JSON cannot carry a cycle');
    if (this.#open.length === this.#bounds.nesting) throw this.#bounds.tooDeep();
    if (!Array.isArray(value) && !isPlain(value))
      this.#refuse(`must be a JSON value, got ${kind(value)}`);
    // An own enumerable one is looked at below, like every other property.
    if (hasToJSON(value) && getOwnPropertyDescriptor(value, 'toJSON')?.enumerable !== true)
      this.#refuse('must be a JSON value, not an object with a method toJSON');
    this.#count(2);
    this.#open.push(value);
    const text = Array.isArray(value) ? this.#elements(value) : this.#members(value);
    this.#open.pop();
    return text;
  }

  #elements(array) {
    const elements = readElements(array, () => this.#at());
    let text = '';
    for (let i = 0; i < elements.length; i++) {
      this.#path.push(i);
      text += i === 0 ? this.write(elements[i]) : `,${this.write(elements[i])}`;
      this.#path.pop();
    }
    return `[${text}]`;
  }

  /** Symbols and what is not enumerable are marks of libraries, and no part of the schema. */
  #members(object) {
    let text = '';
    for (const key of Object.keys(object)) {
      this.#path.push(key);
      if (!key.isWellFormed()) this.#refuse(`the key ${SURROGATE}`);
      this.#count(key.length + 3);
      const property = getOwnPropertyDescriptor(object, key);
      if (!hasOwn(property, 'value')) this.#refuse('must be a value, not an accessor');
      text += `${text === '' ? '' : ','}${quote(key)}:${this.write(property.value)}`;
      this.#path.pop();
    }
    return `{${text}}`;
  }

  /** At least so many characters go into the text. */
  #count(characters) {
    this.#room -= characters;
    if (this.#room < 0) throw this.#bounds.tooLong();
  }

  #at() {
    const path = this.#path.reduce(member, this.#bounds.root);
    return path.length > 300 ? `${path.slice(0, 200)}…${path.slice(-90)}`.toWellFormed() : path;
  }

  #refuse(problem) {
    throw new Refusal(`${this.#at()}: ${problem}`);
  }
}

// -----------------------------------------------------------------------------------------------
// Requests

/**
 * Reads the request of `parse`, or of a session's `prepare`.
 *
 * @param {number} count - How many arguments the caller gave.
 * @param {unknown} request
 * @param {{ signal?: true, instance?: true }} keys - Which keys it has besides `input`,
 * `fields` and `context`.
 * @returns {{ text: string, signal: AbortSignal | undefined }} `text` is a JSON object with
 * `instance`, `input`, `fields`, `context` and `evidence` as far as they are given.
 * @throws {IntentError} `INPUT_INVALID`, stage `input`, where the request's shape is wrong.
 */
function readRequest(count, request, keys) {
  try {
    checkCount(count);
    const read = readMembers(request, 'request', {
      input: undefined,
      fields: undefined,
      context: undefined,
      evidence: undefined,
      ...blank(keys),
    });
    const { input, fields, context, evidence } = read;
    const instance = own(read, 'instance');
    const signal = own(read, 'signal');
    const onCore = own(read, 'onCore');
    if (onCore !== undefined && typeof onCore !== 'function')
      throw new Refusal(`onCore must be a function, got ${kind(onCore)}`);
    if (signal !== undefined && !isAbortSignal(signal))
      throw new Refusal(`signal must be an AbortSignal, got ${kind(signal)}`);
    const text = jsonText({
      instance: given(instance, 'instance', ofText),
      input: given(input, 'input', ofText),
      fields: given(fields, 'fields', ofFields),
      context: given(context, 'context', ofContext),
      evidence: given(evidence, 'evidence', ofFlag),
    });
    return { text, signal, onCore };
  } catch (thrown) {
    throw refused(thrown, 'INPUT_INVALID', 'request');
  }
}

function checkCount(count) {
  if (count !== 1) throw new Refusal(`expected exactly one argument, the request, got ${count}`);
}

/** What a part of the request crosses as: itself, or the marker that says why it cannot. */
function given(value, what, read) {
  if (value === undefined) return undefined;
  try {
    return read(value, what);
  } catch (thrown) {
    return { $invalid: refused(thrown, 'INPUT_INVALID', what).message };
  }
}

function ofText(value, what) {
  return scalar(value, what, 'a string');
}

function ofFlag(value, what) {
  return scalar(value, what, 'true or false');
}

function ofFields(fields, what) {
  if (!Array.isArray(fields)) return scalar(fields, what, 'an array of strings');
  const names = readElements(fields, () => what);
  for (let i = 0; i < names.length; i++)
    if (!isText(names[i])) names[i] = scalar(names[i], `${what}[${i}]`, 'a string');
  return names;
}

function ofContext(context, what) {
  if (!Array.isArray(context)) return scalar(context, what, 'a string or an array of messages');
  const messages = readElements(context, () => what);
  for (let i = 0; i < messages.length; i++) messages[i] = ofMessage(messages[i], `${what}[${i}]`);
  return messages;
}

function ofMessage(message, what) {
  if (typeof message !== 'object' || message === null || Array.isArray(message))
    return scalar(message, what, 'a plain object');
  const read = readMembers(message, what, { role: undefined, content: undefined });
  return isText(read.role) && isText(read.content) ? read : scalars(read, MESSAGE_MUST, `${what}.`);
}

const MESSAGE_MUST = { role: '"user", "assistant" or "tool"', content: 'a string' };

/** Whether a value is a text that JSON can carry. */
function isText(value) {
  return typeof value === 'string' && value.isWellFormed();
}

/** An AbortSignal of any realm, or of a library that stands in for it. */
function isAbortSignal(value) {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof value.aborted === 'boolean' &&
    typeof value.addEventListener === 'function' &&
    typeof value.removeEventListener === 'function'
  );
}

/**
 * Reads the request of a session's `accept`. What is no string comes back as `undefined`: an
 * unknown job outranks it.
 *
 * @returns {{
 *   jobId: string | undefined,
 *   stepToken: string | undefined,
 *   candidateText: string | undefined,
 *   invalid: string | undefined,
 * }} `invalid` says which of `stepToken` and `candidateText` is wrong; `candidateText` is
 * {@link wellFormed}.
 * @throws {IntentError} `INPUT_INVALID`, stage `input`, where the request's shape is wrong.
 */
function readAccept(count, request) {
  try {
    checkCount(count);
    const { jobId, stepToken, candidateText } = readMembers(request, 'request', {
      jobId: undefined,
      stepToken: undefined,
      candidateText: undefined,
    });
    return {
      __proto__: null,
      jobId: textOr(jobId),
      stepToken: textOr(stepToken),
      candidateText: typeof candidateText === 'string' ? wellFormed(candidateText) : undefined,
      invalid:
        wrongText(stepToken, 'stepToken') ??
        (typeof candidateText === 'string' ? undefined : wrongText(candidateText, 'candidateText')),
    };
  } catch (thrown) {
    throw refused(thrown, 'INPUT_INVALID', 'request');
  }
}

/**
 * Reads the request of a session's `cancel`, like {@link readAccept}.
 *
 * @returns {{
 *   jobId: string | undefined,
 *   outcome: string | undefined,
 *   detail: string | undefined,
 *   invalid: string | undefined,
 * }} `invalid` says which of `outcome` and `detail` is given and no text.
 * @throws {IntentError} `INPUT_INVALID`, stage `input`, where the request's shape is wrong.
 */
function readCancel(count, request) {
  try {
    checkCount(count);
    const { jobId, outcome, detail } = readMembers(request, 'request', {
      jobId: undefined,
      outcome: undefined,
      detail: undefined,
    });
    return {
      jobId: textOr(jobId),
      outcome: textOr(outcome),
      detail: textOr(detail),
      invalid:
        (outcome === undefined ? undefined : wrongText(outcome, 'outcome')) ??
        (detail === undefined ? undefined : wrongText(detail, 'detail')),
    };
  } catch (thrown) {
    throw refused(thrown, 'INPUT_INVALID', 'request');
  }
}

/**
 * The job that a request names, where the rest of it is refused: for the reply to tell what became
 * of the job.
 */
function namedJob(request) {
  try {
    const property = getOwnPropertyDescriptor(request, 'jobId');
    return hasOwn(property, 'value') ? textOr(property.value) : undefined;
  } catch {
    return undefined; // No object, no such key, or a proxy that throws.
  }
}

const textOr = (value) => (isText(value) ? value : undefined);

/** What is wrong with a value that should be a text; `undefined` where it is one. */
function wrongText(value, what) {
  if (typeof value !== 'string') {
    const parsed = what === 'candidateText' && typeof value === 'object' && value !== null;
    const hint = parsed ? '; pass its JSON text: JSON.stringify(candidate)' : '';
    return `${what} must be a string, got ${kind(value)}${hint}.`;
  }
  return value.isWellFormed() ? undefined : `${what} ${SURROGATE}.`;
}

// -----------------------------------------------------------------------------------------------
// Configuration of the other entries

const CAPACITY = `a positive integer of at most ${MAX_TIMER_MS}`;
const LIFETIME = `an integer from 0 to ${MAX_TIMER_MS}`;
const BRIDGE_MUST = {
  maxJobs: CAPACITY,
  maxReplayEntries: CAPACITY,
  maxReplayBytes: CAPACITY,
  jobTtlMs: LIFETIME,
  replayTtlMs: LIFETIME,
};

/**
 * Reads what `createIntentBridge` takes.
 *
 * @param {unknown} config
 * @param {{ isIntent(value: unknown): boolean, make(config: object): object }} keeper
 * @returns {{ instances: [name: string, intent: object][], json: string }} `json` has the
 * capacities as far as they are given.
 * @throws {IntentError} `CONFIG_INVALID`, stage `config`.
 */
function readBridgeConfig(config, keeper) {
  try {
    const read = readMembers(config, 'config', { instances: undefined, ...blank(BRIDGE_MUST) });
    return bridgeOf(read, keeper);
  } catch (thrown) {
    throw refused(thrown, 'CONFIG_INVALID', 'config');
  }
}

/**
 * Reads what `serveIntentMcp` takes: {@link readBridgeConfig}, and the transport.
 *
 * @returns {{
 *   instances: [name: string, intent: object][],
 *   json: string,
 *   transport: object | undefined,
 * }}
 * @throws {IntentError} `CONFIG_INVALID`, stage `config`.
 */
function readMcpConfig(config, keeper) {
  try {
    const read = readMembers(config, 'config', {
      instances: undefined,
      ...blank(BRIDGE_MUST),
      transport: undefined,
    });
    const { transport } = read;
    if (transport !== undefined) checkTransport(transport);
    return { ...bridgeOf(read, keeper), transport };
  } catch (thrown) {
    throw refused(thrown, 'CONFIG_INVALID', 'config');
  }
}

function bridgeOf(read, keeper) {
  return {
    instances: instancesOf(read.instances, keeper),
    json: jsonText(scalars(read, BRIDGE_MUST)),
  };
}

function instancesOf(instances, keeper) {
  if (
    typeof instances !== 'object' ||
    instances === null ||
    Array.isArray(instances) ||
    !isPlain(instances)
  )
    throw new Refusal(
      `instances must be a plain object of Intents by name, got ${kind(instances)}`,
    );
  const entries = ownKeys(instances).map((name) => {
    if (typeof name === 'symbol') throw unknownKey('instances', name, {});
    if (!name.isWellFormed())
      throw new Refusal(`${member('instances', name)}: the name ${SURROGATE}`);
    const given = dataOf(instances, name, 'instances');
    if (keeper.isIntent(given)) return [name, given];
    if (kind(given) !== 'an object')
      throw new Refusal(
        `${member('instances', name)} must be an Intent of this package or its configuration, got ${kind(given)}`,
      );
    try {
      return [name, keeper.make(given)];
    } catch (error) {
      const message = `${member('instances', name)}: ${error.message.replace(/\.$/, '')}`;
      throw new Refusal(message, { code: error.code });
    }
  });
  if (entries.length === 0) throw new Refusal('instances must hold at least one Intent');
  return entries;
}

/** A transport is an instance of somebody's class; only what is called of it matters. */
function checkTransport(transport) {
  if (typeof transport !== 'object' || transport === null)
    throw new Refusal(`transport must be an MCP transport, got ${kind(transport)}`);
  for (const name of ['start', 'send', 'close'])
    if (typeof transport[name] !== 'function')
      throw new Refusal(`transport.${name} must be a function, got ${kind(transport[name])}`);
}

const API_MUST = {
  provider: '"openai" or "xai"',
  protocol: '"responses" or "chat-completions"',
  model: 'a string',
  apiKey: 'a string or a function that gives one',
  baseURL: 'a string',
  maxOutputTokens: 'a positive safe integer',
  maxResponseBytes: 'a positive safe integer',
  format: '"json_schema", "json_object" or "text"',
  outputLimit: '"max_completion_tokens", "max_tokens" or "none"',
};

/**
 * Reads what `createApiExecutor` takes.
 *
 * @returns {{ json: string, keyOf: (() => unknown) | undefined }} A JSON object with what is given,
 * without `apiKey` where that is a function.
 * @throws {IntentError} `CONFIG_INVALID`, stage `config`; no message shows a value.
 */
function readApiConfig(config) {
  try {
    const read = readMembers(config, 'config', {
      ...blank(API_MUST),
      headers: undefined,
      body: undefined,
    });
    const keyOf = typeof read.apiKey === 'function' ? read.apiKey : undefined;
    const given = scalars(keyOf === undefined ? read : { ...read, apiKey: undefined }, API_MUST);
    const headers = read.headers === undefined ? undefined : readHeaders(read.headers);
    const body = read.body === undefined ? undefined : readBody(read.body);
    return { json: jsonText({ ...given, headers, body }), keyOf };
  } catch (thrown) {
    throw refused(thrown, 'CONFIG_INVALID', 'config');
  }
}

/** Room for a grammar, and no deeper than the native reader goes. */
const BODY_BOUNDS = {
  root: 'body',
  room: 1_048_576,
  nesting: 64,
  tooLong: () => new Refusal('body is longer than 1048576 characters'),
  tooDeep: () => new Refusal('body nests more than 64 levels deep'),
};

function readHeaders(headers) {
  if (kind(headers) !== 'an object')
    throw new Refusal(`headers must be a plain object of strings, got ${kind(headers)}`);
  const given = ownKeys(headers).map((name) => {
    if (typeof name === 'symbol') throw unknownKey('headers', name, {});
    const what = member('headers', name);
    if (!name.isWellFormed()) throw new Refusal(`${what}: the name ${SURROGATE}`);
    return [name, scalar(dataOf(headers, name, 'headers'), what, 'a string')];
  });
  return Object.fromEntries(given);
}

function readBody(body) {
  if (kind(body) !== 'an object')
    throw new Refusal(`body must be a plain object of JSON values, got ${kind(body)}`);
  // A copy: the caller's object is read once.
  return JSON.parse(new JsonWriter(BODY_BOUNDS).write(body));
}

module.exports = {
  readConfig,
  readSchema,
  readRequest,
  readAccept,
  readCancel,
  namedJob,
  readBridgeConfig,
  readMcpConfig,
  readApiConfig,
  isAbortSignal,
  wellFormed,
  // For the files that read the options of other entries (js/executors.js, js/adapters/ai-sdk.js).
  Refusal,
  refused,
  readMembers,
  readElements,
  checkExecutor,
  blank,
  kind,
  MAX_TIMER_MS,
};
