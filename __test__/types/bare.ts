// Without the DOM's types and without Node's: a signal is what has its shape.
import { Intent, type ModelRequest } from '@devcodex/intent-runtime';
import { createApiExecutor } from '@devcodex/intent-runtime/adapters/api';
import { createIntentBridge } from '@devcodex/intent-runtime/bridge';
import { serveIntentMcp } from '@devcodex/intent-runtime/mcp';

declare const signal: ModelRequest['signal'];
export const parse = new Intent().parse({ input: 'x', signal });
export const aborted: boolean = signal.aborted;
export const entries = [createIntentBridge, serveIntentMcp, createApiExecutor];
// @ts-expect-error no signal
export const wrong = new Intent().parse({ input: 'x', signal: { aborted: false } });
