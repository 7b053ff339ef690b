import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    globalSetup: ['test/support/start-redis.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // The files share one server, and each counts what it does there.
    fileParallelism: false,
  },
});
