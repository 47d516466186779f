// External faults: a TCP proxy that delays, cuts, corrupts and throttles between the HTTP executor and its
// service; no file descriptors; little memory; a clock that jumps. Each fault must end in one typed error or a
// right result, and the next call must work without a restart. Pauses of `retrying` must end with their parse.
//
// A full disk cannot cause a fault, because the package never writes to a disk.

import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Intent } from '@devcodex/intent-runtime';
import { createApiExecutor } from '@devcodex/intent-runtime/adapters/api';
import { createIntentBridge } from '@devcodex/intent-runtime/bridge';
import { pausesUnderJumps, retries } from './retries.mjs';
import {
  amount,
  CORE,
  chatReply,
  check,
  child,
  complete,
  counted,
  DATA,
  good,
  INPUT,
  modelService,
  never,
  node,
  outcomeOf,
  pool,
  proof,
  SCHEMA,
  sleep,
} from './support.mjs';

const self = new URL(import.meta.url).pathname;

/**
 * A proxy on loopback; `fault(sockets)` wires each connection of a client to the service, and has
 * `{ client, server }`. Without a fault bytes pass.
 */
async function proxyTo(port) {
  let fault;
  let closing = () => {};
  const open = new Set();
  const proxy = createServer((client) => {
    const server = connect(port, '127.0.0.1');
    for (const socket of [client, server]) {
      open.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        open.delete(socket);
        if (open.size === 0) closing();
      });
    }
    client.on('close', () => server.destroy());
    (fault ?? pass)({ client, server });
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    url: `http://127.0.0.1:${proxy.address().port}/v1`,
    set(next) {
      fault = next;
      // Pooled connections do not have the new fault.
      for (const socket of open) socket.destroy();
    },
    async quiet() {
      if (open.size > 0) await new Promise((resolve) => (closing = resolve));
    },
    async close() {
      proxy.close();
      for (const socket of open) socket.destroy();
      await once(proxy, 'close');
    },
  };
}

const pass = ({ client, server }) => {
  client.pipe(server);
  server.pipe(client);
};

/** Passes the response up to a byte, then calls `end`. */
const upTo =
  (bytes, end) =>
  ({ client, server }) => {
    client.pipe(server);
    let left = bytes;
    server.on('data', (data) => {
      if (data.length <= left) {
        left -= data.length;
        client.write(data);
        return;
      }
      client.write(data.subarray(0, left), () => end(client));
      left = 0;
      server.destroy();
    });
    server.on('end', () => client.end());
  };

/** Changes one byte of the response. */
const corrupt =
  (at, change) =>
  ({ client, server }) => {
    client.pipe(server);
    let seen = 0;
    server.on('data', (data) => {
      if (at >= seen && at < seen + data.length) data[at - seen] = change(data[at - seen]);
      seen += data.length;
      client.write(data);
    });
    server.on('end', () => client.end());
  };

const say =
  (text, more) =>
  ({ client, server }) => {
    server.destroy();
    client.once('data', () => {
      client.write(text);
      if (more) more(client);
      else client.end();
    });
  };

const body = chatReply(CORE);
const head = (headers, status = '200 OK') =>
  `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\n${headers}\r\n\r\n`;
const flood = (piece) => (client) => {
  const write = () => {
    while (!client.destroyed && client.write(piece));
    client.once('drain', write);
  };
  write();
};

/** The faults by name; `may` are the outcomes besides MODEL_REQUEST_FAILED. */
const FAULTS = {
  'a delay': {
    fault: ({ client, server }) => {
      client.pipe(server);
      server.on('data', (data) => setTimeout(() => client.write(data), 30));
    },
    only: ['ok'],
  },
  'throttled to single bytes': {
    fault: ({ client, server }) => {
      client.pipe(server);
      server.on('data', async (data) => {
        server.pause();
        for (const byte of data) {
          if (client.destroyed) return;
          client.write(Buffer.of(byte));
          await new Promise(setImmediate);
        }
        server.resume();
      });
    },
    only: ['ok'],
  },
  'a request in small pieces': {
    fault: ({ client, server }) => {
      server.pipe(client);
      client.on('data', (data) => {
        for (let i = 0; i < data.length; i += 97) server.write(data.subarray(i, i + 97));
      });
    },
    only: ['ok'],
  },
  'reset at once': { fault: ({ client }) => client.resetAndDestroy() },
  'closed at once': { fault: ({ client }) => client.end() },
  'reset after the request': { fault: say('', (client) => client.resetAndDestroy()) },
  silence: { fault: ({ server }) => server.destroy(), only: ['MODEL_TIMEOUT'] },
  'silence after the head': {
    fault: say(head(`content-length: ${body.length}`), () => {}),
    only: ['MODEL_TIMEOUT'],
  },
  'no HTTP': { fault: say('SSH-2.0-OpenSSH_9.9\r\n') },
  'binary noise': {
    fault: say(Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 7) % 256))),
  },
  'HTTP/0.9': { fault: say(body) },
  'HTTP/9.9': { fault: say(`HTTP/9.9 200 OK\r\n\r\n${body}`) },
  'an endless head': { fault: say('HTTP/1.1 200 OK\r\n', flood(`x: ${'y'.repeat(1000)}\r\n`)) },
  'endless provisional responses': {
    fault: say('', flood('HTTP/1.1 100 Continue\r\n\r\n')),
    may: ['MODEL_TIMEOUT'],
  },
  'an endless body': {
    fault: say(head('transfer-encoding: chunked'), flood(`1000\r\n${' '.repeat(4096)}\r\n`)),
    only: ['RESOURCE_LIMIT'],
  },
  'a body longer than it says': { fault: say(`${head('content-length: 10')}${body}`) },
  'a body shorter than it says': { fault: say(`${head('content-length: 999999')}${body}`) },
  'two lengths': {
    fault: say(`${head(`content-length: 5\r\ncontent-length: ${body.length}`)}${body}`),
  },
  'a negative length': { fault: say(`${head('content-length: -1')}${body}`) },
  'a length past every memory': {
    fault: say(`${head('content-length: 18446744073709551615')}${body}`),
    may: ['RESOURCE_LIMIT'],
  },
  'a broken chunk': { fault: say(`${head('transfer-encoding: chunked')}zz\r\n${body}`) },
  'a chunk of a huge size': {
    fault: say(`${head('transfer-encoding: chunked')}ffffffffffffffff\r\n${body}`),
  },
  'gzip that is none': { fault: say(`${head('content-encoding: gzip')}${body}`) },
  'an unknown encoding': {
    fault: say(`${head(`content-encoding: zstd\r\ncontent-length: ${body.length}`)}${body}`),
    // A body in an unknown encoding is read unchanged. The data question gets the same core candidate, if its
    // request finds a connection that is still open.
    may: ['ok', 'MODEL_OUTPUT_INVALID'],
  },
  'an empty body': { fault: say(head('content-length: 0')) },
  'no content': { fault: say('HTTP/1.1 204 No Content\r\n\r\n') },
  'a redirect': {
    fault: say(head('location: http://127.0.0.1:1/\r\ncontent-length: 0', '302 Found')),
  },
  'an upgrade': {
    fault: say('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
  },
  'a status of four digits': { fault: say(head('content-length: 0', '2000 OK')) },
  unauthorised: {
    fault: say(head('content-length: 0', '401 Unauthorized')),
    only: ['MODEL_AUTH_FAILED'],
  },
  'too many requests': {
    fault: say(head('content-length: 0', '429 Too Many Requests')),
    only: ['MODEL_RATE_LIMITED'],
  },
  'an error of five hundred with an endless body': {
    fault: say(
      head('transfer-encoding: chunked', '500 Oops'),
      flood(`1000\r\n${' '.repeat(4096)}\r\n`),
    ),
    may: ['RESOURCE_LIMIT'],
  },
};

async function network({ figure }) {
  const service = await modelService();
  const proxy = await proxyTo(service.port);
  const make = (timeoutMs) =>
    new Intent({
      schema: SCHEMA,
      timeoutMs,
      executor: createApiExecutor({
        provider: 'openai',
        protocol: 'chat-completions',
        baseURL: proxy.url,
        model: 'm',
        apiKey: 'k',
        maxResponseBytes: 1 << 20,
      }),
    });
  // One instance for faults that must end by themselves, one for faults that its timeout must end.
  const [intent, hasty] = [make(60_000), make(500)];
  const ends = {};
  let faults = 0;
  // A changed byte may change the status, the length or the JSON: any typed error is right, and a result is
  // right only if the byte did not matter.
  const changed = [
    ...['ok', 'MODEL_REQUEST_FAILED', 'MODEL_OUTPUT_INVALID', 'MODEL_TIMEOUT', 'RESOURCE_LIMIT'],
    ...['MODEL_REFUSED', 'MODEL_OUTPUT_INCOMPLETE', 'MODEL_AUTH_FAILED', 'MODEL_RATE_LIMITED'],
  ];
  // A pooled connection that died unnoticed fails the next request, because no request is sent twice; the
  // request after that opens a new connection.
  const ask = async (what, wanted, whole) => {
    const once = () =>
      outcomeOf(
        what.parse({ input: INPUT }).then((result) => {
          check(!whole || result.data.order === '7', () => JSON.stringify(result));
        }),
      );
    const outcome = await once();
    const again = outcome === 'MODEL_REQUEST_FAILED' && !wanted.includes(outcome);
    return again ? once() : outcome;
  };
  const suffer = async (name, fault, allowed, what = intent) => {
    proxy.set(fault);
    faults++;
    const outcome = await ask(what, allowed, allowed !== changed);
    counted(ends, outcome);
    check(allowed.includes(outcome), `${name} ended as ${outcome}`);
  };
  const recovers = async (name) => {
    proxy.set(undefined);
    const outcome = await ask(intent, ['ok'], true);
    check(outcome === 'ok', `after ${name}: ${outcome}`);
  };
  for (const [name, { fault, may = [], only }] of Object.entries(FAULTS)) {
    const allowed = only ?? ['MODEL_REQUEST_FAILED', ...may];
    await suffer(name, fault, allowed, allowed.includes('MODEL_TIMEOUT') ? hasty : intent);
    await recovers(name);
  }
  // Every byte of a response: the connection ends there, or the byte is another one.
  const length = head('').length + chatReply(DATA).length + 120;
  const stride = amount(1, 61);
  const cut = ['MODEL_REQUEST_FAILED', 'ok'];
  for (let at = 0; at < length; at += stride) {
    await suffer(
      `cut at ${at}`,
      upTo(at, (client) => client.end()),
      cut,
    );
    await suffer(
      `reset at ${at}`,
      upTo(at, (client) => client.resetAndDestroy()),
      cut,
    );
    if (at % 20 === 0) await recovers(`a cut at ${at}`);
  }
  for (let at = 0; at < length; at += stride)
    for (const change of [(byte) => byte ^ 1, (byte) => byte ^ 0x80, () => 0, () => 0x0a])
      await suffer(`byte ${at} changed`, corrupt(at, change), changed, hasty);
  await recovers('changed bytes');
  // All at once.
  const mixed = Object.values(FAULTS).filter(({ only }) => !only?.includes('MODEL_TIMEOUT'));
  const busy = new Intent({
    schema: SCHEMA,
    timeoutMs: 20_000,
    limits: { maxConcurrentParses: 100 },
    executor: createApiExecutor({
      provider: 'openai',
      protocol: 'chat-completions',
      baseURL: proxy.url,
      model: 'm',
      apiKey: 'k',
      maxResponseBytes: 1 << 20,
    }),
  });
  let n = 0;
  proxy.set((sockets) => mixed[n++ % mixed.length].fault(sockets));
  await pool(amount(2_000, 200), 40, async () => {
    counted(ends, await outcomeOf(busy.parse({ input: INPUT })));
    faults++;
  });
  await recovers('all faults at once');
  for (const one of [intent, hasty, busy]) await one.dispose();
  await proxy.close();
  await service.close();
  figure('network faults', faults);
  for (const [code, count] of Object.entries(ends).sort()) figure(`ended as ${code}`, count);
}

/** Runs in a child with few file descriptors: without any left, calls fail with a typed error; later they work. */
async function files({ figure }) {
  if (process.platform === 'win32') return figure('files exhausted', 'not on Windows');
  const script = `ulimit -n 256 && exec "$0" ${self} files`;
  const { code, signal, stderr, stdout, hung } = await child(
    'sh',
    ['-c', script, process.execPath],
    {
      env: { PROVE_NODE: process.execPath },
    },
  );
  check(code === 0, () => `files: ${code} ${signal} ${hung}\n${stdout}\n${stderr}`);
  figure('files exhausted', stdout.trim());
}

async function inChildWithoutFiles() {
  const service = await modelService();
  const api = { provider: 'openai', protocol: 'chat-completions', baseURL: service.url };
  const open = [];
  const exhaust = () => {
    for (;;)
      try {
        open.push(openSync('/dev/null'));
      } catch (error) {
        check(error.code === 'EMFILE', error);
        return;
      }
  };
  const free = () => {
    for (const file of open.splice(0)) closeSync(file);
  };
  // The package has not started anything; its runtime also needs file descriptors.
  exhaust();
  let first = 'ok';
  let intent;
  try {
    intent = new Intent({
      schema: SCHEMA,
      timeoutMs: 20_000,
      executor: createApiExecutor({ ...api, model: 'm', apiKey: 'k' }),
    });
    first = await outcomeOf(intent.parse({ input: INPUT }));
  } catch (error) {
    first = `constructor ${error.code}`;
  }
  check(first !== 'ok' && !first.includes('undefined'), `first: ${first}`);
  free();
  intent ??= new Intent({
    schema: SCHEMA,
    timeoutMs: 20_000,
    executor: createApiExecutor({ ...api, model: 'm', apiKey: 'k' }),
  });
  const second = await outcomeOf(intent.parse({ input: INPUT }));
  check(second === 'ok', `with files again: ${second}`);
  exhaust();
  // A pooled connection may still work; a new one cannot be opened.
  const third = [];
  for (let i = 0; i < 6; i++) third.push(outcomeOf(intent.parse({ input: INPUT })));
  const ends = new Set(await Promise.all(third));
  for (const end of ends)
    check(['ok', 'MODEL_REQUEST_FAILED', 'LIMIT_EXCEEDED'].includes(end), `without files: ${end}`);
  free();
  const last = await outcomeOf(intent.parse({ input: INPUT }));
  check(last === 'ok', `after all: ${last}`);
  console.log(`first ${first}, later ${[...ends].join(' or ')}, recovered twice`);
  process.exit(0);
}

/** Runs in a child with a small heap: large candidates and answers, many at once. */
async function memory({ figure }) {
  const { code, signal, stderr, stdout, hung } = await node(
    ['--max-old-space-size=64', self, 'memory', ...process.argv.slice(2)],
    { seconds: 600 },
  );
  check(code === 0, () => `memory: ${code} ${signal} ${hung}\n${stdout}\n${stderr}`);
  figure('memory pressure (a heap of 64 MiB)', stdout.trim());
}

async function inChildWithLittleMemory() {
  const padding = ' '.repeat(250_000);
  const service = await modelService((request, response) => {
    response.setHeader('content-type', 'application/json');
    if (request.includes('flood')) response.end('x'.repeat(4 << 20));
    else response.end(chatReply(`${request.includes('checkedDefault') ? DATA : CORE}${padding}`));
    return true;
  });
  const api = createApiExecutor({
    provider: 'openai',
    protocol: 'chat-completions',
    baseURL: service.url,
    model: 'm',
    apiKey: 'k',
    maxResponseBytes: 1 << 20,
  });
  const limits = { maxConcurrentParses: 64 };
  const intents = [
    new Intent({ schema: SCHEMA, limits, executor: api }),
    new Intent({
      schema: SCHEMA,
      limits,
      executor: {
        id: 'x',
        generate: async (request) => complete(`${good(request).text}${padding}`),
      },
    }),
  ];
  const ends = {};
  const count = amount(3_000, 300);
  await pool(count, 64, async (i) => {
    const input = i % 8 === 0 ? `${INPUT} flood` : INPUT;
    counted(ends, await outcomeOf(intents[i % 2].parse({ input })));
  });
  const floods = Math.ceil(count / 8);
  check(ends.RESOURCE_LIMIT === floods, () => JSON.stringify(ends));
  check(ends.ok === count - floods, () => JSON.stringify(ends));
  const peak = process.resourceUsage().maxRSS / 1024;
  check(peak < 1024, `peak RSS ${peak} MiB`);
  console.log(
    `${count} parses with candidates of 250 kB, 64 at once: peak RSS ${peak.toFixed(0)} MiB`,
  );
  process.exit(0);
}

const SHIM = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <sys/time.h>
/* The time of day is off by as many seconds as the file says. */
static long offset(void) {
  long seconds = 0;
  FILE *file = fopen(getenv("CLOCK_OFFSET_FILE"), "r");
  if (file) { if (fscanf(file, "%ld", &seconds) != 1) seconds = 0; fclose(file); }
  return seconds;
}
int clock_gettime(clockid_t id, struct timespec *time) {
  static int (*real)(clockid_t, struct timespec *);
  if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  int done = real(id, time);
  if (done == 0 && id == CLOCK_REALTIME) time->tv_sec += offset();
  return done;
}
int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  struct timespec now;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &now);
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1000;
  return 0;
}
`;

/** Runs in a child whose wall clock jumps by days: timeouts and lifetimes must not be affected. */
async function clock({ figure }) {
  const folder = mkdtempSync(join(tmpdir(), 'prove-clock-'));
  try {
    const [source, library, file] = ['shim.c', 'shim.so', 'offset'].map((name) =>
      join(folder, name),
    );
    writeFileSync(source, SHIM);
    writeFileSync(file, '0');
    const built = await child('cc', ['-shared', '-fPIC', '-o', library, source, '-ldl']).catch(
      (error) => ({ code: 1, stderr: error.message }),
    );
    if (process.platform !== 'linux' || built.code !== 0)
      return figure('clock jumps', `not run: ${built.stderr?.split('\n')[0]}`);
    const { code, signal, stderr, stdout, hung } = await node([self, 'clock'], {
      env: { LD_PRELOAD: library, CLOCK_OFFSET_FILE: file },
    });
    check(code === 0, () => `clock: ${code} ${signal} ${hung}\n${stdout}\n${stderr}`);
    figure('clock jumps', stdout.trim());
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function inChildWithAnotherClock() {
  const jump = async (days) => {
    writeFileSync(process.env.CLOCK_OFFSET_FILE, String(days * 86_400));
    await sleep(20);
  };
  const before = Date.now();
  await jump(3);
  check(Date.now() - before > 86_400_000, 'the clock can be moved');
  await jump(0);
  let jumps = 0;
  for (const days of [3, -3, 3650, -3650]) {
    jumps++;
    const intent = new Intent({ timeoutMs: 60_000, executor: { id: 'x', generate: never } });
    const hasty = new Intent({ timeoutMs: 200, executor: { id: 'x', generate: never } });
    const bridge = createIntentBridge({ instances: { a: intent }, jobTtlMs: 60_000 });
    const short = createIntentBridge({
      instances: { a: intent },
      jobTtlMs: 200,
      replayTtlMs: 60_000,
    });
    const [session, brief] = [bridge.connect(), short.connect()];
    const task = session.prepare({ instance: 'a', input: INPUT });
    const dying = brief.prepare({ instance: 'a', input: INPUT });
    const parse = outcomeOf(intent.parse({ input: INPUT }));
    const late = outcomeOf(hasty.parse({ input: INPUT }));
    await jump(days);
    // A long timeout has not expired, at any time of the wall clock.
    const first = await Promise.race([parse, sleep(300).then(() => 'open')]);
    check(first === 'open', `a jump by ${days} days ended a parse: ${first}`);
    const reply = await session.accept({
      jobId: task.jobId,
      stepToken: task.stepToken,
      candidateText: CORE,
    });
    check(reply.kind === 'result', () => `a jump by ${days} days: ${JSON.stringify(reply)}`);
    // A short timeout does expire.
    check((await late) === 'MODEL_TIMEOUT', 'a deadline is kept');
    const expired = brief.cancel({ jobId: dying.jobId });
    check(expired.error?.code === 'BRIDGE_JOB_EXPIRED', () => JSON.stringify(expired));
    // Displayed times are those of the wall clock.
    const next = session.prepare({ instance: 'a', input: INPUT });
    const shown = Date.parse(next.expiresAt) - Date.now() - 60_000;
    check(Math.abs(shown) < 60_000, `expiresAt is off by ${shown} ms`);
    await intent.dispose();
    check((await parse) === 'INSTANCE_DISPOSED', 'the parse was still open');
    await hasty.dispose();
    await jump(0);
    await pausesUnderJumps(jump, days);
  }
  console.log(`${jumps} jumps by up to ten years: deadlines, lifetimes and pauses are monotonic`);
  process.exit(0);
}

const CHILDREN = {
  files: inChildWithoutFiles,
  memory: inChildWithLittleMemory,
  clock: inChildWithAnotherClock,
};

if (process.argv[2] in CHILDREN) await CHILDREN[process.argv[2]]();
else
  await proof('faults', async (report) => {
    await network(report);
    await retries(report);
    await files(report);
    await memory(report);
    await clock(report);
  });
