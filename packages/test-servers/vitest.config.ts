import { packageTests } from '../../vitest.shared.ts';

const docker = process.env['LOCKS_TEST_SERVERS'] === 'docker';

// The first test may install the server or pull its image.
export default packageTests(import.meta.url, {
  options: { hookTimeout: 300_000, testTimeout: docker ? 120_000 : 30_000 },
});
