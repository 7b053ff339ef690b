import { expect, onTestFinished, test } from 'vitest';
import { newQueue } from './support/queues.ts';
import { startCurator, startKazoo, startNode } from './support/peer.ts';

test('readers of Node and Curator hold together', async () => {
  const queue = await newQueue();
  const [node, curator] = await Promise.all([startNode('read-write'), startCurator()]);
  for (const peer of [node, curator]) onTestFinished(() => peer.end());
  const first = node.acquire('shared', queue.path);
  await first.acquired;
  await curator.acquire('InterProcessReadWriteLock.read', queue.path).acquired;
  await node.acquire('shared', queue.path).acquired;
  expect(first.held).toBe(true);
});

test('readers of Node and kazoo hold together', async () => {
  const queue = await newQueue();
  const [node, kazoo] = await Promise.all([startNode('read-write'), startKazoo(['__WRIT__'])]);
  for (const peer of [node, kazoo]) onTestFinished(() => peer.end());
  const first = kazoo.acquire('ReadLock', queue.path);
  await first.acquired;
  await node.acquire('shared', queue.path).acquired;
  await kazoo.acquire('ReadLock', queue.path).acquired;
  expect(first.held).toBe(true);
});

test('Node over both transports, Java and Python in one queue, with names as Curator', async () => {
  const queue = await newQueue();
  const peers = await Promise.all([
    startNode('mutex', 'client'),
    startNode('mutex'),
    startCurator(),
    startKazoo(),
  ] as const);
  for (const peer of peers) onTestFinished(() => peer.end());
  const [over, node, curator, kazoo] = peers;
  const counter = await queue.counter();
  const options = { counter: counter.path, rounds: 15 };
  const most = await Promise.all([
    over.contend('exclusive', queue.path, options),
    node.contend('exclusive', queue.path, options),
    curator.contend('InterProcessMutex', queue.path, options),
    kazoo.contend('CuratorLock', queue.path, options),
  ]);
  expect(most).toEqual([1, 1, 1, 1]);
  expect(await counter.count()).toBe(60);
});

test('readers and writers of both transports, Java and Python in one queue', async () => {
  const queue = await newQueue();
  const peers = await Promise.all([
    startNode('read-write', 'client'),
    startNode('read-write'),
    startCurator(),
    startKazoo(),
  ] as const);
  for (const peer of peers) onTestFinished(() => peer.end());
  const [over, node, curator, kazoo] = peers;
  const counter = await queue.counter();
  const options = { counter: counter.path, rounds: 10 };
  const most = await Promise.all([
    over.contend('exclusive', queue.path, options),
    node.contend('exclusive', queue.path, options),
    curator.contend('InterProcessReadWriteLock.write', queue.path, options),
    kazoo.contend('CuratorWriteLock', queue.path, options),
    over.look('shared', queue.path, options),
    node.look('shared', queue.path, options),
    curator.look('InterProcessReadWriteLock.read', queue.path, options),
    kazoo.look('CuratorReadLock', queue.path, options),
  ]);
  expect(most).toEqual([1, 1, 1, 1, 0, 0, 0, 0]);
  expect(await counter.count()).toBe(40);
});
