import { packageTests } from '../../vitest.shared.ts';

const { LOCKS_SCHEDULES = '10000' } = process.env;

export default packageTests(import.meta.url, {
  // Some compute, for seconds on a machine that does other things too.
  options: { testTimeout: 30_000 },
  projects: {
    // One process for all files: they share no state, and starting processes takes longer than the tests.
    test: { isolate: false },
    long: { include: ['test/schedules.test.ts'], env: { LOCKS_SCHEDULES } },
  },
});
