// Measures the cost of data and schemas at default limits: for generated candidates of 4 to 256 KB and
// generated schemas of 4 to 128 KB, the longest synchronous call and the peak of memory.
//
// Time is the processor time of the main thread, so that other load does not count. A call that is too long is
// repeated, with a fixed piece of work before and after it: where that work is slower than on the machine of the
// aims, the aim of this call is larger by the same factor. Memory is the value that the system reports for the
// process, so this part needs Linux; a candidate that costs too much is measured again in a process of its own.

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { deflateSync } from 'node:zlib';
import { Intent } from '@devcodex/intent-runtime';
import { createIntentBridge } from '@devcodex/intent-runtime/bridge';
import { amount, CORE, INPUT, proof } from './support.mjs';

const CALL_MS = 25;
const NEW_MS = 250;
const CANDIDATE_BYTES = 64 * 2 ** 20;
const keptBytes = (schema) => 40 * schema + 4 * 2 ** 20;

const never = new Int32Array(new SharedArrayBuffer(4));

/**
 * Milliseconds that this thread spent on a processor. The system adds the time of a thread up when the thread
 * leaves its processor, or else at each tick of some 4 ms, so this sleeps for a moment first.
 */
const spent = () => {
  Atomics.wait(never, 0, 0, 0.02);
  return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6;
};

const WORK = Array.from({ length: 30_000 }, (_, i) =>
  ((i * 2_654_435_761) % 2 ** 32).toString(36),
).join(' ');
/** The time that the work below takes on the machine of the aims (AMD EPYC, two idle cores). */
const WORK_MS = 5.7;

/** Returns how many times slower this machine is now than that of the aims; at least 1. */
const slowness = () => {
  const before = spent();
  deflateSync(WORK);
  return Math.max(1, (spent() - before) / WORK_MS);
};

/**
 * Measures until every time is within its aim, at most eight times.
 *
 * @param {number} tries How often to measure in any case.
 * @param {() => Promise<object>} measure Returns the times of one try.
 * @param {Record<string, number>} aims Milliseconds by the name of a time.
 * @returns The least value of each time, in milliseconds of the machine of the aims.
 */
async function least(tries, measure, aims) {
  const best = Object.fromEntries(Object.keys(aims).map((name) => [name, Infinity]));
  const missed = () => Object.keys(aims).some((name) => best[name] > aims[name]);
  for (let done = 0; done < tries || (done < 8 && missed()); done++) {
    const before = done < tries ? 1 : slowness();
    const times = await measure();
    const factor = Math.min(before, before > 1 ? slowness() : 1);
    for (const name of Object.keys(aims)) best[name] = Math.min(best[name], times[name] / factor);
  }
  return best;
}

/** Resident bytes: now, and the most since the last call of `forgetPeak`. */
const resident = () => {
  const status = readFileSync('/proc/self/status', 'utf8');
  const bytes = (name) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)[1]) * 1024;
  return { now: bytes('VmRSS'), most: bytes('VmHWM') };
};
const forgetPeak = () => writeFileSync('/proc/self/clear_refs', '5');

/** Makes a call, and measures the longest time that it, or a turn of the event loop until it settles, takes. */
async function watched(call) {
  let before = spent();
  const promise = call();
  let longest = spent() - before;
  let settled = false;
  const done = Promise.resolve(promise).finally(() => {
    settled = true;
  });
  done.catch(() => {});
  while (!settled) {
    before = spent();
    await setImmediate();
    longest = Math.max(longest, spent() - before);
  }
  return { value: await done, longest };
}

const say = (v, more = {}) => ({
  data: { v },
  evidence: [],
  descriptionChecks: [],
  fieldResults: [{ path: '/data/v', status: 'extracted', explanation: 'It is there.' }],
  issues: [],
  ...more,
});

/** Repeats a piece until the text has about this number of bytes. */
const times = (bytes, piece) => {
  const all = [];
  for (let size = 0, i = 0; size < bytes; i++) {
    const next = piece(i);
    size += JSON.stringify(next).length + 1;
    all.push(next);
  }
  return all;
};
const keyed = (bytes, piece) => Object.fromEntries(times(bytes, piece));
const filled = (bytes, text) => text.repeat(Math.max(1, Math.floor(bytes / text.length)));
const nested = (depth, inner) => {
  let value = inner;
  for (let i = 0; i < depth; i++) value = i % 2 ? [value] : { k: value };
  return value;
};
const letters = (i) => String.fromCodePoint(0x4e00 + (i % 20000));

/** Patterns of about this number of bytes. */
const PATTERNS = {
  letters: (bytes) => filled(bytes, 'a'),
  'letters of any case': (bytes) => `(?i:${filled(bytes, 'k')})`,
  'properties of any case': (bytes) => `(?i:${filled(bytes, '\\p{L}')})`,
  'different classes': (bytes) => times(bytes, (i) => `[\\p{L}\\p{N}${letters(i)}]`).join(''),
  'different classes of any case': (bytes) =>
    `(?i:${times(bytes, (i) => `[^\\P{L}${letters(i)}]`).join('')})`,
  'one class of many': (bytes) => `[${filled(bytes, '\\p{L}\\P{Lu}')}]`,
  'one class of ranges': (bytes) => `(?i:[${times(bytes, (i) => `${letters(2 * i)}`).join('')}])`,
  alternatives: (bytes) => times(bytes, (i) => `${i}|`).join(''),
  choices: (bytes) => filled(bytes, 'a?b*?'),
  'nested groups': (bytes) =>
    filled(bytes, `${'(?:a?'.repeat(240)}${')*'.repeat(240)}`) + (bytes < 1700 ? 'a' : ''),
  'counted groups': (bytes) => filled(bytes, '(?:(?:ab){9}c){9}'),
  'nested counts': (bytes) => filled(bytes, `${'('.repeat(240)}a${'){2,3}'.repeat(240)}`),
  lookarounds: (bytes) => filled(bytes, '(?<=a)(?!b)'),
  names: (bytes) => times(bytes, (i) => `(?<n${i}>a)|`).join(''),
  'references by name': (bytes) => `${filled(bytes / 2, '(?<n>a)|')}${filled(bytes / 2, '\\k<n>')}`,
  'references by number': (bytes) =>
    `${filled(bytes / 2, '(a)')}${times(bytes / 2, (i) => `\\${(i % (bytes / 8)) + 1}`).join('')}`,
  'nested names': (bytes) =>
    `${times(bytes / 2, (i) => `(?<n${i}>a)`).join('')}${'('.repeat(200)}${')'.repeat(200)}`,
  'no end': (bytes) => filled(bytes, '(') + filled(bytes, '['),
};

/** Candidates of about this number of bytes for the schema below, by name. */
const CANDIDATES = {
  'a long key over zeros': (bytes) =>
    say({ any: { [filled(bytes * 0.9, 'k')]: Array(Math.floor(bytes / 25)).fill(0) } }),
  'keys of middling length over zeros': (bytes) =>
    say({ any: keyed(bytes, (i) => [`${filled(1000, 'k')}${i}`, Array(200).fill(0)]) }),
  'described values below a long key': (bytes) =>
    say({ told: { [filled(bytes * 0.9, 'k')]: Array(Math.floor(bytes / 25)).fill(0) } }),
  zeros: (bytes) => say({ any: Array(Math.min(19_000, Math.floor(bytes / 2))).fill(0) }),
  'many keys': (bytes) => say({ any: keyed(bytes, (i) => [`k${i}`, i]) }),
  'many keys for a closed choice': (bytes) => say({ closed: keyed(bytes, (i) => [`k${i}`, i]) }),
  'deep values': (bytes) => say({ any: times(bytes, () => nested(25, 0)) }),
  'a long string': (bytes) => say({ any: filled(bytes, 'x') }),
  'a string of escapes': (bytes) => say({ any: filled(bytes / 6, '\u0001') }),
  'long strings for patterns': (bytes) => say({ slow: `${filled(bytes, 'ab')}!` }),
  'long strings for a reference': (bytes) => say({ back: `${filled(bytes, 'a')}!` }),
  'strings for formats': (bytes) =>
    say({ formats: times(bytes, (i) => `https://example.com/${i}@:`) }),
  'a long e-mail': (bytes) => say({ formats: [`${filled(bytes, 'a.')}a@example.com`] }),
  'a long duration': (bytes) => say({ formats: [`P${filled(bytes, '1')}Y`] }),
  'a key for many branches': (bytes) => say({ branches: { [filled(bytes, 'k')]: 1 } }),
  'values for many branches': (bytes) =>
    say({ branches: { k: Array(Math.min(19_000, Math.floor(bytes / 2))).fill(1) } }),
  'values for shared branches': (bytes) =>
    say({ ring: { a: times(bytes, (i) => ({ a: { b: [i] } })) } }),
  'unequal items': (bytes) => say({ unique: times(bytes, (i) => ({ a: { b: i } })) }),
  'names for patterns': (bytes) => say({ named: keyed(bytes, (i) => [`a${i}`, i]) }),
  'long names for patterns': (bytes) => say({ named: { [filled(bytes, 'ab')]: 1 } }),
  'evidence that repeats': (bytes) =>
    say(
      { any: 1 },
      {
        evidence: times(bytes, () => ({
          path: '/data/v',
          mode: 'semantic',
          sources: [{ sourceId: 'input', quote: '7' }],
        })),
      },
    ),
  'sources that are none': (bytes) =>
    say(
      { any: 1 },
      {
        evidence: [
          {
            path: '/data/v/any',
            mode: 'semantic',
            sources: times(bytes, (i) => ({ sourceId: 'input', quote: `order ${i}` })),
          },
        ],
      },
    ),
  'long quotes': (bytes) =>
    say(
      { any: 1 },
      {
        evidence: times(bytes, () => ({
          path: '/data/v',
          mode: 'exact',
          sources: [{ sourceId: 'input', quote: filled(5_000, 'Query ') }],
        })),
      },
    ),
  'long paths': (bytes) =>
    say(
      { any: 1 },
      {
        evidence: times(bytes, () => ({
          path: `/data/${filled(5_000, '~0')}`,
          mode: 'exact',
          sources: [],
        })),
      },
    ),
  'checks that repeat': (bytes) =>
    say(
      { any: 1 },
      {
        descriptionChecks: times(bytes, () => ({
          path: '/data',
          verdict: 'satisfied',
          explanation: 'e',
          sources: [],
        })),
      },
    ),
  'unknown keys': (bytes) =>
    say({ any: 1 }, { evidence: times(bytes, () => ({ [filled(500, 'k')]: 1 })) }),
  'results that repeat': (bytes) => ({
    ...say({}),
    fieldResults: times(bytes, (i) => ({ path: `/data/${i}`, status: 'issue', explanation: 'e' })),
  }),
  'duplicate keys': (bytes) =>
    JSON.stringify(say(1)).replace('"v":1', times(bytes, () => '"v":1').join(',')),
  'open brackets': (bytes) => filled(bytes, '{"a":['),
  'no JSON': (bytes) => filled(bytes, '\\'),
};
for (const [name, pattern] of Object.entries(PATTERNS))
  CANDIDATES[`a pattern of ${name}`] = (bytes) => say({ regex: pattern(bytes) });

const NESTED = { anyOf: Array(64).fill({ $ref: '#/$defs/inner' }) };

/** The schema for the candidates above. */
const SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: {
    v: {
      properties: {
        any: {},
        told: { additionalProperties: { items: { description: 'd' } } },
        closed: { anyOf: Array(64).fill({ $ref: '#/$defs/closed' }) },
        slow: { pattern: '^(?:a+b?|b)*$' },
        back: { pattern: '^(a*)(a*)(a*)\\3b' },
        regex: { format: 'regex' },
        formats: {
          items: {
            anyOf: [
              'uri',
              'email',
              'duration',
              'url',
              'hostname',
              'date-time',
              'json-pointer',
              'ipv6',
            ].map((format) => ({ format, description: 'd' })),
          },
        },
        branches: { additionalProperties: { anyOf: [NESTED, { items: NESTED }] } },
        ring: { $ref: '#/$defs/ring' },
        unique: { uniqueItems: true },
        named: {
          patternProperties: { '^a+1': { description: 'd' }, '(?:a|b)*!': {} },
          additionalProperties: { description: 'd' },
        },
      },
    },
  },
  $defs: {
    inner: { anyOf: Array(64).fill({ $ref: '#/$defs/null' }) },
    null: { type: 'null' },
    closed: { anyOf: Array(64).fill({ $ref: '#/$defs/empty' }) },
    empty: { maxProperties: 0, additionalProperties: false },
    ring: {
      description: 'd',
      anyOf: Array(8).fill({
        description: 'd',
        additionalProperties: { $ref: '#/$defs/ring' },
        items: { $ref: '#/$defs/ring' },
      }),
    },
  },
};

/** Core candidates of about this number of bytes. */
const core = (more) => ({ ...JSON.parse(CORE), ...more });
const CORES = {
  'a long input': (bytes) => core({ normalizedInput: filled(bytes, 'x') }),
  requirements: (bytes) => core({ requirements: times(bytes, (i) => `r${i}`) }),
  'blank requirements': (bytes) => core({ requirements: times(bytes, () => ' ') }),
  'unknown keys of core': (bytes) => core(keyed(bytes, (i) => [`k${i}`, 1])),
  'a long unknown key': (bytes) => core({ [filled(bytes, 'k')]: 1 }),
};

const of = (v) => ({ type: 'object', properties: { v } });
const groups = (bytes, one) => {
  const chunks = (list, keyword) =>
    Array.from({ length: Math.ceil(list.length / 64) }, (_, i) => ({
      [keyword]: list.slice(64 * i, 64 * i + 64),
    }));
  return { allOf: chunks(chunks(times(bytes, one), 'anyOf'), 'allOf') };
};
const ring = (bytes, one) => {
  const defs = keyed(bytes, (i) => [`d${i}`, one(i)]);
  const count = Object.keys(defs).length;
  return {
    type: 'object',
    properties: { v: { $ref: '#/$defs/d0' } },
    $defs: Object.fromEntries(
      Object.entries(defs).map(([name, schema], i) => [
        name,
        schema(`#/$defs/d${(i + 1) % count}`),
      ]),
    ),
  };
};

/** Schemas of about this number of bytes, by name. */
const SCHEMAS = {
  properties: (bytes) => ({
    type: 'object',
    properties: Object.fromEntries(
      Array.from({ length: 250 }, (_, i) => [
        `p${i}`,
        { type: 'string', description: filled(bytes / 300, 'd') },
      ]),
    ),
  }),
  'described alternatives': (bytes) =>
    of(groups(bytes, (i) => ({ description: 'd', minLength: i }))),
  'plain alternatives': (bytes) => of(groups(bytes, () => ({ type: 'null' }))),
  'empty schemas': (bytes) => of({ items: groups(bytes, () => ({})) }),
  'boolean schemas': (bytes) => of(groups(bytes, (i) => i % 2 === 0)),
  'a ring': (bytes) =>
    ring(bytes, () => (next) => ({ description: 'd', additionalProperties: { $ref: next } })),
  'a ring of alternatives': (bytes) =>
    ring(bytes, () => (next) => ({
      anyOf: [
        { description: 'd', items: { $ref: next } },
        { description: 'd', additionalProperties: { $ref: next } },
      ],
    })),
  'a chain of unevaluated': (bytes) => {
    const count = Math.min(400, Math.floor(bytes / 90));
    const $defs = Object.fromEntries(
      Array.from({ length: count }, (_, i) => [
        `d${i}`,
        { allOf: [{ $ref: `#/$defs/d${i + 1}` }], unevaluatedProperties: false },
      ]),
    );
    return { ...of({ $ref: '#/$defs/d0' }), $defs: { ...$defs, [`d${count}`]: {} } };
  },
  'a doubling of unevaluated': () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => [
        `d${i}`,
        { allOf: Array(2).fill({ $ref: `#/$defs/d${i + 1}` }), unevaluatedProperties: false },
      ]),
    );
    return { ...of({ $ref: '#/$defs/d0' }), $defs: { ...$defs, d40: {} } };
  },
  'alternatives that share definitions': (bytes) => {
    const $defs = Object.fromEntries(
      Array.from({ length: 60 }, (_, i) => [
        `d${i}`,
        { description: 'd', additionalProperties: { $ref: `#/$defs/d${(i + 1) % 60}` } },
      ]),
    );
    return {
      ...of(
        groups(bytes - 5_000, (i) => ({
          description: 'd',
          minProperties: i % 3,
          additionalProperties: { $ref: `#/$defs/d${i % 60}` },
        })),
      ),
      $defs,
    };
  },
  'schemas below a long name': (bytes) =>
    of({ properties: { [filled(bytes / 2, 'k')]: groups(bytes / 2, () => ({ type: 'string' })) } }),
  'a long name to require': (bytes) =>
    of({ anyOf: Array(3).fill({ required: [filled(bytes / 4, 'k')] }) }),
  'short names to require': (bytes) => of({ required: times(bytes, (i) => i.toString(36)) }),
  'dependent names': (bytes) => of({ dependentRequired: keyed(bytes, (i) => [`k${i}`, ['a']]) }),
  'dependent schemas': (bytes) =>
    of({ dependentSchemas: keyed(bytes, (i) => [`k${i}`, { description: 'd' }]) }),
  'strings to choose from': (bytes) => of({ enum: times(bytes, (i) => i.toString(36)) }),
  'numbers to choose from': (bytes) => of({ enum: times(bytes, (i) => i) }),
  'small choices': (bytes) => of(groups(bytes, (i) => ({ enum: [i, 'a', 'b', 'c'] }))),
  constants: (bytes) => of(groups(bytes, (i) => ({ const: `${i}` }))),
  prefixes: (bytes) => of({ prefixItems: times(bytes, () => ({ type: 'null' })) }),
  'patterns of names': (bytes) =>
    of({ patternProperties: keyed(Math.min(bytes, 8_000), (i) => [`^a${i}`, { type: 'null' }]) }),
  'too many patterns of names': (bytes) =>
    of({ patternProperties: keyed(bytes, (i) => [`a${i}`, {}]) }),
  'slow patterns of names': (bytes) =>
    of({
      properties: { [filled(bytes / 2, 'a')]: {} },
      patternProperties: { '(a*)*(a*)*\\1b': {}, '(a|a)*(a|a)*\\2b': {} },
    }),
  'many small patterns': (bytes) => of(groups(bytes, (i) => ({ pattern: `^a${i}?` }))),
  'many counted patterns': (bytes) => of(groups(bytes, (i) => ({ pattern: `(?:ab){${50 + i}}` }))),
  'examples and defaults': (bytes) =>
    of({ default: times(bytes / 2, (i) => i), examples: times(bytes / 2, (i) => `${i}`) }),
};
for (const [name, pattern] of Object.entries(PATTERNS))
  SCHEMAS[`a pattern of ${name}`] = (bytes) => of({ pattern: pattern(bytes * 0.8) });

const PROBE = JSON.stringify(say({ a: 'b', c: [1, { d: 'e' }] }));

/** A job that waits for its data candidate. */
async function dataStage(session, instance) {
  const { jobId, stepToken } = session.prepare({ instance, input: INPUT });
  const task = await session.accept({ jobId, stepToken, candidateText: CORE });
  return { jobId, stepToken: task.stepToken };
}

/** Reports the worst value of each figure, and the figures that miss their aim. */
function worsts(figure) {
  const all = new Map();
  const past = [];
  return {
    note(what, name, value, aim, unit) {
      const worst = all.get(what);
      if (worst === undefined || value / aim > worst.value / worst.aim)
        all.set(what, { value, name, aim, unit });
      if (value > aim)
        past.push(`${what}: ${name}: ${value.toFixed(1)} ${unit}, the aim is ${aim.toFixed(1)}`);
    },
    tell() {
      for (const [what, { value, name, aim, unit }] of all)
        figure(what, `${value.toFixed(1)} ${unit} of ${aim.toFixed(1)} (${name})`);
      return past;
    },
  };
}

const megabytes = (bytes) => bytes / 2 ** 20;
const outcomes = {};

const STAGES = { core: CORES, data: CANDIDATES };

/**
 * Takes candidates of some sizes in kilobytes; `base`: resident bytes of a process that has checked small
 * candidates only. `only` names one candidate, as its stage and name.
 */
async function candidates(worst, sizes, base, only) {
  const intent = new Intent({ schema: SCHEMA });
  let count = 0;
  for (const [stage, kinds] of Object.entries(STAGES))
    for (const [name, make] of Object.entries(kinds))
      for (const kilobytes of sizes) {
        if (only !== undefined && only !== `${stage} ${name}`) continue;
        const made = make(kilobytes * 1000);
        const candidateText = typeof made === 'string' ? made : JSON.stringify(made);
        // A bridge of its own, so that what others retain counts for none.
        const session = createIntentBridge({ instances: { a: intent } }).connect();
        let bytes = Infinity;
        const { longest } = await least(
          1,
          async () => {
            const { jobId, stepToken } =
              stage === 'data'
                ? await dataStage(session, 'a')
                : session.prepare({ instance: 'a', input: INPUT });
            // The texts that this process made for earlier candidates are not part of this one's cost.
            globalThis.gc?.();
            forgetPeak();
            const { value, longest } = await watched(() =>
              session.accept({ jobId, stepToken, candidateText }),
            );
            bytes = Math.min(bytes, Math.max(0, resident().most - base));
            const outcome = value.error?.code ?? value.kind;
            outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
            return { longest };
          },
          { longest: CALL_MS },
        );
        session.close();
        if (bytes > CANDIDATE_BYTES && only === undefined)
          bytes = alone(`${stage} ${name}`, kilobytes);
        const told = `${name}, ${kilobytes} KB`;
        worst.note('longest call with a candidate', told, longest, CALL_MS, 'ms');
        worst.note(
          'memory of a candidate',
          told,
          megabytes(bytes),
          megabytes(CANDIDATE_BYTES),
          'MB',
        );
        count++;
      }
  await intent.dispose();
  return count;
}

/** Measures the bytes of one candidate in a new process, where no other one has left anything behind. */
function alone(candidate, kilobytes) {
  const script = fileURLToPath(import.meta.url);
  const args = ['--expose-gc', script, `--only=${candidate}`, `--kilobytes=${kilobytes}`];
  const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return Number(/^bounds: bytes: (\d+)$/m.exec(stdout)?.[1] ?? Infinity);
}

/** Makes an instance that has answered once; `intent` is absent if the schema is refused. */
async function instance(schema) {
  let before = spent();
  let intent;
  let code;
  try {
    intent = new Intent({ schema });
  } catch (error) {
    code = error.code;
  }
  const made = spent() - before;
  if (!intent) return { made, code, longest: 0 };
  const session = createIntentBridge({ instances: { a: intent } }).connect();
  before = spent();
  const { jobId, stepToken } = session.prepare({ instance: 'a', input: INPUT });
  const prepared = spent() - before;
  const first = await watched(() => session.accept({ jobId, stepToken, candidateText: CORE }));
  const job = { jobId, stepToken: first.value.stepToken };
  const second = await watched(() => session.accept({ ...job, candidateText: PROBE }));
  session.close();
  return { made, intent, longest: Math.max(prepared, first.longest, second.longest) };
}

async function schemas(worst) {
  const KEPT = 3;
  let count = 0;
  for (const [name, make] of Object.entries(SCHEMAS))
    for (const kilobytes of amount([4, 16, 32, 64, 96, 127], [16, 127])) {
      let schema = make(kilobytes * 1000);
      // A schema that does not fit is made smaller; the limit counts the bytes of its text.
      for (let less = 0.97; JSON.stringify(schema).length > 131_072; less -= 0.03)
        schema = make(kilobytes * 1000 * less);
      const bytes = Buffer.byteLength(JSON.stringify(schema));
      const told = `${name}, ${(bytes / 1000).toFixed(0)} KB`;
      const intents = [];
      let before;
      let code;
      const best = await least(
        1 + KEPT,
        async () => {
          const next = await instance(schema);
          code = next.code;
          if (next.intent) intents.push(next.intent);
          // Later instances reuse the memory of the first one; the memory that they add is recorded.
          globalThis.gc?.();
          before ??= resident().now;
          return next;
        },
        { made: NEW_MS, longest: CALL_MS },
      );
      outcomes[code ?? 'accepted'] = (outcomes[code ?? 'accepted'] ?? 0) + 1;
      if (intents.length > 0) {
        const kept = Math.max(0, resident().now - before) / (intents.length - 1);
        worst.note(
          'memory that an instance keeps',
          told,
          megabytes(kept),
          megabytes(keptBytes(bytes)),
          'MB',
        );
        worst.note('longest call of a first answer', told, best.longest, CALL_MS, 'ms');
        for (const intent of intents) await intent.dispose();
      }
      worst.note('new Intent', told, best.made, NEW_MS, 'ms');
      count++;
    }
  return count;
}

await proof('bounds', async ({ figure, check }) => {
  if (!existsSync('/proc/self/clear_refs')) return figure('not run', 'it reads /proc');
  const worst = worsts(figure);
  const option = (name) =>
    process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3);
  // Memory that is allocated once does not belong to a candidate. Memory that one candidate leaves behind
  // counts for the next one, so no figure is too low.
  await candidates(
    worsts(() => {}),
    [1],
    Infinity,
  );
  globalThis.gc?.();
  const base = resident().now;
  const only = option('only');
  if (only !== undefined) {
    await candidates(worst, [Number(option('kilobytes'))], base, only);
    return figure('bytes', Math.max(0, resident().most - base));
  }
  const sizes = amount([4, 16, 32, 64, 128, 255], [31, 250]);
  figure('candidates', await candidates(worst, sizes, base));
  figure('schemas', await schemas(worst));
  figure('outcomes', JSON.stringify(outcomes));
  const past = worst.tell();
  check(past.length === 0, () => past.join('\n'));
});
