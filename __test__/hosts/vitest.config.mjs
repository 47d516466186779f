import { defineConfig } from 'vitest/config';

// One process for both files, so that the addon meets a second context.
export default defineConfig({
  test: { include: ['__test__/hosts/guest-*.mjs'], maxWorkers: 1, fileParallelism: false },
});
