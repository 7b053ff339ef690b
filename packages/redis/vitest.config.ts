import { fileURLToPath } from 'node:url';
import { packageTests, usual } from '../../vitest.shared.ts';

const { test, long, matrix } = usual();
const lease = 'test/quorum/lease-outlives-restarts.long.test.ts';

export default packageTests(import.meta.url, {
  options: {
    globalSetup: fileURLToPath(new URL('test/support/start-redis.ts', import.meta.url)),
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // On a server that the environment names, files would count each other's connections; else
    // those that count have their own.
    ...(process.env['LOCKS_TEST_REDIS_URL'] && { maxWorkers: 1, sequence: { groupOrder: 2 } }),
  },
  // The matrix holds the lease for ten minutes.
  projects: {
    test,
    long,
    matrix: { ...matrix, include: [...(matrix.include ?? []), lease], env: { LOCKS_QUORUM: 'long' } },
  },
});
