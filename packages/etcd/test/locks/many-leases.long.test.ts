import { createLocks } from '@locks/core';
import type { Lease } from '@locks/core';
import { startEtcd } from '@locks/test-servers';
import { expect, test } from 'vitest';
import { open } from '../support/etcd.ts';

test('a process keeps 2 000 leases while 200 of its claims wait for one key', async () => {
  const server = await startEtcd();
  const locks = createLocks(await open({ url: server.url }), { ttl: 6_000 });
  const others = createLocks(await open({ url: server.url }), { ttl: 60_000 });
  const holder = await others.acquire('hot');
  const leases: Lease[] = [];
  for (let count = 0; count < 2_000; count += 100) {
    const some = Array.from({ length: 100 }, (_, index) => locks.acquire(`own ${count + index}`, { wait: 20_000 }));
    leases.push(...(await Promise.all(some)));
  }
  let served = 0;
  const waiters = Array.from({ length: 200 }, () => locks.withLock('hot', () => void served++, { wait: 60_000 }));
  await new Promise((resolve) => setTimeout(resolve, 15_000));
  await holder.release();
  await Promise.all(waiters);
  expect({ held: leases.filter(({ held }) => held).length, served }).toEqual({ held: 2_000, served: 200 });
  await Promise.all([locks.close(), others.close()]);
  await server.stop();
}, 180_000);
