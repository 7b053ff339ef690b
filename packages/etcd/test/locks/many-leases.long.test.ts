import { setTimeout as delay } from 'node:timers/promises';
import { createLocks } from '@locks/core';
import type { Lease } from '@locks/core';
import { eventually, startEtcd } from '@locks/test-servers';
import { expect, test } from 'vitest';
import { open } from '../support/etcd.ts';

// A busy machine is no fault: etcd answers later.
test('a process keeps 2 000 leases while 200 of its claims wait for one key', async () => {
  const server = await startEtcd();
  const locks = createLocks(await open({ url: server.url, prefix: 'many', timeout: 15_000 }), { ttl: 20_000 });
  const others = createLocks(await open({ url: server.url, prefix: 'many', timeout: 15_000 }), { ttl: 60_000 });
  const holder = await others.acquire('hot');
  const leases: Lease[] = [];
  for (let count = 0; count < 2_000; count += 100) {
    const some = Array.from({ length: 100 }, (_, index) => locks.acquire(`own ${count + index}`, { wait: 20_000 }));
    leases.push(...(await Promise.all(some)));
  }
  let served = 0;
  const waiters = Array.from({ length: 200 }, () => locks.withLock('hot', () => void served++, { wait: 60_000 }));
  await delay(15_000);
  await holder.release();
  await Promise.all(waiters);
  expect({ held: leases.filter(({ held }) => held).length, served }).toEqual({ held: 2_000, served: 200 });
  await Promise.all([locks.close(), others.close()]);
  await server.stop();
}, 180_000);

test('2 000 claims of a process wait for one key, and none of them is told of an outage', async () => {
  const server = await startEtcd();
  const locks = createLocks(await open({ url: server.url, prefix: 'many', timeout: 15_000 }), { ttl: 20_000 });
  const others = createLocks(await open({ url: server.url, prefix: 'many', timeout: 15_000 }), { ttl: 60_000 });
  const [own, holder] = [await locks.acquire('own'), await others.acquire('hot')];
  let served = 0;
  const failed: unknown[] = [];
  const over = new AbortController();
  const waiters = Array.from({ length: 2_000 }, () =>
    locks
      .withLock('hot', () => void served++, { wait: 120_000, signal: over.signal })
      .catch((error: unknown) => void (over.signal.aborted || failed.push(error))),
  );
  // Each look reads the whole queue.
  let inQueue = 0;
  for (let looks = 0; inQueue < 2_000 && looks < 30; looks++) {
    await delay(2_000);
    inQueue = (await others.inspect('hot')).waiters;
  }
  // Two signs of life of each.
  await delay(5_000);
  expect({ inQueue: (await others.inspect('hot')).waiters, failed }).toEqual({ inQueue: 2_000, failed: [] });
  await holder.release();
  await eventually('a hundred to be served', () => served >= 100, 60_000);
  expect({ failed, held: own.held }).toEqual({ failed: [], held: true });
  over.abort();
  await Promise.all(waiters);
  await Promise.all([locks.close(), others.close()]);
  await server.stop();
}, 180_000);
