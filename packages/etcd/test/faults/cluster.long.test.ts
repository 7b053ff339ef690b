import { setTimeout as delay } from 'node:timers/promises';
import { createLocks } from '@locks/core';
import type { Locks } from '@locks/core';
import { startEtcdCluster } from '@locks/test-servers';
import type { ServerHandle } from '@locks/test-servers';
import { afterAll, expect, test } from 'vitest';
import { open } from '../support/etcd.ts';

const cluster = await startEtcdCluster();
afterAll(() => cluster.stop());

async function openLocksOnCluster(): Promise<Locks> {
  const options = { url: cluster.url, prefix: 'outlives', timeout: 3_000, waiterTtl: 3_000 };
  return createLocks(await open(options), { ttl: 3_000 });
}

/** A lease is held through `change`, and a waiter is told of its release. */
async function outlives(key: string, wait: number, change: () => Promise<void>): Promise<void> {
  const [holder, waiter] = await Promise.all([openLocksOnCluster(), openLocksOnCluster()]);
  const lease = await holder.acquire(key);
  const waiting = waiter.acquire(key, { wait });
  await change();
  // Two renewals, at least.
  await delay(4_000);
  expect(lease.held).toBe(true);
  await lease.release();
  const next = await waiting;
  expect(next.token).toBeGreaterThan(lease.token);
  await Promise.all([holder.close(), waiter.close()]);
}

test('a lease outlives its leader, and a waiter is told by the next one', async () => {
  let killed: ServerHandle | undefined;
  await outlives('job', 30_000, async () => {
    killed = await cluster.leader();
    await killed.kill();
    await cluster.leader();
  });
  await killed?.restart();
}, 60_000);

test('a lease outlives the replacement of all members, one after the other', async () => {
  await outlives('kept', 60_000, async () => {
    for (const member of cluster.servers) {
      await cluster.replace(member);
      await cluster.leader();
    }
  });
}, 90_000);
