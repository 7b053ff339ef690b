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

test.each([
  ['mutex', 'InterProcessMutex', 'CuratorLock'],
  ['read-write', 'InterProcessReadWriteLock.write', 'CuratorWriteLock'],
] as const)(
  'a %s of Node over both transports, Java and Python, with names as Curator',
  async (recipe, java, python) => {
    const queue = await newQueue();
    const peers = await Promise.all([
      startNode(recipe, 'client'),
      startNode(recipe),
      startCurator(),
      startKazoo(),
    ] as const);
    for (const peer of peers) onTestFinished(() => peer.end());
    const [over, node, curator, kazoo] = peers;
    const counter = await queue.counter();
    const options = { counter: counter.path, rounds: 15 };
    const writers = [
      over.contend('exclusive', queue.path, options),
      node.contend('exclusive', queue.path, options),
      curator.contend(java, queue.path, options),
      kazoo.contend(python, queue.path, options),
    ];
    const readers = [
      over.look('shared', queue.path, options),
      node.look('shared', queue.path, options),
      curator.look('InterProcessReadWriteLock.read', queue.path, options),
      kazoo.look('CuratorReadLock', queue.path, options),
    ];
    expect(await Promise.all(writers)).toEqual([1, 1, 1, 1]);
    expect(await Promise.all(readers)).toEqual([0, 0, 0, 0]);
    expect(await counter.count()).toBe(60);
  },
);
