import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['__test__/**/*.test.mjs'],
    // Those need a network: npm run test:clients, npm run test:services.
    exclude: ['__test__/clients/**', '__test__/services/**'],
    // Tests start processes of their own, on machines that are busy.
    testTimeout: 30_000,
  },
});
