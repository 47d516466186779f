import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

// npm run test:clients: hosts of other projects, installed from their registries.
export default defineConfig({
  test: {
    root: fileURLToPath(new URL('../..', import.meta.url)),
    include: ['__test__/clients/*.test.mjs'],
    globalSetup: '__test__/clients/install.mjs',
    testTimeout: 120_000,
  },
});
