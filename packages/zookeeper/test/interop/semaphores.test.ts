import { randomUUID } from 'node:crypto';
import { collect, eventually } from '@locks/test-servers';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { createZookeeperProvider } from '../../src/index.ts';
import { startFrameProxy } from '../support/frame-proxy.ts';
import { newQueue } from './support/queues.ts';
import { meet } from './support/meeting.ts';
import { root, startCurator, startNode } from './support/peer.ts';
import type { CuratorKind, NodeKind, Peer } from './support/peer.ts';

describe.each(['shared', 'exclusive'] as const)('semaphore, %s', (node) => {
  meet({
    recipe: 'semaphore',
    node,
    other: 'InterProcessSemaphoreV2',
    startOther: startCurator,
    permits: 1,
    alone: true,
  });
});

async function start(): Promise<readonly [Peer<NodeKind>, Peer<CuratorKind>]> {
  const peers = await Promise.all([startNode('semaphore'), startCurator()]);
  for (const peer of peers) onTestFinished(() => peer.end());
  return peers;
}

test('each counts the permits that the other has', async () => {
  const queue = await newQueue();
  const [node, curator] = await start();
  const ours = node.acquire('shared', queue.path, { permits: 2 });
  await ours.acquired;
  const theirs = curator.acquire('InterProcessSemaphoreV2', queue.path, { permits: 2 });
  await theirs.acquired;
  expect(ours.held).toBe(true);
  const next = node.acquire('shared', queue.path, { permits: 2 });
  await queue.watched(1);
  const last = curator.acquire('InterProcessSemaphoreV2', queue.path, { permits: 2 });
  await queue.places(2, '/locks');
  expect([next.held, last.held]).toEqual([false, false]);
  await theirs.release();
  await next.acquired;
  // It has made its lease now, and waits with it.
  await queue.places(3, '/leases');
  expect(last.held).toBe(false);
  await ours.release();
  await last.acquired;
});

test('an exclusive holder waits for all permits, and keeps new ones from being given', async () => {
  const queue = await newQueue();
  const [node, curator] = await start();
  const leases = [1, 2].map(() => curator.acquire('InterProcessSemaphoreV2', queue.path, { permits: 3 }));
  await Promise.all(leases.map((lease) => lease.acquired));
  const alone = node.acquire('exclusive', queue.path);
  await queue.watched(1);
  const late = curator.acquire('InterProcessSemaphoreV2', queue.path, { permits: 3 });
  await queue.places(2, '/locks');
  await leases[0]?.release();
  await queue.places(1, '/leases');
  await queue.watched(2);
  expect([alone.held, late.held]).toEqual([false, false]);
  await leases[1]?.release();
  await alone.acquired;
  expect(late.held).toBe(false);
  await alone.release();
  await late.acquired;
});

test('Node shows who is inside and who waits, and can end a lease of Curator', async () => {
  const queue = await newQueue();
  const [, curator] = await start();
  const provider = createZookeeperProvider({
    servers: inject('interopAddress'),
    root,
    recipe: 'semaphore',
    acl: 'open',
  });
  onTestFinished(() => provider.close());
  const key = queue.path.slice(root.length + 1);
  const first = curator.acquire('InterProcessSemaphoreV2', queue.path, { permits: 1 });
  await first.acquired;
  const second = curator.acquire('InterProcessSemaphoreV2', queue.path, { permits: 1 });
  await queue.places(2, '/leases');
  const [lease = ''] = await queue.names('/leases');
  const [waiting = ''] = await queue.names('/locks');
  expect(await provider.inspect(key)).toEqual({
    key,
    holders: [{ owner: lease, mode: 'shared' }],
    waiters: 1,
    queue: [{ owner: waiting, mode: 'shared' }],
  });
  expect(await provider.release({ key, owner: lease, mode: 'shared', ttl: 1_000 })).toBe(true);
  await second.acquired;
  await queue.places(0, '/locks');
  expect(await provider.inspect(key)).toMatchObject({ holders: [{ mode: 'shared' }], waiters: 0 });
  expect(await collect(provider.list(key))).toEqual([key]);
});

test('never more holders than permits in a mixed run', async () => {
  const queue = await newQueue();
  const [node, curator] = await start();
  const counter = await queue.counter();
  const options = { permits: 3, counter: counter.path, rounds: 15 };
  const runs = [1, 2, 3].flatMap(() => [
    node.contend('shared', queue.path, options),
    curator.contend('InterProcessSemaphoreV2', queue.path, options),
  ]);
  const most = await Promise.all(runs);
  expect(Math.max(...most)).toBeLessThanOrEqual(3);
  // Otherwise nothing was shown.
  expect(Math.max(...most)).toBeGreaterThan(1);
});

test('a Curator killed between its two nodes gives both back', async () => {
  const queue = await newQueue();
  const [node, curator] = await start();
  const killed = await startCurator();
  onTestFinished(() => killed.kill());
  const theirs = curator.acquire('InterProcessSemaphoreV2', queue.path, { permits: 1 });
  await theirs.acquired;
  killed.acquire('InterProcessSemaphoreV2', queue.path, { permits: 1 });
  await queue.places(2, '/leases');
  const next = node.acquire('shared', queue.path, { permits: 1 });
  await queue.places(2, '/locks');
  await killed.kill();
  await queue.places(1, '/leases');
  await queue.places(1, '/locks');
  expect(next.held).toBe(false);
  await theirs.release();
  await next.acquired;
  await next.release();
  await eventually('the end of the nodes', async () => (await queue.names('/leases')).length === 0);
});

test('a Curator paused between its two nodes, until its session has ended, makes its lease out of its turn: one holder', async () => {
  const queue = await newQueue();
  const [host = '', port] = inject('interopAddress').split(':');
  const server = { host, port: Number(port) };
  const [theirWay, ourWay] = await Promise.all([startFrameProxy(server), startFrameProxy(server)]);
  const curator = await startCurator(`${theirWay.host}:${theirWay.port}`);
  const provider = createZookeeperProvider({
    servers: `${ourWay.host}:${ourWay.port}`,
    root,
    recipe: 'semaphore',
    acl: 'open',
  });
  onTestFinished(async () => {
    curator.resume();
    await Promise.all([curator.kill(), provider.close()]);
    await Promise.all([theirWay.stop(), ourWay.stop()]);
  });
  const theirRequest = theirWay.hold('-lease-');
  const theirs = curator.acquire('InterProcessSemaphoreV2', queue.path, { permits: 1 });
  await theirRequest.held;
  curator.pause();
  await queue.places(0, '/locks');

  const claim = {
    key: queue.path.slice(root.length + 1),
    owner: randomUUID(),
    mode: 'shared',
    permits: 1,
    ttl: 5_000,
  } as const;
  const ourRequest = ourWay.hold('-lease-');
  let woken = false;
  const attempt = provider.tryAcquire(claim, () => (woken = true));
  await ourRequest.held;
  curator.resume();
  await theirs.acquired;
  ourRequest.letGo();
  expect(await attempt).toMatchObject({ granted: false });
  expect(await queue.names('/leases')).toHaveLength(1);

  await theirs.release();
  await eventually('the wake', () => woken);
  expect(await provider.tryAcquire(claim)).toMatchObject({ granted: true });
});
