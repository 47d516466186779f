// Installs the services under target/services. Where that cannot be done, the tests of a service
// are skipped and the reason is printed.

import { fromNpm, fromPyPI, reasonOf } from '../support/registries.mjs';

const PACKAGES = { '@copilotkit/aimock': '1.43.0', '@dwmkerr/mock-llm': '0.1.29' };
// Provider packages of the AI SDK before the present one.
const AI_SDK_5 = {
  '@ai-sdk/openai-compatible': '1.0.61',
  '@ai-sdk/anthropic': '2.0.112',
  '@ai-sdk/google': '2.0.108',
  '@ai-sdk/mistral': '2.0.51',
  '@ai-sdk/deepseek': '1.0.60',
};
const AI_SDK_6 = {
  '@ai-sdk/openai-compatible': '2.0.92',
  '@ai-sdk/anthropic': '3.0.140',
  '@ai-sdk/google': '3.0.141',
  '@ai-sdk/mistral': '3.0.69',
  '@ai-sdk/deepseek': '2.0.69',
};
// The proxy as it was with the SDK of its time.
const LITELLM = ['litellm[proxy]==1.74.9', 'openai<2'];

export default async ({ provide }) => {
  for (const [name, install] of [
    ['npm', () => fromNpm(['services', 'npm'], PACKAGES)],
    ['aiSdk5', () => fromNpm(['services', 'ai-sdk-5'], AI_SDK_5)],
    ['aiSdk6', () => fromNpm(['services', 'ai-sdk-6'], AI_SDK_6)],
    ['python', () => fromPyPI(['services', 'python'], LITELLM)],
  ]) {
    const where = await install().catch((error) => {
      console.warn(
        `the ${name} services are skipped, they cannot be installed: ${reasonOf(error)}`,
      );
      return null;
    });
    provide(name, where);
  }
};
