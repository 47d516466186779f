'use strict';
// Executors that wrap executors: `retrying` asks again, `fallback` asks another one. The package never
// uses them unless a caller does.

const { abortedBy, onAbort, throwIfAborted } = require('./abort.js');
const { isIntentError } = require('./errors.js');
const { checkExecutor } = require('./plain/executor.js');
const { blank, kind, readElements, readMembers } = require('./plain/objects.js');
const { Refusal, refused } = require('./plain/refusal.js');

/** The pause before the second attempt in milliseconds, without jitter; each further pause is twice as long. */
const FIRST_DELAY_MS = 500;

/** The longest delay of a timer; one with a longer delay fires at once. */
const MAX_TIMER_MS = 2147483647;

// -----------------------------------------------------------------------------------------------
// Options

const CAPABILITIES = ['nativeJsonSchema', 'nativeJsonObject', 'isolatedTurn', 'supportsAbort'];

/** @throws the typed error for an invalid option. */
const readOptions = (read) => {
  try {
    return read();
  } catch (thrown) {
    throw refused(thrown, 'CONFIG_INVALID', 'options');
  }
};

const integer = (value, name, least, most) => {
  if (!Number.isSafeInteger(value) || value < least || value > most) {
    const got = typeof value === 'number' ? String(value) : kind(value);
    throw new Refusal(`options.${name} must be an integer from ${least} to ${most}, got ${got}`);
  }
  return value;
};

const listener = (on) => {
  if (on !== undefined && typeof on !== 'function')
    throw new Refusal(`options.on must be a function, got ${kind(on)}`);
  return on;
};

const readRetrying = (executor, options) =>
  readOptions(() => {
    checkExecutor(executor);
    const known = blank({ attempts: 0, maxDelayMs: 0, on: 0 });
    const { attempts, maxDelayMs, on } = readMembers(options, 'options', known);
    return {
      attempts: integer(attempts, 'attempts', 1, 100),
      maxDelayMs: integer(maxDelayMs, 'maxDelayMs', 0, MAX_TIMER_MS),
      on: listener(on),
    };
  });

const readFallback = (executors, options) =>
  readOptions(() => {
    if (!Array.isArray(executors))
      throw new Refusal(`executors must be an array of executors, got ${kind(executors)}`);
    const list = readElements(executors, () => 'executors');
    if (list.length < 2)
      throw new Refusal(`executors must hold at least two executors, got ${list.length}`);
    list.forEach((executor, index) => {
      try {
        checkExecutor(executor);
      } catch (thrown) {
        if (Refusal.is(thrown)) thrown.message = `executors[${index}]: ${thrown.message}`;
        throw thrown;
      }
    });
    const { on } = readMembers(options ?? {}, 'options', { on: undefined });
    return { list, on: listener(on) };
  });

/** The capabilities that all executors have; absent if none declares its own. */
const commonCapabilities = (executors) => {
  const given = executors
    .map(({ capabilities }) => capabilities)
    .filter((one) => one !== undefined);
  if (given.length === 0) return undefined;
  return Object.fromEntries(CAPABILITIES.map((name) => [name, given.every((one) => one[name])]));
};

/** Makes a frozen executor. */
const executorOf = (id, executors, generate) => {
  const capabilities = commonCapabilities(executors);
  return Object.freeze({ id, ...(capabilities && { capabilities }), generate });
};

// -----------------------------------------------------------------------------------------------
// Errors and events

/** Reads a property of a thrown value, whose getters may throw. */
const fieldOf = (thrown, name) => {
  try {
    return thrown?.[name];
  } catch {
    return undefined;
  }
};

/** Calls a listener. Its errors have no effect. */
const notify = (on, event) => {
  if (on === undefined) return;
  try {
    Promise.resolve(on(event)).catch(() => {});
  } catch {
    // The listener's error is ignored, as documented.
  }
};

// -----------------------------------------------------------------------------------------------
// retrying

/**
 * Returns the pause before the next attempt; `undefined` if it is longer than allowed. Jitter prevents
 * that many callers, which failed together, retry together.
 */
const delayBefore = (attempt, maxDelayMs, error) => {
  const exponential = FIRST_DELAY_MS * 2 ** (attempt - 1);
  const asked = fieldOf(fieldOf(error, 'http'), 'retryAfterMs');
  if (!Number.isFinite(asked) || asked <= 0)
    return Math.min(maxDelayMs, exponential) * (0.5 + Math.random() / 2);
  if (asked > maxDelayMs) return undefined;
  // Never earlier than the service asks for.
  return asked + Math.min(maxDelayMs - asked, exponential) * (Math.random() / 2);
};

/** Waits by the monotonic clock. An abort ends the pause at once, and leaves no timer and no listener. */
const pause = (ms, signal) =>
  new Promise((resolve, reject) => {
    let ignoreSignal;
    const timer = setTimeout(() => {
      ignoreSignal?.();
      resolve();
    }, Math.ceil(ms));
    ignoreSignal =
      signal &&
      onAbort(signal, () => {
        clearTimeout(timer);
        ignoreSignal();
        reject(abortedBy(signal));
      });
  });

exports.retrying = (executor, options) => {
  const { attempts, maxDelayMs, on } = readRetrying(executor, options);
  const { id } = executor;
  const generate = async (request) => {
    const signal = request?.signal;
    for (let attempt = 1; ; attempt++) {
      throwIfAborted(signal);
      try {
        return await executor.generate(request);
      } catch (error) {
        if (attempt >= attempts || fieldOf(error, 'retryable') !== true) throw error;
        throwIfAborted(signal);
        const delayMs = delayBefore(attempt, maxDelayMs, error);
        if (delayMs === undefined) throw error;
        notify(on, { executor: id, attempt, attempts, delayMs, error });
        await pause(delayMs, signal);
      }
    }
  };
  return executorOf(`retrying(${id})`, [executor], generate);
};

// -----------------------------------------------------------------------------------------------
// fallback

/** Failures of the caller, which another executor cannot fix. */
const CALLER_CODES = ['MODEL_ABORTED', 'INSTANCE_DISPOSED', 'INPUT_INVALID'];
const isCallerError = (error) =>
  isIntentError(error) && CALLER_CODES.includes(fieldOf(error, 'code'));

exports.fallback = (executors, options) => {
  const { list, on } = readFallback(executors, options);
  const ids = list.map(({ id }) => id);
  const generate = async (request) => {
    const signal = request?.signal;
    for (let index = 0; ; index++) {
      throwIfAborted(signal);
      try {
        return await list[index].generate(request);
      } catch (error) {
        if (index === list.length - 1 || isCallerError(error)) throw error;
        throwIfAborted(signal);
        notify(on, { from: ids[index], to: ids[index + 1], error });
      }
    }
  };
  return executorOf(`fallback(${ids.join(', ')})`, list, generate);
};
