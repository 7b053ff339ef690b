import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLocks } from '@locks/core';
import type { Claim } from '@locks/core';
import { eventually, startEtcd } from '@locks/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import { startRequestProxy } from '../support/request-proxy.ts';
import { open, ownPrefix, sharedServer } from '../support/etcd.ts';

// A place that its claim has left is dropped, though its process keeps others in the queue.
const waiterTtl = 2_000;

test('a place that is written after its claim was released ends, though its process keeps another one', async () => {
  const prefix = ownPrefix();
  const proxy = await startRequestProxy(sharedServer());
  onTestFinished(() => proxy.stop());
  const direct = await open({ prefix });
  const provider = await open({ url: `etcd://${proxy.host}:${proxy.port}`, prefix, timeout: 600, waiterTtl });
  const claim = (): Claim => ({ key: 'job', owner: `test/${randomUUID()}`, ttl: 20_000, mode: 'exclusive' });
  const [holder, given] = [claim(), claim()];
  await direct.tryAcquire(holder);
  const waiters = async (): Promise<number> => (await direct.inspect('job')).waiters;

  // The first claim of the process that waits, which stays; its signs of life keep the lease.
  const [stays, behind] = [createLocks(provider), createLocks(direct)];
  const first = stays.acquire('job', { wait: 60_000 });
  await eventually('the first in the queue', async () => (await waiters()) === 1);

  const late = proxy.holdBack(given.owner);
  await expect(provider.tryAcquire(given, () => {})).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
  await late.held;
  expect(await provider.release(given)).toBe(false);
  await late.deliver();
  const last = behind.acquire('job', { wait: 60_000 });
  await eventually('another process behind the dead place', async () => (await waiters()) === 3);
  const again = stays.acquire('job', { wait: 60_000 });
  await eventually('all in the queue', async () => (await waiters()) >= 3);

  await direct.release(holder);
  for (const next of [first, last, again]) await (await next).release();
  expect(await waiters()).toBe(0);
  await Promise.all([stays.close(), behind.close()]);
}, 25_000);

test('a position that is back with older data of the store ends, though its process keeps others', async () => {
  const server = await startEtcd();
  const copy = await mkdtemp(join(tmpdir(), 'locks-etcd-'));
  onTestFinished(async () => {
    await server.stop();
    await rm(copy, { recursive: true });
  });
  const own = { url: server.url, prefix: 'locks' };
  const [holds, waits] = [await open(own), await open({ ...own, waiterTtl })];
  const [holder, waiter] = [createLocks(holds), createLocks(waits)];
  const inQueue = async (count: number): Promise<void> =>
    void (await eventually(`${count} in the queue`, async () => (await holder.inspect('job')).waiters === count));
  const held = await holder.acquire('job', { ttl: 60_000 });
  const leaves = new AbortController();
  const left = waiter.acquire('job', { wait: 60_000, signal: leaves.signal });
  await inQueue(1);
  const stays = waiter.acquire('job', { wait: 60_000 });
  await inQueue(2);

  await server.restart({ meanwhile: (data) => cp(data, copy, { recursive: true }) });
  // Its process has a connection again.
  await waiter.withLock('other', () => {});
  await inQueue(2);
  leaves.abort();
  await expect(left).rejects.toThrow();
  await inQueue(1);
  await server.restart({
    async meanwhile(data) {
      for (const name of await readdir(data)) await rm(join(data, name), { recursive: true });
      await cp(copy, data, { recursive: true });
    },
  });
  await inQueue(2);
  await held.release();
  await (await stays).release();
}, 25_000);
