import { expect, test } from 'vitest';
import { startRedisCluster } from '../src/index.ts';

test('a Redis Cluster cannot be made of a server that the environment names', async () => {
  process.env['LOCKS_TEST_REDIS_URL'] = 'redis://127.0.0.1:1';
  try {
    await expect(startRedisCluster()).rejects.toThrow(/unset LOCKS_TEST_REDIS_URL/);
  } finally {
    delete process.env['LOCKS_TEST_REDIS_URL'];
  }
});
