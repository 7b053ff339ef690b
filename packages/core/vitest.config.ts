import { defineConfig } from 'vitest/config';

export default defineConfig({
  // One process for all files: they share no state, and starting processes takes longer than the tests.
  test: { include: ['test/**/*.test.ts'], isolate: false },
});
