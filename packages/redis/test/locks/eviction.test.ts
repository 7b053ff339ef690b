import { createLocks } from '@locks/core';
import { startRedis } from '@locks/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import { createRedisProvider } from '../../src/index.ts';
import { connect, eventually } from '../support/redis.ts';

test('a server that evicts keys gives a held key to another client, with a higher token', async () => {
  const server = await startRedis({ args: ['--maxmemory', '3mb', '--maxmemory-policy', 'volatile-random'] });
  onTestFinished(() => server.stop());
  const client = connect({}, server.url);
  const locks = createLocks(createRedisProvider(client, { prefix: '' }), { renew: false });
  onTestFinished(() => locks.close());
  const lease = await locks.acquire('job', { ttl: 60_000 });
  let written = 0;
  await eventually('the eviction', async () => {
    written += 1;
    await client.set(`filler-${written}`, 'x'.repeat(10_000)).catch(() => {});
    return (await client.exists('job')) === 0;
  });
  await client.config('SET', 'maxmemory', '0');
  const other = await locks.acquire('job');
  expect([lease.held, other.held]).toEqual([true, true]);
  expect(other.token).toBeGreaterThan(lease.token);
  await expect(lease.renew()).rejects.toMatchObject({ code: 'LOCK_LOST' });
});
