import { expect, onTestFinished, test } from 'vitest';
import { newLine } from './support/lines.ts';
import { startCurator, startKazoo, startNode } from './support/peer.ts';

test('Node over both transports, Java and Python in one line, with names as Curator', async () => {
  const line = await newLine();
  const peers = await Promise.all([
    startNode('mutex', 'client'),
    startNode('mutex'),
    startCurator(),
    startKazoo(),
  ] as const);
  for (const peer of peers) onTestFinished(() => peer.end());
  const [over, node, curator, kazoo] = peers;
  const counter = await line.counter();
  const options = { counter: counter.path, rounds: 15 };
  const most = await Promise.all([
    over.contend('exclusive', line.path, options),
    node.contend('exclusive', line.path, options),
    curator.contend('InterProcessMutex', line.path, options),
    kazoo.contend('CuratorLock', line.path, options),
  ]);
  expect(most).toEqual([1, 1, 1, 1]);
  expect(await counter.count()).toBe(60);
});

test('readers and writers of both transports, Java and Python in one line', async () => {
  const line = await newLine();
  const peers = await Promise.all([
    startNode('read-write', 'client'),
    startNode('read-write'),
    startCurator(),
    startKazoo(),
  ] as const);
  for (const peer of peers) onTestFinished(() => peer.end());
  const [over, node, curator, kazoo] = peers;
  const counter = await line.counter();
  const options = { counter: counter.path, rounds: 10 };
  const most = await Promise.all([
    over.contend('exclusive', line.path, options),
    node.contend('exclusive', line.path, options),
    curator.contend('InterProcessReadWriteLock.write', line.path, options),
    kazoo.contend('CuratorWriteLock', line.path, options),
    over.look('shared', line.path, options),
    curator.look('InterProcessReadWriteLock.read', line.path, options),
  ]);
  expect(most).toEqual([1, 1, 1, 1, 0, 0]);
  expect(await counter.count()).toBe(40);
});
