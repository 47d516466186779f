// `fromLanguageModel` with the provider packages of AI SDK 5 and 6 (LanguageModelV2 and V3); those of 7
// are dependencies of the tests, see ../ai-sdk.test.mjs.

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Intent } from '@devcodex/intent-runtime';
import { fromLanguageModel } from '@devcodex/intent-runtime/adapters/ai-sdk';
import { describe, expect, inject, test } from 'vitest';
import { serve } from '../stand-ins/engine.mjs';
import { serveNative } from '../stand-ins/native.mjs';
import { rowOf } from '../stand-ins/rows.mjs';
import { failure, INPUT, orderSchema } from '../support/model.mjs';

const MODELS = {
  'openai-compatible': [
    (options) => serve(rowOf('openrouter'), options),
    ({ createOpenAICompatible }, given) =>
      createOpenAICompatible({ name: 'openrouter', ...given })('openai/gpt-5-mini'),
  ],
  anthropic: [
    (options) => serveNative('anthropic', options),
    ({ createAnthropic }, given) => createAnthropic(given)('claude-sonnet-4-5'),
  ],
  google: [
    (options) => serveNative('gemini', options),
    ({ createGoogleGenerativeAI }, given) => createGoogleGenerativeAI(given)('gemini-2.5-flash'),
  ],
  mistral: [
    (options) => serve(rowOf('mistral'), options),
    ({ createMistral }, given) => createMistral(given)('mistral-small-latest'),
  ],
  deepseek: [
    (options) => serve(rowOf('deepseek'), options),
    ({ createDeepSeek }, given) => createDeepSeek(given)('deepseek-v4-flash'),
  ],
};

for (const [line, version] of [
  ['aiSdk5', 'v2'],
  ['aiSdk6', 'v3'],
]) {
  const modules = inject(line);
  describe.skipIf(modules === null)(line, () => {
    for (const [name, [start, make]] of Object.entries(MODELS))
      test(name, async () => {
        const load = createRequire(join(modules, '..', 'package.json'));
        const service = await start({ faulty: ['core', 'data'] });
        try {
          const given = { baseURL: service.baseURL, apiKey: 'sk-stand-in' };
          const model = make(load(`@ai-sdk/${name}`), given);
          expect(model.specificationVersion).toBe(version);
          const intent = new Intent({ schema: orderSchema, executor: fromLanguageModel(model) });
          expect((await intent.parse({ input: INPUT })).data).toEqual({ orderId: '000123' });
          await intent.dispose();
          const wrong = make(load(`@ai-sdk/${name}`), { ...given, apiKey: 'sk-wrong' });
          const other = new Intent({ executor: fromLanguageModel(wrong) });
          // Gemini says 400 where a key is wrong.
          const code = name === 'google' ? 'MODEL_REQUEST_FAILED' : 'MODEL_AUTH_FAILED';
          await failure(other.parse({ input: INPUT }), code, 'model');
          await other.dispose();
        } finally {
          await service.close();
        }
      });
  });
}
