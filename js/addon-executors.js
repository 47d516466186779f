'use strict';
// The executors that the addon runs itself, and their native objects. They are in a separate file so that
// an Intent works without loading the adapters.

/** @type {WeakMap<object, object>} */
const natives = new WeakMap();

exports.registerApiExecutor = (executor, native) => natives.set(executor, native);
exports.nativeExecutorOf = (executor) => natives.get(executor);
