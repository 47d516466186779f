// Tests `retrying` and `fallback` under external faults: a service that fails and asks for an hour, timeouts
// and aborts in a pause, many pauses at once, a clock that jumps.

import { Intent, IntentError } from '@devcodex/intent-runtime';
import { createApiExecutor } from '@devcodex/intent-runtime/adapters/api';
import { fallback, retrying } from '@devcodex/intent-runtime/executors';
import {
  amount,
  check,
  counted,
  good,
  INPUT,
  modelService,
  outcomeOf,
  pool,
  sleep,
} from './support.mjs';

const HOUR = 3_600_000;

const failed = (code, retryAfterMs) => {
  const http = retryAfterMs === undefined ? undefined : { status: 429, retryAfterMs };
  return new IntentError(code, { retryable: true, http });
};

/** Makes an executor that fails with these errors in turn, then answers; `asked` counts its calls. */
const failing = (...errors) => {
  const executor = {
    id: 'failing',
    asked: 0,
    async generate(request) {
      const error = errors[executor.asked++];
      if (error !== undefined) throw error;
      return good(request);
    },
  };
  return executor;
};

/** Timers of this process that would keep it alive. */
const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

const parsing = async (executor, config, end) => {
  const controller = new AbortController();
  const intent = new Intent({ executor, ...config });
  const parse = outcomeOf(intent.parse({ input: INPUT, signal: controller.signal }));
  end?.(intent, controller);
  const outcome = await parse;
  await intent.dispose();
  return outcome;
};

/** Every end of a parse must also end its pause, without a remaining timer. */
async function pauses({ figure }) {
  const before = timers();
  const ends = {};
  const options = { attempts: 2, maxDelayMs: 2 * HOUR };
  await pool(amount(4_000, 400), 64, async (i) => {
    const executor = retrying(failing(failed('MODEL_RATE_LIMITED', HOUR)), options);
    const outcome = await [
      () => parsing(executor, { timeoutMs: 1 + (i % 7) }),
      () => parsing(executor, {}, (_, controller) => setTimeout(() => controller.abort(), i % 5)),
      () => parsing(executor, {}, (intent) => setTimeout(() => intent.dispose(), i % 5)),
      () =>
        parsing(
          retrying(failing(failed('MODEL_RATE_LIMITED', HOUR)), { ...options, maxDelayMs: 1000 }),
        ),
    ][i % 4]();
    counted(ends, outcome);
  });
  for (const code of ['MODEL_TIMEOUT', 'MODEL_ABORTED', 'INSTANCE_DISPOSED', 'MODEL_RATE_LIMITED'])
    check(ends[code] === amount(1_000, 100), () => `pauses of an hour: ${JSON.stringify(ends)}`);
  check(timers() <= before, () => `${timers() - before} timers stay behind`);
  figure('pauses of an hour, ended by deadline, abort, disposal, maxDelayMs', JSON.stringify(ends));
}

/** A service is down for a while: all recognitions must succeed, within their number of attempts. */
async function recovery({ figure }) {
  let requests = 0;
  const service = await modelService((_, response) => {
    requests++;
    if (requests % 3 === 0) return false;
    if (requests % 3 === 1) response.socket.destroy();
    else {
      response.writeHead(503, { 'retry-after': '0' });
      response.end('{}');
    }
    return true;
  });
  const api = (url) =>
    createApiExecutor({
      provider: 'openai',
      protocol: 'chat-completions',
      baseURL: url,
      model: 'm',
      apiKey: 'k',
    });
  const nobody = api('http://127.0.0.1:9/v1');
  const heard = [];
  const executor = fallback(
    [nobody, retrying(api(service.url), { attempts: 20, maxDelayMs: 5, on: (e) => heard.push(e) })],
    { on: (event) => heard.push(event) },
  );
  const ends = {};
  const count = amount(300, 40);
  await pool(count, 4, async () => counted(ends, await parsing(executor, {})));
  check(ends.ok === count, () => `recovery: ${JSON.stringify(ends)}`);
  check(
    heard.filter(({ to }) => to !== undefined).length === count,
    'each asked the other executor',
  );
  await service.close();
  figure(
    'recognitions while two of three requests fail',
    `${ends.ok} of ${count}, ${requests} requests`,
  );
}

export async function retries(report) {
  await pauses(report);
  await recovery(report);
}

/** Runs in a process whose wall clock jumps: the length of a pause must not change. */
export async function pausesUnderJumps(jump, days) {
  const long = failing(failed('MODEL_RATE_LIMITED', 60_000));
  const patient = parsing(retrying(long, { attempts: 2, maxDelayMs: 60_000 }), { timeoutMs: 400 });
  const brief = failing(failed('MODEL_RATE_LIMITED', 100));
  const short = parsing(retrying(brief, { attempts: 2, maxDelayMs: 200 }), {});
  await jump(days);
  check((await short) === 'ok', `a jump by ${days} days kept a pause of 100 ms`);
  check((await patient) === 'MODEL_TIMEOUT', `a jump by ${days} days ended a pause of a minute`);
  check(long.asked === 1, 'nothing was asked early');
  await jump(0);
  await sleep(1);
}
