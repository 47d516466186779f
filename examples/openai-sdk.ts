// An executor with the official `openai` SDK: the SDK makes the call, `readCompletedResponse` reads the reply.
//
//   INTENT_MODEL=... INTENT_API_KEY=... [INTENT_BASE_URL=...] node out/openai-sdk.js "TEXT"

import type { ModelExecutor } from '@devcodex/intent-runtime';
import { Intent, IntentError } from '@devcodex/intent-runtime';
import { readCompletedResponse } from '@devcodex/intent-runtime/adapters/api';
import OpenAI from 'openai';

const openaiExecutor = (client: OpenAI, model: string): ModelExecutor => ({
  id: 'openai-sdk',
  async generate({ stage, instructions, payload, outputSchema, signal }) {
    const schema = { ...outputSchema };
    const format = { type: 'json_schema', name: `intent_${stage}`, strict: false, schema } as const;
    try {
      const response = await client.responses.create(
        { model, instructions, input: payload, store: false, text: { format } },
        { signal },
      );
      return readCompletedResponse(response);
    } catch (cause) {
      if (cause instanceof OpenAI.AuthenticationError)
        throw new IntentError('MODEL_AUTH_FAILED', { cause });
      if (cause instanceof OpenAI.RateLimitError)
        throw new IntentError('MODEL_RATE_LIMITED', { cause });
      throw cause; // becomes MODEL_REQUEST_FAILED, with this as its cause
    }
  },
});

const client = new OpenAI({
  apiKey: process.env.INTENT_API_KEY,
  baseURL: process.env.INTENT_BASE_URL,
  maxRetries: 2, // the package itself repeats no call
});
const intent = new Intent({
  executor: openaiExecutor(client, process.env.INTENT_MODEL ?? 'gpt-5-mini'),
  timeoutMs: 60_000,
});
const input = process.argv[2] ?? 'Query order 000123, do not modify it yet.';
console.log(JSON.stringify(await intent.parse({ input }), null, 2));
await intent.dispose();
