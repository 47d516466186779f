// An executor of your own, with your gateway and headers, that checks every reply and counts every byte.
// For a plain OpenAI-compatible service `createApiExecutor` does all of this.
//
//   npm install -D typescript @types/node
//   npx tsc custom-executor.ts --outDir out --target es2022 --module nodenext --types node --strict --skipLibCheck
//   INTENT_GATEWAY_URL=https://gateway.example.com/v1/chat/completions \
//   INTENT_MODEL=... INTENT_API_KEY=... node out/custom-executor.js "TEXT"

import type { ModelExecutor, ModelReply } from '@devcodex/intent-runtime';
import { Intent, IntentError } from '@devcodex/intent-runtime';

const MOST_BYTES = 8 * 1024 * 1024;

export function createGatewayExecutor(url: string, model: string, apiKey: string): ModelExecutor {
  return {
    id: 'application-gateway',
    async generate({ instructions, input, outputSchema, signal }) {
      const response = await fetch(url, {
        method: 'POST',
        redirect: 'error',
        signal,
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${apiKey}`,
          'x-application': 'orders',
        },
        body: JSON.stringify({
          model,
          messages: [
            { role: 'system', content: instructions },
            { role: 'user', content: JSON.stringify(input) },
          ],
          response_format: {
            type: 'json_schema',
            json_schema: { name: 'intent_candidate', strict: false, schema: outputSchema },
          },
          max_completion_tokens: 8192,
          stream: false,
          store: false,
        }),
      });
      const body = await readBody(response);
      if (response.status === 401 || response.status === 403)
        throw new IntentError('MODEL_AUTH_FAILED');
      if (response.status === 429)
        throw new IntentError('MODEL_RATE_LIMITED', { http: { status: 429 } });
      if (!response.ok)
        throw new IntentError('MODEL_REQUEST_FAILED', { message: `HTTP ${response.status}.` });
      return toReply(JSON.parse(body));
    },
  };
}

/** Reads the body as UTF-8 text, at most MOST_BYTES of it, also for a failure. */
async function readBody(response: Response): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  let bytes = 0;
  const reader = response.body?.getReader();
  if (reader === undefined) return text;
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      bytes += part.value.byteLength;
      if (bytes > MOST_BYTES) throw new IntentError('RESOURCE_LIMIT', { stage: 'model' });
      text += decoder.decode(part.value, { stream: true });
    }
    return text + decoder.decode();
  } finally {
    await reader.cancel().catch(() => {});
    reader.releaseLock();
  }
}

interface Message {
  role?: unknown;
  content?: unknown;
  refusal?: unknown;
  tool_calls?: unknown[] | null;
  function_call?: unknown;
}

/** Reads the one choice of a Chat Completions reply; `readChatCompletion` does the same. */
function toReply(body: { choices?: { finish_reason?: unknown; message?: Message }[] }): ModelReply {
  const [choice, ...others] = Array.isArray(body?.choices) ? body.choices : [];
  const message = choice?.message;
  if (others.length > 0 || message?.role !== 'assistant') throw unusable();
  if (message.tool_calls?.length || message.function_call) throw unusable();
  if (choice?.finish_reason === 'length') return { outcome: 'incomplete' };
  if (choice?.finish_reason === 'content_filter' || message.refusal) return { outcome: 'refusal' };
  if (choice?.finish_reason !== 'stop' || typeof message.content !== 'string') throw unusable();
  return { outcome: 'complete', text: message.content };
}

const unusable = () =>
  new IntentError('MODEL_REQUEST_FAILED', { message: 'Not one plain answer.' });

export async function main(): Promise<void> {
  const { INTENT_GATEWAY_URL: url, INTENT_MODEL: model, INTENT_API_KEY: apiKey } = process.env;
  if (!url || !model || !apiKey)
    throw new Error('Set INTENT_GATEWAY_URL, INTENT_MODEL and INTENT_API_KEY.');
  const intent = new Intent({
    language: 'zh-CN',
    executor: createGatewayExecutor(url, model, apiKey),
    timeoutMs: 60_000,
  });
  try {
    const input = process.argv[2] ?? '分析支付模块，不修改文件';
    console.log(JSON.stringify(await intent.parse({ input }), null, 2));
  } finally {
    await intent.dispose();
  }
}

await main();
