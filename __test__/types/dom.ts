// With the DOM's types and without Node's: the platform's own AbortSignal must fit.
import { Intent, type ModelRequest } from '@devcodex/intent-runtime';

export function request(model: ModelRequest): Promise<Response> {
  return fetch('https://example.com', { signal: model.signal });
}
export const parse = (signal: AbortSignal) => new Intent().parse({ input: 'x', signal });
// @ts-expect-error no signal
export const wrong = new Intent().parse({ input: 'x', signal: { aborted: false } });
