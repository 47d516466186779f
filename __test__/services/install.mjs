// Installs the services under target/services. Where that cannot be done, the tests of a service
// are skipped and the reason is printed.

import { fromNpm, fromPyPI, reasonOf } from '../support/registries.mjs';

const PACKAGES = { '@copilotkit/aimock': '1.43.0', '@dwmkerr/mock-llm': '0.1.29' };
// The proxy as it was with the SDK of its time.
const LITELLM = ['litellm[proxy]==1.74.9', 'openai<2'];

export default async ({ provide }) => {
  for (const [name, install] of [
    ['npm', () => fromNpm(['services', 'npm'], PACKAGES)],
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
