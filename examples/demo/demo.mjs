#!/usr/bin/env node
// npm run demo -- "TEXT": recognises TEXT and shows result, stages and evidence.
// The text comes from the arguments, from a pipe, or from a prompt on the terminal, in this order.

import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { unreadPartsOf } from './coverage.mjs';
import { orders } from './orders.mjs';
import { show, showError } from './show.mjs';
import { startStandIn } from './stand-in.mjs';
import { languageOf, languageOfTerminal, WORDS } from './words.mjs';

// `| head` closes the pipe when it has read enough; this is not an error.
process.stdout.on('error', ({ code }) => process.exit(code === 'EPIPE' ? 0 : 1));

const SCHEMAS = { orders };
const MODEL_TIMEOUT_MS = 120_000;
const terminalWords = WORDS[languageOfTerminal(process.env)];

/** Reads the options of the command line. Throws if they are wrong. */
function readOptions() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      schema: { type: 'string' },
      json: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.schema !== undefined && !Object.hasOwn(SCHEMAS, values.schema)) {
    throw new Error(`--schema knows ${Object.keys(SCHEMAS).join(', ')}, not "${values.schema}"`);
  }
  return { ...values, text: positionals.length > 0 ? positionals.join(' ') : undefined };
}

/** Makes the executor that the environment selects: a service, or the stand-in. */
async function chooseExecutor(createApiExecutor) {
  const {
    INTENT_API_KEY: apiKey,
    INTENT_MODEL: model,
    INTENT_BASE_URL: baseURL,
    INTENT_PROTOCOL: protocol,
  } = process.env;
  if (apiKey && model) {
    const options = {
      provider: 'openai',
      apiKey,
      model,
      baseURL: baseURL || undefined,
      protocol: protocol || undefined,
    };
    return { executor: createApiExecutor(options), model, close: async () => {} };
  }
  const standIn = await startStandIn();
  const options = {
    provider: 'openai',
    protocol: 'chat-completions',
    baseURL: standIn.baseURL,
    apiKey: 'none',
    model: 'stand-in',
  };
  const missing = apiKey || model ? (apiKey ? 'INTENT_MODEL' : 'INTENT_API_KEY') : null;
  return { executor: createApiExecutor(options), model: null, missing, close: standIn.close };
}

/** Wraps an executor and records each question: stage, time, answer. */
function observed(executor) {
  const turns = [];
  return {
    turns,
    executor: {
      id: executor.id,
      capabilities: executor.capabilities,
      async generate(request) {
        const turn = { stage: request.stage, repair: 'repair' in request.input, outcome: 'failed' };
        turns.push(turn);
        const started = performance.now();
        try {
          const reply = await executor.generate(request);
          Object.assign(turn, { outcome: reply.outcome, text: reply.text, usage: reply.usage });
          return reply;
        } finally {
          turn.ms = performance.now() - started;
        }
      },
    },
  };
}

const printJson = (value) => process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);

/** Recognises one text and shows the outcome. */
async function recognise(Intent, service, { text, schema, json }) {
  const words = WORDS[languageOf(text)];
  const { executor, turns } = observed(service.executor);
  const intent = new Intent({
    language: languageOf(text) === 'zh' ? 'zh-CN' : 'en',
    schema: schema && SCHEMAS[schema],
    executor,
    timeoutMs: MODEL_TIMEOUT_MS,
  });
  const started = performance.now();
  let result = null;
  let error = null;
  try {
    result = await intent.parse({ input: text, evidence: schema !== undefined });
  } catch (thrown) {
    error = thrown;
  }
  const ms = performance.now() - started;
  await intent.dispose();
  if (error) process.exitCode = 1;
  const isUnread = service.model === null && error?.code === 'MODEL_REFUSED';
  const unread = isUnread ? unreadPartsOf(text) : [];
  if (json) {
    if (!service.model) process.stderr.write(`${words.rulesAnswered}\n`);
    if (isUnread) process.stderr.write(`${words.noRule}\n`);
    printJson(result ?? (isUnread ? { error, unread } : { error }));
    return;
  }
  const { model, missing } = service;
  show({ words, text, result, error, unread, turns, ms, model, missing, wantsData: !!schema });
}

async function readPipe() {
  const chunks = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\r?\n$/, '');
}

/** Prompts for texts until an empty line or the end of input. */
async function* promptedTexts() {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  lines.setPrompt(terminalWords.prompt);
  lines.prompt();
  for await (const line of lines) {
    if (line.trim() === '') break;
    yield line;
    process.stdout.write('\n');
    lines.prompt();
  }
  lines.close();
}

async function* textsOf({ text }) {
  if (text !== undefined) yield text;
  else if (process.stdin.isTTY) yield* promptedTexts();
  else yield await readPipe();
}

async function main(options) {
  let service;
  try {
    const [{ Intent }, { createApiExecutor }] = await Promise.all([
      import('@devcodex/intent-runtime'),
      import('@devcodex/intent-runtime/adapters/api'),
    ]);
    service = await chooseExecutor(createApiExecutor);
    for await (const text of textsOf(options))
      await recognise(Intent, service, { ...options, text });
  } catch (error) {
    // A failure before any recognition: the build is missing, or the package refuses the settings.
    const words = options.text === undefined ? terminalWords : WORDS[languageOf(options.text)];
    if (options.json) printJson({ error: error.code ? error : { message: error.message } });
    else showError(words, error);
    process.exitCode = 1;
  } finally {
    await service?.close();
  }
}

let options;
try {
  options = readOptions();
} catch (error) {
  if (process.argv.includes('--json')) printJson({ error: { message: error.message } });
  else process.stderr.write(`${error.message}\n${terminalWords.seeHelp}\n`);
  process.exitCode = 2;
}
if (options?.help) process.stdout.write(terminalWords.help);
else if (options) await main(options);
