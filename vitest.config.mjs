import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['__test__/**/*.test.mjs'],
    // Tests start processes of their own, on machines that are busy.
    testTimeout: 30_000,
  },
});
