import { packageTests, usual } from '../../vitest.shared.ts';

const pages = 'test/{docs,release}/**/*.test.ts';

export default packageTests(import.meta.url, {
  // The first test may install the server or pull its image.
  options: { testTimeout: 120_000, hookTimeout: 300_000 },
  projects: { ...usual([pages]), check: { include: [pages] } },
});
