import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['__test__/**/*.test.mjs'],
    // Those need a network: npm run test:clients, test:libraries, test:services.
    exclude: ['__test__/clients/**', '__test__/services/**', '__test__/libraries/**'],
    // Tests start processes of their own, on machines that are busy.
    testTimeout: 30_000,
  },
});
