import { defaultExclude, defineConfig } from 'vitest/config';

const shared = 'test/databases/**/*.test.ts';
const long = 'test/**/*.long.test.ts';

export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // They mostly wait.
    maxWorkers: 4,
    // Only those that share servers wait for them.
    projects: [
      { extends: true, test: { name: 'sql', exclude: [...defaultExclude, shared, long] } },
      { extends: true, test: { name: 'long', include: [long] } },
      {
        extends: true,
        test: { name: 'sql on shared databases', include: [shared], globalSetup: ['test/support/start-databases.ts'] },
      },
    ],
  },
});
