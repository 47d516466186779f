// Checks that no part of a key, of a user's text or of a service's body is visible in messages, stacks,
// inspection or logs. Each scenario gets marks; all its visible texts are collected, and must not contain a
// mark. Excluded are the parts that may contain them by design (SECURITY.md): partialResult (the caller's own
// input), `cause` (the executor's own error), and the model's words in a refusal or an issue.

import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { Intent, IntentError } from '@devcodex/intent-runtime';
import {
  createApiExecutor,
  readChatCompletion,
  readCompletedResponse,
} from '@devcodex/intent-runtime/adapters/api';
import { createIntentBridge } from '@devcodex/intent-runtime/bridge';
import { serveIntentMcp } from '@devcodex/intent-runtime/mcp';
import {
  CORE,
  chatReply,
  complete,
  good,
  modelService,
  never,
  node,
  proof,
  SCHEMA,
  sleep,
} from './support.mjs';

const self = fileURLToPath(import.meta.url);

/** A mark that is long enough to be found even in part, and that occurs in no other text. */
const KEY = 'sk-KEYMARK-4711-abcdefghijklmnopqrstuvwxyz';
/** The value of a header, which contains a secret. */
const TOKEN = 'hk-HEADERMARK-0815-abcdefghijklmnopqrstuvwxyz';
const HEADER = `Token ${TOKEN}`;
const INPUT = 'INPUTMARK please query the order of Ms Doe, card 4111-1111-1111-1111';
const CONTEXT = 'CONTEXTMARK she lives in Elm Street';
const BODY = 'BODYMARK internal trace of the service';
const CANDIDATE = 'CANDIDATEMARK what the model wrote';
const MARKS = [
  'KEYMARK',
  'HEADERMARK',
  'INPUTMARK',
  'CONTEXTMARK',
  'BODYMARK',
  'CANDIDATEMARK',
  '4111',
  'Doe',
];

const context = [{ role: 'user', content: CONTEXT }];
const request = { input: INPUT, context };

/** All visible texts of an error, without the excluded parts. */
const seen = (error) => {
  const { partialResult, cause, ...rest } = error;
  const json = error.toJSON?.() ?? {};
  delete json.partialResult;
  return [
    error.message,
    error.stack,
    String(error),
    JSON.stringify(json),
    inspect({ ...rest, cause: cause === undefined ? undefined : 'left out' }, { depth: 9 }),
  ].join('\n');
};

const api = (url, more) =>
  createApiExecutor({
    provider: 'openai',
    protocol: 'chat-completions',
    model: 'm',
    apiKey: KEY,
    baseURL: url,
    ...more,
  });

/** The ways of passing secrets; each is tested with every answer of a service. */
const headers = { 'x-gateway': HEADER };
const SECRETS = {
  'a key and a header': { headers },
  'a key from a function and a header': { apiKey: async () => KEY, headers },
};

const scripted = (generate, config) => new Intent({ executor: { id: 'x', generate }, ...config });

/** Failing answers of a service, with its own words in them. */
const ANSWERS = {
  'an error object': (response) => {
    response.statusCode = 400;
    response.end(JSON.stringify({ error: { message: BODY, type: BODY, code: BODY, param: BODY } }));
  },
  'an error that quotes the key': (response) => {
    response.statusCode = 401;
    const message = `Incorrect API key provided: ${KEY}`;
    response.end(JSON.stringify({ error: { message, type: KEY, code: KEY, param: KEY } }));
  },
  'an error that quotes a header': (response) => {
    response.writeHead(400, { 'x-request-id': TOKEN, 'retry-after': HEADER });
    response.end(
      JSON.stringify({ error: { message: HEADER, type: TOKEN, code: HEADER, param: TOKEN } }),
    );
  },
  'headers that quote what they were sent': (response) => {
    response.writeHead(429, { 'x-request-id': KEY, 'retry-after': BODY, 'x-quota': HEADER });
    response.end(JSON.stringify({ type: `x.${KEY}`, code: TOKEN, detail: BODY }));
  },
  'an error that names fields': (response, body) => {
    response.statusCode = 422;
    const detail = [{ loc: ['body', 'store'], msg: `${BODY} ${KEY}`, input: body }];
    response.end(JSON.stringify({ detail }));
  },
  'an error that quotes the input': (response, body) => {
    response.statusCode = 422;
    response.end(body);
  },
  'an error as HTML': (response) => {
    response.statusCode = 502;
    response.end(`<html>${BODY} ${KEY}</html>`);
  },
  'a redirect with the key': (response) => {
    response.writeHead(302, { location: `http://127.0.0.1/?${KEY}${BODY}` });
    response.end();
  },
  'no JSON': (response) => response.end(`${BODY} ${KEY}`),
  'another JSON': (response) => response.end(JSON.stringify({ [BODY]: KEY, output: [BODY] })),
  'an odd finish_reason': (response) =>
    response.end(
      JSON.stringify({ choices: [{ finish_reason: BODY, message: { role: BODY, content: KEY } }] }),
    ),
  'a tool call': (response) =>
    response.end(
      JSON.stringify({
        choices: [
          {
            finish_reason: 'tool_calls',
            message: { role: 'assistant', tool_calls: [{ id: BODY, function: { name: KEY } }] },
          },
        ],
      }),
    ),
  'a header that is none': (response) => {
    response.socket.end(`HTTP/1.1 200 OK\r\n${BODY} ${KEY}\r\n\r\n`);
  },
  'a candidate that is none': (response) => response.end(chatReply(`${CANDIDATE} ${INPUT}`)),
  'a body that is too large': (response) => response.end(BODY.repeat(50_000)),
  'a cut': (response) => response.destroy(),
};

/** The scenarios. Each returns the value to check: an error, or a value to inspect. */
const SCENARIOS = {
  ...Object.fromEntries(
    Object.entries(SECRETS).flatMap(([how, secrets]) =>
      Object.entries(ANSWERS).map(([name, answer]) => [
        `over HTTP, ${how}: ${name}`,
        async () => {
          const service = await modelService((body, response) => {
            answer(response, body);
            return true;
          });
          const executor = api(service.url, { maxResponseBytes: 100_000, ...secrets });
          const intent = new Intent({ schema: SCHEMA, executor });
          const errors = [
            await intent.parse(request).catch((error) => error),
            await executor
              .generate({ instructions: CONTEXT, payload: INPUT, outputSchema: {} })
              .catch((error) => error),
          ];
          await intent.dispose();
          await service.close();
          // A reply contains the model's own words.
          return errors.filter((error) => error instanceof Error);
        },
      ]),
    ),
  ),
  'functions that give no key': () =>
    Promise.all(
      [
        () => {
          throw new Error(KEY);
        },
        async () => Promise.reject(KEY),
        () => `${KEY}\n`,
        () => ` ${KEY}`,
        () => `${KEY}\ud800`,
        () => ({ key: KEY }),
        () => [KEY],
        () => '',
      ].map((apiKey) =>
        failure(new Intent({ executor: api('http://127.0.0.1:9/v1', { apiKey }) })),
      ),
    ),
  'headers that cannot be sent': async () =>
    [
      `${HEADER}\n`,
      ` ${HEADER}`,
      `${HEADER}\u0000`,
      `${HEADER}é`,
      `${HEADER}\ud800`,
      [HEADER],
      7n,
    ].map((value) => thrown(() => api('https://h/v1', { headers: { 'x-gateway': value } }))),
  "headers that are not the caller's": async () =>
    ['authorization', 'host', 'content-type', 'connection', 'x y'].map((name) =>
      thrown(() => api('https://h/v1', { headers: { [name]: HEADER } })),
    ),
  'a header in the URL': () =>
    thrown(() => api(`http://h/${TOKEN}\\x`, { headers: { 'x-gateway': HEADER } })),
  'no service': () => failure(new Intent({ executor: api('http://127.0.0.1:9/v1') })),
  'an unknown host': () =>
    failure(new Intent({ executor: api('https://host.invalid/v1'), timeoutMs: 30_000 })),
  'a key that is no header': () => thrown(() => api('https://h/v1', { apiKey: `${KEY}\n` })),
  'a key in the URL': () => thrown(() => api(`https://user:${KEY}@h/v1`)),
  'a key in the query': () => thrown(() => api(`https://h/v1?key=${KEY}`)),
  'a key in the path': () => thrown(() => api(`http://h/${KEY}\\x`)),
  'a key as another option': () => thrown(() => api('https://h/v1', { provider: 7 })),
  'an executor, looked at': async () =>
    Object.values(SECRETS).flatMap((secrets) => {
      const executor = api('https://h/v1', secrets);
      return [
        inspect(executor, { showHidden: true, depth: 9 }),
        JSON.stringify(executor),
        String(executor),
        Object.entries(executor).join(),
        inspect(new Intent({ executor }), { showHidden: true, depth: 9 }),
      ];
    }),
  'envelopes that are none': async () =>
    [readCompletedResponse, readChatCompletion].map((read) =>
      thrown(() => read({ error: { message: BODY }, status: BODY, output: BODY, choices: BODY })),
    ),
  'an executor that throws': () =>
    failure(
      scripted(async () => {
        throw new Error(`${KEY} ${BODY}`);
      }),
    ),
  'a candidate that is no JSON': () => failure(scripted(async () => complete(CANDIDATE))),
  'a candidate of wrong values': () => {
    const wrong = { ...JSON.parse(CORE), primaryIntent: [CANDIDATE], normalizedInput: 7 };
    return failure(scripted(async () => complete(JSON.stringify(wrong))));
  },
  'data of wrong values': () => {
    const wrong = {
      data: { order: CANDIDATE },
      evidence: [
        { path: '/data/order', mode: 'exact', sources: [{ sourceId: 'input', quote: CANDIDATE }] },
      ],
      descriptionChecks: [],
      fieldResults: [{ path: '/data/order', status: CANDIDATE, explanation: CANDIDATE }],
      issues: [],
    };
    const text = JSON.stringify(wrong);
    const generate = async ({ stage }) => complete(stage === 'core' ? CORE : text);
    return failure(scripted(generate, { schema: SCHEMA }));
  },
  'data that the schema refuses': () => {
    const schema = {
      type: 'object',
      properties: {
        order: { type: 'string', pattern: '^[0-9]+$', maxLength: 3, enum: ['1', '2'], const: '1' },
      },
    };
    const generate = async ({ stage }) => {
      if (stage === 'core') return complete(CORE);
      const sources = [{ sourceId: 'input', quote: INPUT }];
      return complete(
        JSON.stringify({
          data: { order: INPUT },
          evidence: [{ path: '/data/order', mode: 'exact', sources }],
          descriptionChecks: [],
          fieldResults: [{ path: '/data/order', status: 'extracted', explanation: 'e' }],
          issues: [],
        }),
      );
    };
    return failure(scripted(generate, { schema }));
  },
  'an answer that is too large': () =>
    failure(scripted(async () => complete(CANDIDATE), { limits: { maxOutputBytes: 5 } })),
  'an input that is too large': () => failure(scripted(good, { limits: { maxInputBytes: 5 } })),
  'a context that is too large': () => failure(scripted(good, { limits: { maxContextBytes: 5 } })),
  'a request that is too large': () => failure(scripted(good, { limits: { maxRequestBytes: 5 } })),
  'wrong types': async () => {
    const intent = scripted(good);
    const wrong = [
      { input: [INPUT] },
      { input: 'x', context: [{ role: CONTEXT, content: CONTEXT }] },
      { input: 'x', context: [{ role: 'user', content: [CONTEXT] }] },
      { input: 'x', signal: INPUT },
      INPUT,
      { input: `${INPUT}\ud800` },
    ];
    return Promise.all(wrong.map((value) => intent.parse(value).catch((error) => error)));
  },
  'a deadline': () => failure(scripted(never, { timeoutMs: 5 })),
  'a disposal': async () => {
    const intent = scripted(never);
    const failed = failure(intent);
    void intent.dispose();
    return failed;
  },
  'an abort': async () => {
    const signal = AbortSignal.abort(new Error('the caller has its own reason'));
    return scripted(never)
      .parse({ ...request, signal })
      .catch((error) => error);
  },
  'a Bridge': async () => {
    const bridge = createIntentBridge({ instances: { a: new Intent({ schema: SCHEMA }) } });
    const session = bridge.connect();
    const task = session.prepare({ instance: 'a', ...request });
    const { jobId, stepToken } = task;
    const replies = [
      session.prepare({ instance: 'a', input: [INPUT] }),
      await session.accept({ jobId, stepToken: 'x', candidateText: CANDIDATE }),
      await session.accept({ jobId, stepToken, candidateText: 'x'.repeat(300_000) + CANDIDATE }),
    ];
    const repair = await session.accept({ jobId, stepToken, candidateText: CANDIDATE });
    replies.push(
      await session.accept({ jobId, stepToken: repair.stepToken, candidateText: CANDIDATE }),
      session.cancel({ jobId: CANDIDATE }),
    );
    const shown = [inspect(bridge, { depth: 9 }), inspect(session, { depth: 9 })];
    bridge.close();
    return [...replies.map((reply) => JSON.stringify(reply)), ...shown];
  },
  'an MCP session': async () => {
    const sent = [];
    const transport = {
      start: async () => {},
      close: async () => {},
      send: async (message) => void sent.push(message),
    };
    const service = await serveIntentMcp({ instances: { a: new Intent() }, transport });
    const call = (name, args, id) =>
      transport.onmessage({
        jsonrpc: '2.0',
        id,
        method: 'tools/call',
        params: { name, arguments: args },
      });
    call('intent_prepare', { instance: 'a', input: [INPUT] }, 1);
    call('intent_prepare', { instance: 'a', input: ' ', context: CONTEXT }, 2);
    call('intent_accept', { jobId: 'x', stepToken: 'y', candidateText: CANDIDATE }, 3);
    call('intent_cancel', { jobId: 'x', detail: INPUT.repeat(100) }, 4);
    transport.onmessage({ jsonrpc: '2.0', id: 5, method: 'ping', params: INPUT });
    while (sent.length < 5) await sleep(5);
    await service.close();
    return [JSON.stringify(sent), inspect(service, { depth: 9 })];
  },
};

async function failure(intent) {
  try {
    await intent.parse(request);
  } catch (error) {
    return error;
  }
  return undefined;
}

function thrown(call) {
  try {
    call();
  } catch (error) {
    return error;
  }
  return undefined;
}

if (process.argv[2] === 'child') {
  // Runs all scenarios again; the parent checks everything that they write.
  for (const run of Object.values(SCENARIOS)) await run();
  process.exit(0);
} else
  await proof('secrets', async ({ figure, check }) => {
    let looks = 0;
    for (const [name, run] of Object.entries(SCENARIOS)) {
      const found = [].concat(await run());
      check(found.length > 0, name);
      for (const one of found) {
        const right = one instanceof IntentError || typeof one === 'string';
        check(right, () => `${name}: nothing went wrong: ${inspect(one)}`);
        const text = typeof one === 'string' ? one : seen(one);
        for (const mark of MARKS)
          check(!text.includes(mark), () => `${name} shows ${mark}:\n${text.slice(0, 2000)}`);
        looks++;
      }
    }
    // Every logger, at its most verbose level.
    const env = { RUST_LOG: 'trace', RUST_BACKTRACE: '1', NODE_DEBUG: '', DEBUG: '*' };
    const { code, stdout, stderr, hung } = await node([self, 'child'], { env });
    check(code === 0 && !hung, () => `child: ${code} ${stderr}`);
    for (const mark of MARKS)
      check(!`${stdout}${stderr}`.includes(mark), () => `a log shows ${mark}:\n${stdout}${stderr}`);
    figure('scenarios', Object.keys(SCENARIOS).length);
    figure('errors, replies and inspections looked at', looks);
    figure('marks', MARKS.length);
    figure('bytes of logs', stdout.length + stderr.length);
  });
