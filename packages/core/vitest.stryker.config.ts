import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/source.test.ts', 'test/schedules.test.ts'],
    isolate: false,
  },
});
