import { setTimeout as delay } from 'node:timers/promises';
import { startProxy } from '@locks/conformance/faults';
import { createLocks } from '@locks/core';
import { expect, onTestFinished, test } from 'vitest';
import { open, ownPrefix, sharedServer } from '../support/etcd.ts';

// Something on the way has forgotten the connection; another one would work.
async function setting() {
  const proxy = await startProxy(sharedServer());
  onTestFinished(() => proxy.stop());
  return { proxy, provider: await open({ url: proxy.url(sharedServer().url), prefix: ownPrefix() }) };
}

test('a lease of 4 s outlives a connection that falls silent, with the usual timeout', async () => {
  const { proxy, provider } = await setting();
  const locks = createLocks(provider, { ttl: 4_000 });
  const lease = await locks.acquire('job');
  proxy.strand();
  await delay(9_000);
  expect(lease.held).toBe(true);
  await lease.release();
  await locks.close();
});

test('the first release over a connection that is gone is answered', async () => {
  const { proxy, provider } = await setting();
  const locks = createLocks(provider, { ttl: 60_000 });
  const leases = await Promise.all(['one', 'two', 'three'].map((key) => locks.acquire(key)));
  proxy.strand();
  await Promise.all(leases.map((lease) => lease.release()));
  for (const { key } of leases) expect((await locks.inspect(key)).holders).toEqual([]);
  await locks.close();
});
