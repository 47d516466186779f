// Objects that are no plain ones, for whoever reads plain objects.

export const boom = new Error('boom');
export const throws = () => {
  throw boom;
};

/** An object on which everything that can throw does. */
export const bomb = (target = {}) =>
  new Proxy(
    target,
    Object.fromEntries(
      ['get', 'has', 'getPrototypeOf', 'ownKeys', 'getOwnPropertyDescriptor'].map((trap) => [
        trap,
        throws,
      ]),
    ),
  );

export const revoked = () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};

/** Values that no plain object may be. */
export const notPlain = [
  null,
  true,
  1,
  'text',
  Symbol('s'),
  1n,
  () => {},
  [],
  new (class {})(),
  new Date(),
  new Map(),
  Object.create({}),
  Object.create(Object.create(null)),
  Object.prototype,
  bomb(),
  revoked(),
  new Proxy({}, { ownKeys: throws }),
];
