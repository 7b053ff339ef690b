import { packageTests, usual } from '../../vitest.shared.ts';

const shared = 'test/databases/**/*.test.ts';

export default packageTests(import.meta.url, {
  options: { testTimeout: 30_000, hookTimeout: 60_000 },
  projects: {
    ...usual([shared]),
    // Only those that share servers wait for them.
    'test:databases': { include: [shared], globalSetup: ['test/support/start-databases.ts'] },
  },
});
