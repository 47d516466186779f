import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['__test__/**/*.test.mjs'],
    // Those need a network: npm run test:clients.
    exclude: ['__test__/clients/**'],
    // Tests start processes of their own, on machines that are busy.
    testTimeout: 30_000,
  },
});
