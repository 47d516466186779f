// Ends processes and workers at many points: the process ends by itself, by process.exit or by an uncaught
// exception, and a worker is terminated, while a parse waits, is checked or makes an HTTP call, while a Bridge
// checks a submission, and while an MCP session is open. There must be no crash, no hang and no remaining
// thread; after the end of a worker the process must continue.

import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { Intent } from '@devcodex/intent-runtime';
import { createApiExecutor } from '@devcodex/intent-runtime/adapters/api';
import { createIntentBridge } from '@devcodex/intent-runtime/bridge';
import { serveIntentMcp } from '@devcodex/intent-runtime/mcp';
import {
  amount,
  CORE,
  complete,
  good,
  INPUT,
  modelService,
  never,
  node,
  outcomeOf,
  proof,
  SCHEMA,
  sleep,
} from './support.mjs';

const self = fileURLToPath(import.meta.url);

/** A schema and data that keep a check busy for as long as it may. */
const SLOW = {
  type: 'object',
  properties: { list: { type: 'array', uniqueItems: true, items: { type: 'object' } } },
};
const slowData = () => {
  const list = Array.from({ length: 4000 }, (_, i) => ({ a: { b: i } }));
  return JSON.stringify({
    data: { list },
    evidence: [],
    descriptionChecks: [],
    fieldResults: [],
    issues: [],
  });
};

const scripted = (generate, { limits, ...config } = {}) =>
  new Intent({
    executor: { id: 'x', generate },
    // The load of the machine must not matter.
    limits: { maxValidationMs: 600_000, ...limits },
    ...config,
  });

const overHttp = (url) =>
  new Intent({
    schema: SCHEMA,
    executor: createApiExecutor({
      provider: 'openai',
      protocol: 'chat-completions',
      baseURL: url,
      model: 'm',
      apiKey: 'k',
    }),
  });

/**
 * The points. Each begins an operation that is still running when its promise resolves. `holds`: the
 * operation keeps the process alive.
 */
const POINTS = {
  'after import': async () => {},
  'after a parse': async () => {
    await scripted(async (request) => good(request), { schema: SCHEMA }).parse({ input: INPUT });
  },
  'an executor that never answers': async () => {
    scripted(never)
      .parse({ input: INPUT })
      .catch(() => {});
  },
  'the data stage': async () => {
    let asked;
    const question = new Promise((resolve) => {
      asked = resolve;
    });
    const generate = async (request) => {
      if (request.stage === 'core') return good(request);
      asked();
      return never();
    };
    scripted(generate, { schema: SCHEMA })
      .parse({ input: INPUT })
      .catch(() => {});
    await question;
  },
  'an executor that ends the process': async (end) => {
    const generate = async () => {
      end();
      return complete(CORE);
    };
    scripted(generate)
      .parse({ input: INPUT })
      .catch(() => {});
    await sleep(50);
  },
  'a deadline that runs': async () => {
    scripted(never, { timeoutMs: 3_600_000 })
      .parse({ input: INPUT })
      .catch(() => {});
  },
  'a check on a worker thread': async () => {
    const limits = { maxValidationMs: 600_000, maxOutputBytes: 10_000_000, maxCandidateNodes: 1e6 };
    const generate = async ({ stage }) => complete(stage === 'core' ? CORE : slowData());
    scripted(generate, { schema: SLOW, limits, repairAttempts: 0 })
      .parse({ input: INPUT })
      .catch(() => {});
    await sleep(30);
  },
  'an HTTP request without an answer': async (_, { silent }) => {
    overHttp(silent)
      .parse({ input: INPUT })
      .catch(() => {});
    await sleep(50);
  },
  'an HTTP answer that never ends': async (_, { endless }) => {
    overHttp(endless)
      .parse({ input: INPUT })
      .catch(() => {});
    await sleep(50);
  },
  'generate of an API executor': async (_, { silent }) => {
    const api = createApiExecutor({
      provider: 'openai',
      baseURL: silent,
      model: 'm',
      apiKey: 'k',
    });
    api.generate({ instructions: 'i', input: {}, format: { kind: 'json_object' } }).catch(() => {});
    await sleep(50);
  },
  'a pooled connection': async (_, { fine }) => {
    await overHttp(fine).parse({ input: INPUT });
  },
  'a Bridge job': async () => {
    const bridge = createIntentBridge({ instances: { a: new Intent() }, jobTtlMs: 3_600_000 });
    bridge.connect().prepare({ instance: 'a', input: INPUT });
  },
  'a Bridge submission on a worker thread': async () => {
    const limits = { maxValidationMs: 600_000, maxOutputBytes: 10_000_000, maxCandidateNodes: 1e6 };
    const intent = new Intent({ schema: SLOW, limits });
    const session = createIntentBridge({ instances: { a: intent } }).connect();
    let { jobId, stepToken } = session.prepare({ instance: 'a', input: INPUT });
    ({ stepToken } = await session.accept({ jobId, stepToken, candidateText: CORE }));
    void session.accept({ jobId, stepToken, candidateText: slowData() });
    await sleep(20);
  },
  'an MCP session over a transport': async () => {
    const transport = { start: async () => {}, send: async () => {}, close: async () => {} };
    const intent = new Intent();
    await serveIntentMcp({ instances: { a: intent }, transport });
    const call = { name: 'intent_prepare', arguments: { instance: 'a', input: INPUT } };
    transport.onmessage({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call });
  },
  'a disposal that waits': async () => {
    const intent = scripted(never);
    intent.parse({ input: INPUT }).catch(() => {});
    void intent.dispose();
  },
};

/** The points that keep the process alive until it is ended from outside. */
const HOLDS = new Set([
  'an executor that never answers',
  'the data stage',
  'a deadline that runs',
  'a check on a worker thread',
  'an HTTP request without an answer',
  'an HTTP answer that never ends',
  'generate of an API executor',
  'a Bridge submission on a worker thread',
  'an MCP session over a transport',
]);

const ENDS = {
  'by itself': { code: 0, end: () => {} },
  'process.exit': { code: 3, end: () => process.exit(3) },
  'an uncaught exception': {
    code: 1,
    end: () => {
      setImmediate(() => {
        throw new Error('on purpose');
      });
    },
  },
  'an exception in the same turn': {
    code: 1,
    end: () => {
      process.nextTick(() => {
        throw new Error('on purpose');
      });
    },
  },
  'a signal': { signal: 'SIGTERM', end: () => process.kill(process.pid, 'SIGTERM') },
};

/** In a child: reach a point, end. */
async function inChild(point, end, services) {
  await POINTS[point](ENDS[end].end, services);
  ENDS[end].end();
}

/** In a child: a worker reaches the point and is terminated; the process goes on. */
async function withWorker(point, services, rounds) {
  for (let i = 0; i < rounds; i++) {
    const worker = new Worker(self, { workerData: { point, services } });
    await new Promise((resolve, reject) => {
      worker.on('message', resolve);
      worker.on('error', reject);
      worker.on('exit', resolve);
    });
    await worker.terminate();
    const intent = scripted(async (request) => good(request), { schema: SCHEMA });
    const outcome = await outcomeOf(intent.parse({ input: INPUT }));
    if (outcome !== 'ok') throw new Error(`after a worker: ${outcome}`);
    await intent.dispose();
  }
  process.exit(0);
}

if (!isMainThread) {
  const { point, services } = workerData;
  await POINTS[point](() => parentPort.postMessage('reached'), services);
  parentPort.postMessage('reached');
} else if (process.argv[2] === 'child') {
  await inChild(process.argv[3], process.argv[4], JSON.parse(process.argv[5]));
} else if (process.argv[2] === 'worker') {
  await withWorker(process.argv[3], JSON.parse(process.argv[4]), Number(process.argv[5]));
} else
  await proof('exits', async ({ figure, check }) => {
    const fine = await modelService();
    const silent = await modelService(() => true);
    const endless = await modelService((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"choices":[');
      return true;
    });
    const services = JSON.stringify({ fine: fine.url, silent: silent.url, endless: endless.url });
    const sound = (what, { code, signal, stdout, stderr, hung }, wanted) => {
      const told = () =>
        `${what}: code ${code}, signal ${signal}, hung ${hung}\n${stdout}${stderr}`;
      check(!hung, told);
      check(!/panicked|FATAL|fatal runtime|Segmentation/.test(stderr), told);
      check(code === (wanted.code ?? null) && signal === (wanted.signal ?? null), told);
      check(wanted.code === 1 || stderr === '', told);
    };
    let ends = 0;
    const rounds = amount(3, 1);
    const points = Object.keys(POINTS);
    const briefly = (i, j) => amount(true, (i + j) % 4 === 0);
    for (const [i, point] of points.entries()) {
      for (const [j, [end, wanted]] of Object.entries(ENDS).entries()) {
        if (end === 'by itself' && HOLDS.has(point)) continue;
        if (!briefly(i, j)) continue;
        for (let round = 0; round < rounds; round++) {
          const run = await node([self, 'child', point, end, services]);
          sound(`${point}, ended ${end}`, run, wanted);
          ends++;
        }
      }
      const run = await node([self, 'worker', point, services, String(amount(5, 2))]);
      sound(`${point}, in a worker that is terminated`, run, { code: 0 });
      ends += amount(5, 2);
    }
    await standardStreams({ check, figure });
    for (const service of [fine, silent, endless]) await service.close();
    figure('points', points.length);
    figure('ends', ends);
  });

/** The command-line server: ended at each point of its session. */
async function standardStreams({ check, figure }) {
  const bin = fileURLToPath(new URL('../bin/intent-runtime-mcp.js', import.meta.url));
  const line = (message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
  const session =
    line({
      id: 1,
      method: 'initialize',
      params: {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'prove', version: '0' },
      },
    }) +
    line({ method: 'notifications/initialized' }) +
    line({
      id: 2,
      method: 'tools/call',
      params: { name: 'intent_prepare', arguments: { instance: 'default', input: INPUT } },
    });
  let ends = 0;
  const cuts = amount(
    Array.from({ length: 30 }, (_, i) => Math.floor((session.length * i) / 29)),
    [0, 40, session.length],
  );
  for (const at of cuts) {
    const { code, stderr, hung } = await node([bin], { input: session.slice(0, at) });
    check(code === 0 && !hung && stderr === '', `input that ends at ${at}: ${code} ${stderr}`);
    ends++;
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGKILL'])
    for (const after of [1, 2]) {
      const run = await node([bin], {
        open: session,
        started: (stdout, server) => {
          // Once: a second signal ends it at once, as everywhere.
          if (stdout.split('\n').length > after) server.killed || server.kill(signal);
        },
      });
      const wanted = signal === 'SIGKILL' ? run.signal === 'SIGKILL' : run.code === 0;
      check(wanted && !run.hung && run.stderr === '', `${signal}: ${run.code} ${run.stderr}`);
      ends++;
    }
  // Its output is closed while it answers.
  const closed = await node([
    '-e',
    `const server = require('child_process').spawn(process.execPath, [${JSON.stringify(bin)}],
       { stdio: ['pipe', 'pipe', 'inherit'] });
     server.stdout.destroy();
     server.stdin.on('error', () => {});
     const feed = setInterval(() => server.stdin.write(${JSON.stringify(session)}), 20);
     server.on('exit', (code, signal) => { clearInterval(feed); process.exit(signal ? 9 : code) });`,
  ]);
  check(closed.code === 0 && closed.stderr === '', `closed output: ${JSON.stringify(closed)}`);
  figure('ends of the command-line server', ends + 1);
}
