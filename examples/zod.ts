// Extracts fields with a Zod schema: `data` has its type, and the issues name the missing values.
//
//   INTENT_BASE_URL=... INTENT_MODEL=... INTENT_API_KEY=... node out/zod.js "TEXT"

import { Intent, IntentDataError } from '@devcodex/intent-runtime';
import { createApiExecutor } from '@devcodex/intent-runtime/adapters/api';
import { z } from 'zod';

const Order = z.object({
  orderId: z.string().describe('Number of the order, leading zeros included.'),
  quantity: z.int().min(1).optional().describe('How many pieces the request names.'),
  priority: z.enum(['urgent', 'normal']).optional(),
});

const intent = new Intent({
  schema: Order,
  executor: createApiExecutor({
    provider: 'openai',
    protocol: 'chat-completions',
    baseURL: process.env.INTENT_BASE_URL,
    model: process.env.INTENT_MODEL ?? 'gpt-5-mini',
    apiKey: process.env.INTENT_API_KEY ?? '',
  }),
  timeoutMs: 60_000,
});

try {
  const input = process.argv[2] ?? 'Change order 000123 to 3 pieces, but ask me first.';
  const { data, intents } = await intent.parse({ input });
  const { orderId, quantity }: z.input<typeof Order> = data;
  console.log(JSON.stringify({ orderId, quantity, status: intents[0]?.status }));
} catch (error) {
  if (!(error instanceof IntentDataError)) throw error;
  // partialResult has the recognised intents; the issues are questions to the user.
  for (const { path, message } of error.issues) console.log(`${path}: ${message}`);
} finally {
  await intent.dispose();
}
