import { expect, onTestFinished, test } from 'vitest';
import { newLine } from './support/lines.ts';
import { startCurator, startKazoo, startNode } from './support/peer.ts';

test('readers of Node and Curator hold together', async () => {
  const line = await newLine();
  const [node, curator] = await Promise.all([startNode('read-write'), startCurator()]);
  for (const peer of [node, curator]) onTestFinished(() => peer.end());
  const first = node.acquire('shared', line.path);
  await first.acquired;
  await curator.acquire('InterProcessReadWriteLock.read', line.path).acquired;
  await node.acquire('shared', line.path).acquired;
  expect(first.held).toBe(true);
});

test('readers of Node and kazoo hold together', async () => {
  const line = await newLine();
  const [node, kazoo] = await Promise.all([startNode('read-write'), startKazoo(['__WRIT__'])]);
  for (const peer of [node, kazoo]) onTestFinished(() => peer.end());
  const first = kazoo.acquire('ReadLock', line.path);
  await first.acquired;
  await node.acquire('shared', line.path).acquired;
  await kazoo.acquire('ReadLock', line.path).acquired;
  expect(first.held).toBe(true);
});

test('readers and writers of Node, Java and Python in one line, with names as Curator', async () => {
  const line = await newLine();
  const [node, curator, kazoo] = await Promise.all([startNode('read-write'), startCurator(), startKazoo()]);
  for (const peer of [node, curator, kazoo]) onTestFinished(() => peer.end());
  const counter = await line.counter();
  const options = { counter: counter.path, rounds: 10 };
  const most = await Promise.all([
    node.contend('exclusive', line.path, options),
    curator.contend('InterProcessReadWriteLock.write', line.path, options),
    kazoo.contend('CuratorWriteLock', line.path, options),
    node.look('shared', line.path, options),
    curator.look('InterProcessReadWriteLock.read', line.path, options),
    kazoo.look('CuratorReadLock', line.path, options),
  ]);
  expect(most).toEqual([1, 1, 1, 0, 0, 0]);
  expect(await counter.count()).toBe(30);
});

test('Node, Java and Python in one line, with names as Curator', async () => {
  const line = await newLine();
  const [node, curator, kazoo] = await Promise.all([startNode('mutex'), startCurator(), startKazoo()]);
  for (const peer of [node, curator, kazoo]) onTestFinished(() => peer.end());
  const counter = await line.counter();
  const options = { counter: counter.path, rounds: 15 };
  const most = await Promise.all([
    node.contend('exclusive', line.path, options),
    curator.contend('InterProcessMutex', line.path, options),
    kazoo.contend('CuratorLock', line.path, options),
  ]);
  expect(most).toEqual([1, 1, 1]);
  expect(await counter.count()).toBe(45);
});
