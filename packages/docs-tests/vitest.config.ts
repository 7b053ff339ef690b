import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    testTimeout: 60_000,
    // The first test may install the server or pull its image.
    hookTimeout: 300_000,
  },
});
