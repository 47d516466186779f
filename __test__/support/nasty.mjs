// Values that break what reads them, by name. Each is made anew, so that none is spoiled by the
// test before.

const boom = () => {
  throw new Error('boom');
};

const everyTrap = Object.fromEntries(
  Object.getOwnPropertyNames(Reflect)
    .filter((name) => typeof Reflect[name] === 'function')
    .map((name) => [name, boom]),
);

const revoked = (target) => {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
};

function argumentsOf() {
  // biome-ignore lint/complexity/noArguments: it is the very object that is wanted
  return arguments;
}

export const NASTY = {
  undefined: () => undefined,
  null: () => null,
  true: () => true,
  zero: () => 0,
  'negative zero': () => -0,
  'a number': () => 42,
  NaN: () => Number.NaN,
  Infinity: () => Number.POSITIVE_INFINITY,
  'a fraction': () => 0.5,
  'a huge number': () => Number.MAX_VALUE,
  'a bigint': () => 10n,
  'a symbol': () => Symbol('s'),
  'a registered symbol': () => Symbol.for('s'),
  'an empty string': () => '',
  'a blank string': () => ' \ufeff\u00a0\u2028',
  'a string': () => 'text',
  'a lone surrogate': () => 'a\ud800b',
  'an upside-down pair': () => '\udc00\ud800',
  'a NUL': () => '\0',
  'a String object': () => new String('text'),
  'a Number object': () => new Number(1),
  'a function': () => () => 'x',
  'an async function': () => async () => 'x',
  'a class': () => class Foo {},
  'an instance': () => new (class Foo {})(),
  'a subclass of Array': () => new (class Foo extends Array {})(),
  'a Date': () => new Date(0),
  'an invalid Date': () => new Date(Number.NaN),
  'a RegExp': () => /x/,
  'a Map': () => new Map([['a', 1]]),
  'a Set': () => new Set([1]),
  'a WeakMap': () => new WeakMap(),
  'a promise': () => Promise.resolve({}),
  'a pending promise': () => new Promise(() => {}),
  'a rejected promise': () => {
    const promise = Promise.reject(new Error('boom'));
    promise.catch(() => {});
    return promise;
  },
  'a thenable': () => Object.defineProperty({}, 'then', { value: boom, enumerable: true }),
  'an Error': () => new Error('boom'),
  'a Buffer': () => Buffer.from('text'),
  'a detached buffer': () => {
    const view = new Uint8Array(8);
    structuredClone(view.buffer, { transfer: [view.buffer] });
    return view;
  },
  'an AbortSignal': () => new AbortController().signal,
  globalThis: () => globalThis,
  'an empty object': () => ({}),
  'a frozen object': () => Object.freeze({ a: Object.freeze([]) }),
  'an object without prototype': () => Object.create(null),
  'an object of an object': () => Object.create({ a: 1 }),
  'an unknown key': () => ({ unknown: 1 }),
  'an own __proto__': () => JSON.parse('{"__proto__":{"polluted":true}}'),
  'a symbol key': () => ({ [Symbol('s')]: 1 }),
  'a lone surrogate as key': () => ({ '\ud800': 1 }),
  'an endless name': () => ({ ['k'.repeat(1_000_000)]: 1 }),
  'a getter': () => ({
    get input() {
      return 'x';
    },
  }),
  'a getter that throws': () => Object.defineProperty({}, 'input', { get: boom, enumerable: true }),
  'getters for every key': () =>
    Object.defineProperties(
      {},
      Object.fromEntries(
        ['input', 'schema', 'instances', 'jobId', 'provider', 'type', 'id', 'message', 'code'].map(
          (name) => [name, { get: boom, enumerable: true }],
        ),
      ),
    ),
  'a toString that throws': () => ({ toString: boom, valueOf: boom, [Symbol.toPrimitive]: boom }),
  'a toJSON that throws': () => ({ toJSON: boom }),
  'a toJSON that lies': () => ({ toJSON: () => undefined }),
  'a cycle': () => {
    const value = { a: [] };
    value.a.push(value);
    return value;
  },
  'an array that holds itself': () => {
    const value = [];
    value.push(value);
    return value;
  },
  'deep nesting': () => {
    let value = {};
    for (let i = 0; i < 100_000; i++) value = { a: value };
    return value;
  },
  'deep arrays': () => {
    let value = [];
    for (let i = 0; i < 100_000; i++) value = [value];
    return value;
  },
  'a wide object that holds one part often': () => {
    let value = { a: 1 };
    for (let i = 0; i < 16; i++) value = { a: value, b: value };
    return value;
  },
  'an empty array': () => [],
  'an array with a hole': () => Object.assign(new Array(2), { 1: 'x' }),
  'an array of the longest length': () => new Array(4_294_967_295),
  'a huge array': () => new Array(100_000).fill('x'),
  'an array of symbols': () => [Symbol('s')],
  'an array with a getter': () => Object.defineProperty(['x'], 0, { get: boom, enumerable: true }),
  'an array with more': () => Object.assign(['x'], { more: 1 }),
  'a frozen array': () => Object.freeze(['x']),
  'a huge string': () => 'x'.repeat(2_000_000),
  'a proxy of an object that throws': () => new Proxy({}, everyTrap),
  'a proxy of an array that throws': () => new Proxy([], everyTrap),
  'a proxy of a function that throws': () => new Proxy(() => {}, everyTrap),
  'a proxy that passes': () => new Proxy({}, {}),
  'a proxy that throws a proxy': () =>
    new Proxy(
      {},
      {
        ownKeys() {
          throw new Proxy({}, everyTrap);
        },
        getPrototypeOf() {
          throw new Proxy({}, everyTrap);
        },
      },
    ),
  'a proxy that lies of its keys': () =>
    new Proxy(
      {},
      {
        ownKeys: () => ['input', 'schema', 'instances', 'jobId', 'provider'],
        getOwnPropertyDescriptor: () => undefined,
      },
    ),
  'a proxy of prototypes without end': () => {
    const proxy = new Proxy({}, { getPrototypeOf: () => proxy });
    return proxy;
  },
  'a revoked proxy': () => revoked({}),
  'a revoked proxy of an array': () => revoked([]),
  'a revoked proxy of a function': () => revoked(() => {}),
  'an arguments object': () => argumentsOf(1),
};

export { boom, everyTrap };
