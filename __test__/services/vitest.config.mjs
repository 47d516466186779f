import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

// npm run test:services: model services of other projects, installed from their registries.
export default defineConfig({
  test: {
    root: fileURLToPath(new URL('../..', import.meta.url)),
    include: ['__test__/services/*.test.mjs'],
    globalSetup: '__test__/services/install.mjs',
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
