'use strict';
// Which executors are the addon's own. Apart from both sides, so that an Intent can be used
// without loading the adapters.

/** @type {WeakMap<object, object>} */
const natives = new WeakMap();

exports.registerApiExecutor = (executor, native) => natives.set(executor, native);
exports.nativeExecutorOf = (executor) => natives.get(executor);
