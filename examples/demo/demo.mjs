#!/usr/bin/env node
// npm run demo -- "TEXT": recognises TEXT and shows result, stages and evidence.

import { parseArgs } from 'node:util';
import { orders } from './orders.mjs';
import { show, showError } from './show.mjs';
import { startStandIn } from './stand-in.mjs';

const EXAMPLE = '查询订单 000123，先不要修改';
const HELP = `Recognises what a text asks for. / 识别一段文字的请求。

  npm run demo -- [options] "TEXT"

  --schema orders   also extract order number, quantity and priority / 同时提取订单字段
  --json            print the result alone, as JSON / 只输出结果 JSON
  --help            show this / 显示帮助

Without a key a stand-in answers: a few rules in examples/demo/rules.mjs, no model.
With these variables a real model does / 设置以下变量后由真实模型回答:

  INTENT_API_KEY    key of the service
  INTENT_MODEL      name of the model
  INTENT_BASE_URL   API root of a compatible service, default https://api.openai.com/v1
  INTENT_PROTOCOL   responses (default) or chat-completions

Examples / 示例:

  npm run demo -- "${EXAMPLE}"
  npm run demo -- --schema orders "Change order 000123 to 3 pieces, but ask me first"
  npm run demo -- --schema orders "查询订单"
  npm run --silent demo -- --json "${EXAMPLE}"   (without --silent npm prints two lines of its own)
`;

const SCHEMAS = { orders };
const MODEL_TIMEOUT_MS = 120_000;

/** The options of the command line; exits where they are wrong. */
function readOptions() {
  try {
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
    return { ...values, text: positionals.length > 0 ? positionals.join(' ') : EXAMPLE };
  } catch (error) {
    process.stderr.write(`${error.message}\nSee: npm run demo -- --help\n`);
    return process.exit(2);
  }
}

/** The executor that the environment asks for: a service, or the stand-in. */
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

/** An executor around another that notes each question: stage, time, answer. */
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

const { text, schema, json, help } = readOptions();
if (help) {
  process.stdout.write(HELP);
  process.exit(0);
}

let service;
try {
  const [{ Intent }, { createApiExecutor }] = await Promise.all([
    import('@devcodex/intent-runtime'),
    import('@devcodex/intent-runtime/adapters/api'),
  ]);
  service = await chooseExecutor(createApiExecutor);
  const { executor, turns } = observed(service.executor);
  const intent = new Intent({
    language: /\p{Script=Han}/u.test(text) ? 'zh-CN' : 'en',
    schema: schema && SCHEMAS[schema],
    executor,
    timeoutMs: MODEL_TIMEOUT_MS,
  });
  const started = performance.now();
  let result = null;
  let error = null;
  try {
    result = await intent.parse({ input: text });
  } catch (thrown) {
    error = thrown;
  }
  const ms = performance.now() - started;
  await intent.dispose();
  if (error) process.exitCode = 1;
  if (json) {
    if (!service.model)
      process.stderr.write('A stand-in answered, not a model. / 由替身回答，不是真实模型。\n');
    if (result) process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
    else process.stderr.write(`${JSON.stringify(error, null, 2)}\n`);
  } else {
    show({
      text,
      result,
      error,
      turns,
      ms,
      model: service.model,
      missing: service.missing,
      wantsData: schema !== undefined,
    });
  }
} catch (error) {
  // Before any recognition: no build, or settings that the package refuses.
  showError(error);
  process.exitCode = 1;
} finally {
  await service?.close();
}
