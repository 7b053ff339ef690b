import { randomUUID } from 'node:crypto';
import { eventually } from '@locks/test-servers';
import type { Claim } from '@locks/core';
import { beforeEach, expect, test } from 'vitest';
import { openProvider } from '../../support/providers.ts';
import type { ZookeeperProvider } from '../../../src/index.ts';
import { getChildren, remove } from '../../../src/wire/requests.ts';
import { ownFrameProxy } from '../../support/frame-proxy.ts';
import type { FrameProxy } from '../../support/frame-proxy.ts';
import { makeNode, openClient, valueOf } from '../../support/sessions.ts';
import { ownServer } from '../../support/servers.ts';

// A process that uses Curator may make its lease after its position in the queue has expired: then
// it is not alone in making one.

const server = await ownServer({ tickTime: 500 });
const stranger = await openClient([server]);

let proxy: FrameProxy;
let provider: ZookeeperProvider;
let claim: Claim;
let leases: string;
beforeEach(async () => {
  proxy = await ownFrameProxy(server);
  provider = openProvider(proxy, { recipe: 'semaphore', sessionTimeout: 5_000 });
  claim = { key: randomUUID(), owner: randomUUID(), mode: 'shared', permits: 1, ttl: 10_000 };
  leases = `/locks/${claim.key}/leases`;
  // Makes the folders.
  const first = { ...claim, owner: randomUUID() };
  expect(await provider.tryAcquire(first)).toMatchObject({ granted: true });
  expect(await provider.release(first)).toBe(true);
});

async function strangersLease(): Promise<string> {
  return await makeNode(stranger, `${leases}/_c_${randomUUID()}-lease-`, 'ephemeral-sequential');
}

async function leaseNames(): Promise<readonly string[]> {
  return valueOf(await stranger.send(getChildren(leases))).children;
}

test('a lease that was made before ours, after we looked, counts: ours is given back', async () => {
  const request = proxy.hold('-lease-');
  let woken = false;
  const attempt = provider.tryAcquire(claim, () => (woken = true));
  await request.held;
  const theirs = await strangersLease();
  request.letGo();
  expect(await attempt).toMatchObject({ granted: false });
  expect(await leaseNames()).toEqual([theirs.slice(leases.length + 1)]);
  valueOf(await stranger.send(remove(theirs)));
  await eventually('the wake', () => woken);
  expect(await provider.tryAcquire(claim)).toMatchObject({ granted: true });
  expect(await provider.release(claim)).toBe(true);
});

test('the same of a claim that does not wait, and it leaves nothing', async () => {
  const request = proxy.hold('-lease-');
  const attempt = provider.tryAcquire(claim);
  await request.held;
  const theirs = await strangersLease();
  request.letGo();
  expect(await attempt).toMatchObject({ granted: false });
  expect(await leaseNames()).toEqual([theirs.slice(leases.length + 1)]);
  expect(valueOf(await stranger.send(getChildren(`/locks/${claim.key}/locks`))).children).toEqual([]);
});

test('the same when the reply to the request was lost', async () => {
  const request = proxy.hold('-lease-');
  const attempt = provider.tryAcquire(claim, () => {});
  await request.held;
  await strangersLease();
  proxy.dropReply();
  request.letGo();
  await expect(attempt).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
  expect(await leaseNames()).toHaveLength(2);
  expect(await provider.tryAcquire(claim, () => {})).toMatchObject({ granted: false });
  expect(await leaseNames()).toHaveLength(1);
});

test('a lease that was made after ours does not count: who makes it sees ours', async () => {
  const request = proxy.hold('-lease-');
  const attempt = provider.tryAcquire(claim, () => {});
  await request.held;
  proxy.dropReply();
  request.letGo();
  await expect(attempt).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
  await strangersLease();
  expect(await provider.tryAcquire(claim, () => {})).toMatchObject({ granted: true });
});
