import { expect, onTestFinished, test } from 'vitest';
import { newQueue } from './support/queues.ts';
import { startCurator, startKazoo, startNode } from './support/peer.ts';
import type { Peer } from './support/peer.ts';

/** Readers of two libraries. Those of the first hold before and after one of the other. */
const readers = [
  ['Node and Curator', () => startNode('read-write'), 'shared', startCurator, 'InterProcessReadWriteLock.read'],
  ['kazoo and Node', () => startKazoo(['__WRIT__']), 'ReadLock', () => startNode('read-write'), 'shared'],
] as const;

test.each(readers)('readers of %s hold together', async (_, startOne, one, startOther, other) => {
  const queue = await newQueue();
  const peers: readonly [Peer<string>, Peer<string>] = await Promise.all([startOne(), startOther()]);
  for (const peer of peers) onTestFinished(() => peer.end());
  const first = peers[0].acquire(one, queue.path);
  await first.acquired;
  await peers[1].acquire(other, queue.path).acquired;
  await peers[0].acquire(one, queue.path).acquired;
  expect(first.held).toBe(true);
});

/** Those that write, and those that read, of Node over both transports, Curator and kazoo. */
const mixed = [
  ['with names as Curator', 'mutex', ['exclusive', 'exclusive', 'InterProcessMutex', 'CuratorLock'], []],
  [
    'readers and writers',
    'read-write',
    ['exclusive', 'exclusive', 'InterProcessReadWriteLock.write', 'CuratorWriteLock'],
    ['shared', 'shared', 'InterProcessReadWriteLock.read', 'CuratorReadLock'],
  ],
] as const;

test.each(mixed)('Node over both transports, Java and Python in one queue, %s', async (_, recipe, writers, sharers) => {
  const queue = await newQueue();
  const peers: readonly Peer<string>[] = await Promise.all([
    startNode(recipe, 'client'),
    startNode(recipe),
    startCurator(),
    startKazoo(),
  ]);
  for (const peer of peers) onTestFinished(() => peer.end());
  const counter = await queue.counter();
  const options = { counter: counter.path, rounds: 15 };
  const most = await Promise.all([
    ...writers.map((kind, index) => peers[index]!.contend(kind, queue.path, options)),
    ...sharers.map((kind, index) => peers[index]!.look(kind, queue.path, options)),
  ]);
  expect(most).toEqual([...writers.map(() => 1), ...sharers.map(() => 0)]);
  expect(await counter.count()).toBe(60);
});
