'use strict';
// Finds the options of `createApiExecutor` with which a service completes a whole recognition, within a
// limited number of requests. It first asks the first question of a recognition, then small questions that
// show which options the service honours, and at last runs the whole recognition.

const { createApiExecutor } = require('../adapters/api.js');
const { Intent } = require('../intent.js');
const { IntentError } = require('../errors.js');
const { after, lowerFormat, mergeOptions } = require('./ladder.js');
const { COLOUR, FEW_TOKENS, RECOGNITION, SOME_TOKENS, WORDS } = require('./questions.js');

exports.MOST_REQUESTS = 12;

/** Failures of the service or the caller that no option can fix. */
const FINAL = {
  __proto__: null,
  MODEL_AUTH_FAILED:
    'The service refused the key. Set INTENT_API_KEY to one that may use this model.',
  MODEL_RATE_LIMITED:
    'The service refused the request because of its rate limit, or the account has no credit.',
  MODEL_TIMEOUT: 'The service did not answer in time. A slow one may need a longer --timeout.',
};

const statusOf = (error) => error.http?.status ?? Number(/HTTP (\d{3})/.exec(error.message)?.[1]);

/** The first question of an Intent. */
const firstQuestion = () =>
  new Promise((resolve, reject) => {
    const executor = {
      id: 'first-question',
      async generate({ stage, instructions, payload, outputSchema }) {
        resolve({ stage, instructions, payload, outputSchema });
        return { outcome: 'incomplete' };
      },
    };
    const intent = new Intent({ executor, schema: RECOGNITION.schema });
    // The outcome is `incomplete`, as intended.
    intent.parse(RECOGNITION.request).catch(reject);
  });

class Doctor {
  #given;
  #requests;
  #left;
  #timeoutMs;
  #tell;
  #tried = new Set();
  #tries = [];

  constructor({ baseURL, model, apiKey, timeoutMs, requests, on }) {
    const host = URL.canParse(baseURL) ? new URL(baseURL).hostname : '';
    const provider = host === 'api.x.ai' ? 'xai' : 'openai';
    this.#given = { provider, baseURL, model, apiKey };
    this.#requests = requests;
    this.#left = requests;
    this.#timeoutMs = timeoutMs;
    this.#tell = on ?? (() => {});
  }

  /** @throws {IntentError} `CONFIG_INVALID` if the arguments cannot make an executor. */
  async examine() {
    this.#executor({});
    const found = await this.#findAccepted({});
    if (found.reason !== undefined) return this.#failed(found.reason);
    const best = await this.#chooseProtocol(found);
    const bounded = await this.#findOutputLimit(best.options);
    return this.#runRecognition(bounded.options, { ...this.#honoured(best), ...bounded.honours });
  }

  #executor(options) {
    return createApiExecutor({ ...this.#given, ...options });
  }

  /** Makes one request, and records its outcome under its purpose. */
  async #ask(options, question, purpose, own = {}) {
    if (this.#left === 0) return { exhausted: true };
    this.#left--;
    const entry = { request: this.#requests - this.#left, purpose, options };
    let ended;
    try {
      const signal = AbortSignal.timeout(this.#timeoutMs);
      const executor = this.#executor({ ...options, ...own });
      const reply = await executor.generate({ ...question, signal });
      ended = { reply };
      entry.outcome = reply.outcome;
    } catch (error) {
      ended = { error: this.#asTimeout(error) };
      entry.outcome = ended.error.code;
      const status = statusOf(error);
      if (status) entry.status = status;
      entry.message = ended.error.message;
    }
    this.#tries.push(entry);
    this.#tell(entry);
    return ended;
  }

  #colour(options, purpose) {
    return this.#ask(options, COLOUR, purpose, { maxOutputTokens: SOME_TOKENS });
  }

  #asTimeout(error) {
    if (error.code !== 'MODEL_ABORTED') return error;
    const message = `There was no answer within ${this.#timeoutMs / 1000} s.`;
    return new IntentError('MODEL_TIMEOUT', { message });
  }

  /** Finds options, starting from these, that the service accepts for the first real question. */
  async #findAccepted(first) {
    const question = await firstQuestion();
    let options = first;
    while (options !== undefined) {
      this.#tried.add(JSON.stringify(options));
      const { reply, error, exhausted } = await this.#ask(options, question, 'a first question');
      if (exhausted) return { reason: this.#exhausted() };
      if (error === undefined) return { options, reply };
      const final = this.#final(error);
      if (final !== undefined) return { reason: final };
      options = after(options, error, (next) => !this.#tried.has(JSON.stringify(next)));
    }
    return { reason: this.#noneAccepted() };
  }

  #final(error) {
    const known = FINAL[error.code];
    if (known !== undefined) return known;
    if (error.code !== 'MODEL_REQUEST_FAILED' || statusOf(error)) return undefined;
    // A reply that cannot be read may belong to the other protocol; otherwise there was no answer.
    return /^The reply of the service/.test(error.message) ? undefined : error.message;
  }

  #noneAccepted() {
    const statuses = new Set(this.#tries.map(({ status }) => status));
    if (statuses.size === 1 && statuses.has(404))
      return 'The service knows neither path, or not this model. Check the base URL (without /chat/completions) and --model.';
    return `The service refused every form of the question. The last answer: ${this.#tries.at(-1).message}`;
  }

  #exhausted() {
    return `${this.#requests} requests were not enough.`;
  }

  /** Tests whether the service honours a schema, and if not, whether the other protocol does. */
  async #chooseProtocol({ options, reply }) {
    if ((options.format ?? 'json_schema') !== 'json_schema' || this.#left <= 4)
      return { options, reply, schema: null };
    const asked = await this.#colour(options, 'whether a schema is honoured');
    const schema = asked.reply === undefined ? null : this.#followsSchema(asked);
    if (schema !== false || options.protocol === 'chat-completions' || this.#left <= 4)
      return { options, reply, schema };
    const other = mergeOptions(options, { protocol: 'chat-completions' });
    const second = await this.#colour(other, 'the same with Chat Completions');
    if (second.reply === undefined || !this.#followsSchema(second))
      return { options, reply, schema };
    return { options: other, reply: second.reply, schema: true };
  }

  /** Returns whether a reply follows the schema; only the schema contains the expected value. */
  #followsSchema({ reply }) {
    try {
      return JSON.parse(reply.text).colour === 'violet';
    } catch {
      return false;
    }
  }

  #honoured({ options, reply, schema }) {
    const { format = 'json_schema' } = options;
    const { usage } = reply;
    return {
      format,
      schema: format === 'json_schema' ? schema : false,
      usage: usage !== undefined,
      reasoningTokens: usage?.reasoningTokens ?? null,
    };
  }

  /** Finds options whose output limit the service honours, if there are any. */
  async #findOutputLimit(options) {
    const choices = [options];
    if (options.protocol === 'chat-completions' && options.outputLimit === undefined)
      choices.push(mergeOptions(options, { outputLimit: 'max_tokens' }));
    let honoured = null;
    for (const choice of choices) {
      const few = { maxOutputTokens: FEW_TOKENS };
      const purpose = `the output limit, ${FEW_TOKENS} tokens`;
      // A recognition takes two requests, and four with its repairs.
      if (this.#left <= 4) break;
      const { reply } = await this.#ask(choice, WORDS, purpose, few);
      if (reply?.outcome === 'incomplete')
        return { options: choice, honours: { outputLimit: true } };
      if (reply !== undefined) honoured = false;
    }
    return { options, honours: { outputLimit: honoured } };
  }

  /** Runs the recognition; if the service refuses its questions, with less demanding options. */
  async #runRecognition(options, honours) {
    const asked = [];
    const doctor = this;
    const executor = {
      id: 'doctor',
      async generate(question) {
        const repair = 'repair' in question.input ? ', repaired' : '';
        const { stage, instructions, payload, outputSchema } = question;
        const purpose = `a recognition, stage ${stage}${repair}`;
        const own = { stage, instructions, payload, outputSchema };
        const { reply, error, exhausted } = await doctor.#ask(options, own, purpose);
        asked.push(repair);
        if (exhausted) throw new IntentError('RESOURCE_LIMIT', { message: doctor.#exhausted() });
        if (error !== undefined) throw error;
        return reply;
      },
    };
    const intent = new Intent({ executor, schema: RECOGNITION.schema });
    try {
      const { data } = await intent.parse(RECOGNITION.request);
      const repairs = asked.filter(Boolean).length;
      const right = data.orderId === RECOGNITION.data.orderId;
      return this.#result({ ok: true, options, honours: { ...honours, repairs, right } });
    } catch (error) {
      const format = lowerFormat(options);
      const less = format && { format };
      const refused = error.code === 'MODEL_REQUEST_FAILED' && statusOf(error) >= 400;
      if (refused && less !== undefined && this.#left >= 2)
        return this.#runRecognition(mergeOptions(options, less), { ...honours, ...less });
      return this.#failed(this.#why(error), { options, honours });
    } finally {
      intent.dispose();
    }
  }

  #why(error) {
    if (error.code === 'MODEL_OUTPUT_INVALID' || error.code === 'DATA_EXTRACTION_FAILED')
      return `The service accepts these options, but the model's answers do not pass the check: ${error.message} Try a larger model.`;
    if (error.code === 'MODEL_OUTPUT_INCOMPLETE')
      return 'The service accepts these options, but the model does not finish its answer. Raise maxOutputTokens, or switch its thinking off with a field of body.';
    return this.#final(error) ?? error.message;
  }

  #failed(reason, found = {}) {
    return this.#result({ ok: false, reason, ...found });
  }

  #result({ ok, reason, options, honours }) {
    const { apiKey, ...given } = this.#given;
    return {
      ok,
      ...(reason !== undefined && { reason }),
      baseURL: given.baseURL,
      model: given.model,
      requests: this.#requests - this.#left,
      options: options === undefined ? null : { ...given, ...options },
      keyed: apiKey !== undefined,
      honours: honours ?? null,
      tries: this.#tries,
    };
  }
}

/**
 * @param {{ baseURL: string, model: string, apiKey?: string, timeoutMs: number, requests: number,
 *   on?: (entry: object) => void }} what - `requests` is the largest number of requests.
 */
exports.examine = (what) => new Doctor(what).examine();
