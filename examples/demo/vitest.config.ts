import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // The first test with Redis may install the server or pull its image.
    hookTimeout: 300_000,
    testTimeout: 60_000,
    // Mostly waiting for processes, also on machines with few cores.
    maxWorkers: 2,
  },
});
