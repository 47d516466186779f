import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: { include: ['__test__/libraries/*.test.mjs'], testTimeout: 120_000, hookTimeout: 480_000 },
});
