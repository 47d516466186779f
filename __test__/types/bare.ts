// Without the DOM's types and without Node's: a signal is what has its shape.
import { checkSchema, Intent, type ModelRequest } from '@devcodex/intent-runtime';
import { createApiExecutor } from '@devcodex/intent-runtime/adapters/api';
import { createIntentBridge } from '@devcodex/intent-runtime/bridge';
import { evaluate } from '@devcodex/intent-runtime/eval';
import { serveIntentMcp } from '@devcodex/intent-runtime/mcp';

declare const signal: ModelRequest['signal'];
export const parse = new Intent().parse({ input: 'x', signal });
export const aborted: boolean = signal.aborted;
export const entries = [createIntentBridge, serveIntentMcp, createApiExecutor];
// @ts-expect-error no signal
export const wrong = new Intent().parse({ input: 'x', signal: { aborted: false } });
export const findings: string[] = checkSchema({ type: 'object' }).loose.map(({ path }) => path);
declare const executor: import('@devcodex/intent-runtime').ModelExecutor;
export const report = evaluate({
  cases: [{ id: 'a', input: 'x', expect: { intents: [{ action: 'query' }] } }],
  executor,
  signal,
});
export const wrongCase = evaluate({
  // @ts-expect-error no action of that name
  cases: [{ id: 'a', input: 'x', expect: { intents: [{ action: 'look' }] } }],
  executor,
});
