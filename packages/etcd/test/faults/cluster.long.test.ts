import { setTimeout as delay } from 'node:timers/promises';
import { createLocks } from '@locks/core';
import type { Locks } from '@locks/core';
import { startEtcdCluster } from '@locks/test-servers';
import { afterAll, expect, test } from 'vitest';
import { open } from '../support/etcd.ts';

const cluster = await startEtcdCluster();
afterAll(() => cluster.stop());

async function openLocksOnCluster(): Promise<Locks> {
  const options = { url: cluster.url, prefix: 'outlives', timeout: 3_000, waiterTtl: 3_000 };
  return createLocks(await open(options), { ttl: 3_000 });
}

test('a lease outlives its leader, and a waiter is told by the next one', async () => {
  const [holder, waiter] = await Promise.all([openLocksOnCluster(), openLocksOnCluster()]);
  const lease = await holder.acquire('job');
  const waiting = waiter.acquire('job', { wait: 30_000 });
  const killed = await cluster.leader();
  await killed.kill();
  await cluster.leader();
  // Two renewals, at least.
  await delay(4_000);
  expect(lease.held).toBe(true);
  await lease.release();
  const next = await waiting;
  expect(next.token).toBeGreaterThan(lease.token);
  await killed.restart();
  await Promise.all([holder.close(), waiter.close()]);
}, 60_000);

test('a lease outlives the replacement of all members, one after the other', async () => {
  const [holder, waiter] = await Promise.all([openLocksOnCluster(), openLocksOnCluster()]);
  const lease = await holder.acquire('kept');
  const waiting = waiter.acquire('kept', { wait: 60_000 });
  for (const member of cluster.servers) {
    await cluster.replace(member);
    await cluster.leader();
  }
  // Two renewals, at least.
  await delay(4_000);
  expect(lease.held).toBe(true);
  await lease.release();
  const next = await waiting;
  expect(next.token).toBeGreaterThan(lease.token);
  await Promise.all([holder.close(), waiter.close()]);
}, 90_000);
