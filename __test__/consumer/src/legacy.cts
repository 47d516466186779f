// The CommonJS half of the project: what it catches is what the ES modules throw.
import runtime = require('@devcodex/intent-runtime');
import bridge = require('@devcodex/intent-runtime/bridge');

export const codeOf = (error: unknown): runtime.ErrorCode | undefined =>
  error instanceof runtime.IntentError ? error.code : undefined;
export const { IntentError } = runtime;
export const { createIntentBridge } = bridge;
