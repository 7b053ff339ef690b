import { packageTests } from '../../vitest.shared.ts';

const docker = process.env['LOCKS_TEST_SERVERS'] === 'docker';

export default packageTests(import.meta.url, {
  // Some files change the environment of their process. The first test may install the server or
  // pull its image.
  options: { isolate: true, hookTimeout: 300_000, testTimeout: docker ? 120_000 : 30_000 },
});
