import { createLocks } from '@locks/core';
import { eventually, startEtcd } from '@locks/test-servers';
import { expect, test } from 'vitest';
import { open } from '../support/etcd.ts';
import { gateway } from '../support/values.ts';

test('a provider that was closed leaves no lease in etcd, whatever its ttl', async () => {
  const server = await startEtcd();
  const provider = await open({ url: server.url });
  const locks = createLocks(provider, { ttl: '12h' });
  await Promise.all(Array.from({ length: 10 }, (_, index) => locks.withLock(`own ${index}`, () => {})));
  const lease = await locks.acquire('job');
  const next = locks.withLock('job', () => {});
  await eventually('the second in the queue', async () => (await locks.inspect('job')).waiters === 1);
  await lease.release();
  await next;
  await Promise.all([locks.close(), provider.close()]);
  expect(await gateway('lease/leases', {}, server)).not.toHaveProperty('leases');
  await server.stop();
});
