import { packageTests } from '../../vitest.shared.ts';

export default packageTests(import.meta.url, {
  options: {
    globalSetup: ['test/support/start-redis.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // On a server that the environment names, files would count each other's connections; else those that count have their own.
    fileParallelism: !process.env['LOCKS_TEST_REDIS_URL'],
  },
});
