// Runs the vectors of data/parse-vectors.json. Each vector is a configuration, a request, the candidates of a
// scripted model, and the expected outcome.
import { readFileSync } from 'node:fs';
import { Intent, IntentDataError, IntentError } from '@devcodex/intent-runtime';
import { describe, expect, it } from 'vitest';

const { pieces, vectors } = JSON.parse(
  readFileSync(new URL('./data/parse-vectors.json', import.meta.url), 'utf8'),
);

/** Reads the file's shorthands: long strings are described, recurring pieces are named. */
const expand = (value) => {
  if (Array.isArray(value)) return value.map(expand);
  if (value === null || typeof value !== 'object') return value;
  if ('$piece' in value) return expand(pieces[value.$piece]);
  if (Array.isArray(value.$repeat)) return value.$repeat[0].repeat(value.$repeat[1]);
  if (Array.isArray(value.$concat)) return value.$concat.map(expand).join('');
  if (Array.isArray(value.$fill))
    return Array.from({ length: value.$fill[1] }, () => expand(value.$fill[0]));
  if (value.$undefined) return undefined;
  if ('$json' in value) return JSON.stringify(expand(value.$json));
  const out = {};
  for (const [key, member] of Object.entries(value)) {
    Object.defineProperty(out, key, {
      value: expand(member),
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return out;
};

const run = async (vector) => {
  const requests = [];
  const executor = {
    id: 'scripted',
    async generate(request) {
      const candidate = expand(vector.candidates?.[requests.push(request) - 1] ?? null);
      if (candidate?.$reply) return candidate.$reply;
      return {
        outcome: 'complete',
        text: typeof candidate === 'string' ? candidate : JSON.stringify(candidate),
      };
    },
  };
  let intent;
  try {
    intent = new Intent({
      ...expand(vector.config ?? {}),
      ...(vector.noExecutor ? {} : { executor }),
    });
    const request = 'request' in vector ? vector.request : { input: 'x', fields: [] };
    return { requests, result: await intent.parse(expand(request)) };
  } catch (error) {
    return { requests, error };
  } finally {
    await intent?.dispose();
  }
};

describe('vectors', () => {
  it('are all there', () => expect(vectors.length).toBeGreaterThanOrEqual(196));

  it.each(vectors.map((vector) => [vector.name, vector]))('%s', async (_, vector) => {
    const { requests, result, error } = await run(vector);
    const want = expand(vector.expect);
    if (want.result !== undefined) {
      expect(error).toBeUndefined();
      // As text: the order of keys is part of the promise.
      if (want.result !== true) expect(JSON.stringify(result)).toBe(JSON.stringify(want.result));
    } else {
      expect(error).toBeInstanceOf(IntentError);
      const { code, stage, issues, partialResult } = error.toJSON();
      expect([].concat(want.error.code)).toContain(code);
      if (want.error.stage) expect(stage).toBe(want.error.stage);
      if (want.error.issues) expect(issues).toEqual(want.error.issues);
      if (want.error.partial !== undefined)
        expect(partialResult !== undefined).toBe(want.error.partial);
      if (partialResult) expect(partialResult.data).toEqual({});
      expect(error instanceof IntentDataError).toBe(code === 'DATA_EXTRACTION_FAILED');
    }
    if (vector.structuredLanguage !== undefined) {
      expect(JSON.parse(requests[0].payload).structuredLanguage).toBe(vector.structuredLanguage);
    }
    if (vector.calls !== undefined) expect(requests.length).toBe(vector.calls);
  });
});
