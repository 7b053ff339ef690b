import { defaultExclude, defineConfig } from 'vitest/config';

const interop = 'test/interop/**/*.test.ts';
const long = 'test/**/*.long.test.ts';

export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // They mostly wait, but their servers are Java.
    maxWorkers: 4,
    projects: [
      { extends: true, test: { name: 'zookeeper', exclude: [...defaultExclude, interop, long] } },
      { extends: true, test: { name: 'long', include: [long] } },
      // Needs Java, Curator and kazoo, which are installed first where that is harmless.
      {
        extends: true,
        test: {
          name: 'interop',
          include: [interop],
          globalSetup: ['test/interop/support/set-up.ts'],
          testTimeout: 60_000,
          hookTimeout: 600_000,
        },
      },
    ],
  },
});
