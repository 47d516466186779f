// The smallest executor: one `fetch`, and `readChatCompletion` for the reply.
//
//   INTENT_BASE_URL=http://localhost:11434/v1 INTENT_MODEL=... node out/fetch.js "TEXT"

import type { ModelExecutor } from '@devcodex/intent-runtime';
import { Intent } from '@devcodex/intent-runtime';
import { readChatCompletion } from '@devcodex/intent-runtime/adapters/api';

const { INTENT_BASE_URL, INTENT_MODEL, INTENT_API_KEY = 'none' } = process.env;

const executor: ModelExecutor = {
  id: 'fetch',
  async generate({ instructions, payload, signal }) {
    const response = await fetch(`${INTENT_BASE_URL}/chat/completions`, {
      method: 'POST',
      signal,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${INTENT_API_KEY}` },
      body: JSON.stringify({
        model: INTENT_MODEL,
        messages: [
          { role: 'system', content: instructions },
          { role: 'user', content: payload },
        ],
        response_format: { type: 'json_object' },
      }),
    });
    return readChatCompletion(await response.json());
  },
};

const intent = new Intent({ executor, timeoutMs: 60_000 });
const input = process.argv[2] ?? 'Query order 000123, do not modify it yet.';
console.log(JSON.stringify(await intent.parse({ input }), null, 2));
await intent.dispose();
