// Prints the spans of one recognition. In a server, export them with
// `@opentelemetry/exporter-trace-otlp-http` and a `BatchSpanProcessor` instead of these two.
//
//   INTENT_MODEL=... INTENT_API_KEY=... node examples/opentelemetry/main.mjs 'Query order 000123.'

import { Intent } from '@devcodex/intent-runtime';
import { createApiExecutor } from '@devcodex/intent-runtime/adapters/api';
import {
  ConsoleSpanExporter,
  NodeTracerProvider,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node';
import { traceRecognitions } from './spans.mjs';

const { INTENT_MODEL, INTENT_API_KEY, INTENT_BASE_URL } = process.env;

const provider = new NodeTracerProvider({
  spanProcessors: [new SimpleSpanProcessor(new ConsoleSpanExporter())],
});
provider.register();
const stop = traceRecognitions({ provider: 'openai', model: INTENT_MODEL });

const intent = new Intent({
  executor: createApiExecutor({
    provider: 'openai',
    model: INTENT_MODEL,
    apiKey: INTENT_API_KEY,
    baseURL: INTENT_BASE_URL,
  }),
  timeoutMs: 60_000,
});
const { intents } = await intent.parse({ input: process.argv[2] ?? 'Query order 000123.' });
console.log(intents);

await intent.dispose();
stop();
await provider.shutdown();
