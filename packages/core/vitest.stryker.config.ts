import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Mutants are to be found by the tests that name a behaviour: schedules find many of them too,
    // and take as long as all the others together. The test of the source would meet the text of
    // the mutants.
    exclude: ['test/source.test.ts', 'test/schedules/*.test.ts'],
    isolate: false,
  },
});
