import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/*.test.ts'],
    // Whole runs of the suite are single tests here.
    testTimeout: 120_000,
    maxConcurrency: 10,
    // They mostly wait.
    maxWorkers: 2,
  },
});
