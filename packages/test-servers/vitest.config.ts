import { defineConfig } from 'vitest/config';

const docker = process.env['LOCKS_TEST_SERVERS'] === 'docker';

export default defineConfig({
  test: {
    // The first test may install the server or pull its image.
    hookTimeout: 300_000,
    testTimeout: docker ? 120_000 : 30_000,
    // They mostly wait.
    maxWorkers: 3,
  },
});
