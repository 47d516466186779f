// Every service that the documentation names: the options of its row complete a recognition, and what
// it refuses is told with the option that mends it. Sources of what they do: stand-ins/rows.mjs.

import { Intent } from '@devcodex/intent-runtime';
import { createApiExecutor } from '@devcodex/intent-runtime/adapters/api';
import { describe, expect, test } from 'vitest';
import { serve } from './stand-ins/engine.mjs';
import { rows } from './stand-ins/rows.mjs';
import { INPUT, looseSchema } from './support/model.mjs';

const KEY = 'sk-stand-in';

const using = async (row, options, run) => {
  const service = await serve(row, { key: KEY, ...options });
  const parse = async (model, over) => {
    const executor = createApiExecutor({
      provider: row.provider ?? 'openai',
      baseURL: service.baseURL,
      model,
      ...(row.key !== false && { apiKey: KEY }),
      ...over,
    });
    const intent = new Intent({ schema: looseSchema, executor });
    try {
      return await intent.parse({ input: INPUT });
    } finally {
      await intent.dispose();
    }
  };
  try {
    return await run({ ...service, parse });
  } finally {
    await service.close();
  }
};

/** Models that the options of the row are not for have refusals of their own. */
const isPlain = (row, model) =>
  model === row.models[0] || !row.refuses.some(({ models }) => models?.includes(model));

/** Returns the options that a message names. */
const MENDS = [
  [/check baseURL, protocol/, { protocol: 'chat-completions' }],
  [/outputLimit: "max_tokens"/, { outputLimit: 'max_tokens' }],
  [/store: null/, { body: { store: null } }],
  [/enable_thinking: false/, { body: { enable_thinking: false } }],
  [/format: "json_object"/, { format: 'json_object' }],
  [/format: "text"/, { format: 'text' }],
];

/** The options after all that a message names. */
const mended = (options, message) => {
  let next = options;
  for (const [pattern, over] of MENDS)
    if (pattern.test(message))
      next = { ...next, ...over, ...(over.body && { body: { ...next.body, ...over.body } }) };
  return next;
};

for (const row of rows)
  describe(row.name, () => {
    test('has its sources, each with its day', () => {
      expect(row.facts.length).toBeGreaterThan(0);
      for (const [day, source, says] of row.facts) {
        expect(day).toMatch(/^20\d\d-\d\d-\d\d$/);
        expect(source).toMatch(/^https:\/\//);
        expect(says).toMatch(/\S/);
      }
    });

    for (const model of row.models.filter((one) => isPlain(row, one)))
      test(`the options of its row, ${model}: two stages, each with a repair`, () =>
        using(row, { faulty: ['core', 'data'] }, async ({ parse, seen }) => {
          const result = await parse(model, row.options);
          expect(result.data).toEqual({ orderId: '000123' });
          expect(result.intents[0]).toMatchObject({ action: 'query', status: 'ready' });
          expect(seen).toHaveLength(4);
        }));

    for (const model of row.models)
      for (const protocol of ['responses', 'chat-completions'])
        test(`from the defaults of ${protocol}, each refusal of ${model} names its fix`, () =>
          using(row, {}, async ({ parse }) => {
            let options = { protocol };
            const walked = [];
            for (;;) {
              let message;
              try {
                const { data } = await parse(model, options);
                expect(data).toEqual({ orderId: '000123' });
                break;
              } catch (error) {
                expect(error.code, error.message).toBe('MODEL_REQUEST_FAILED');
                message = error.message;
              }
              const next = mended(options, message);
              walked.push(message);
              expect(next, `${message} mends nothing of ${JSON.stringify(options)}`).not.toEqual(
                options,
              );
              options = next;
            }
            // The stand-in refuses what its row says.
            const refusals = row.refuses.filter(
              ({ when, field, is, models }) =>
                when === 'value' &&
                field.startsWith(protocol === 'responses' ? 'text.' : 'response_format.') &&
                is === 'json_schema' &&
                (models === undefined || models.includes(model)),
            );
            const missing = !row.endpoints.includes(protocol);
            if (missing || refusals.length > 0) expect(walked.length).toBeGreaterThan(0);
          }));

    if (row.key !== false)
      test('a wrong key is reported, but not shown', () =>
        using(row, { key: 'another' }, async ({ parse }) => {
          const error = await parse(row.models[0], row.options).catch((thrown) => thrown);
          expect(error.code).toBe('MODEL_AUTH_FAILED');
          expect(String(error.stack) + JSON.stringify(error)).not.toContain(KEY);
        }));
  });
