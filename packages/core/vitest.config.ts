import { packageTests, usual } from '../../vitest.shared.ts';
import { coreSource } from './test/support/core-source.ts';

const { LOCKS_SCHEDULES = '3000' } = process.env;
const { long, ...others } = usual();

export default packageTests(import.meta.url, {
  // Some compute for ten seconds, or a minute where other work needs the processors.
  options: { testTimeout: 120_000 },
  // Some tests import the composites, which then take this copy of core.
  alias: coreSource,
  projects: {
    ...others,
    // The schedules again, and more of them.
    long: {
      ...long,
      include: [...(long.include ?? []), 'test/schedules/*.test.ts'],
      env: { LOCKS_SCHEDULES },
    },
  },
});
