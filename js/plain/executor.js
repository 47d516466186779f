'use strict';
// Reads a caller's executor, which may be an instance of any class.

const { property } = require('../properties.js');
const { SURROGATE, kind, readMembers } = require('./objects.js');
const { Refusal } = require('./refusal.js');

const EXECUTOR = 'an object { id: "name", generate(request) { … } }';

/** Checks an executor and returns its id. It may be an instance of any class, so its getters are called. */
function checkExecutor(executor) {
  if ((typeof executor !== 'object' && typeof executor !== 'function') || executor === null)
    throw new Refusal(`executor must be ${EXECUTOR}, got ${kind(executor)}`);
  const id = ofExecutor(executor, 'id');
  if (typeof id !== 'string') {
    if (typeof executor === 'function')
      throw new Refusal(
        `executor must be ${EXECUTOR}, got a function; make it the generate of one`,
      );
    if (typeof ofExecutor(executor, 'then') === 'function')
      throw new Refusal(`executor must be ${EXECUTOR}, got a promise; await it first`);
    throw new Refusal(`executor.id must be a string, got ${kind(id)}; an executor is ${EXECUTOR}`);
  }
  if (!id.isWellFormed()) throw new Refusal(`executor.id ${SURROGATE}`);
  const generate = ofExecutor(executor, 'generate');
  if (typeof generate !== 'function')
    throw new Refusal(`executor.generate must be a function, got ${kind(generate)}`);
  const capabilities = ofExecutor(executor, 'capabilities');
  if (capabilities !== undefined) checkCapabilities(capabilities);
  return id;
}

function checkCapabilities(capabilities) {
  const read = readMembers(capabilities, 'executor.capabilities', {
    nativeJsonSchema: undefined,
    nativeJsonObject: undefined,
    isolatedTurn: undefined,
    supportsAbort: undefined,
  });
  for (const [key, value] of Object.entries(read))
    if (typeof value !== 'boolean')
      throw new Refusal(`executor.capabilities.${key} must be a boolean, got ${kind(value)}`);
  if (!read.supportsAbort)
    throw new Refusal(
      'executor.capabilities.supportsAbort is false, but a parse that ends must be able to stop ' +
        'its model call',
      { code: 'HOST_CAPABILITY_UNSUPPORTED' },
    );
}

function ofExecutor(executor, key) {
  try {
    return property(executor, key);
  } catch (cause) {
    throw new Refusal(`executor.${key} cannot be read: it threw`, { cause });
  }
}

module.exports = { checkExecutor };
