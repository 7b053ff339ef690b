import { describe, expect, onTestFinished, test } from 'vitest';
import { eventually, newLine } from './support/lines.ts';
import { meet } from './support/meeting.ts';
import { startCurator, startNode } from './support/peer.ts';
import type { CuratorKind, NodeKind, Peer } from './support/peer.ts';

describe.each(['shared', 'exclusive'] as const)('semaphore, %s', (node) => {
  const other = 'InterProcessSemaphoreV2';
  meet({
    row: `Curator ${other} of 1 · semaphore, ${node === 'shared' ? 'permits: 1' : node}`,
    recipe: 'semaphore',
    node,
    other,
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
  const line = await newLine();
  const [node, curator] = await start();
  const ours = node.acquire('shared', line.path, { permits: 2 });
  await ours.acquired;
  const theirs = curator.acquire('InterProcessSemaphoreV2', line.path, { permits: 2 });
  await theirs.acquired;
  expect(ours.held).toBe(true);
  const next = node.acquire('shared', line.path, { permits: 2 });
  await line.watched(1);
  const last = curator.acquire('InterProcessSemaphoreV2', line.path, { permits: 2 });
  await line.places(2, '/locks');
  expect([next.held, last.held]).toEqual([false, false]);
  await theirs.release();
  await next.acquired;
  // It has made its lease now, and waits with it.
  await line.places(3, '/leases');
  expect(last.held).toBe(false);
  await ours.release();
  await last.acquired;
});

test('never more holders than permits in a mixed run', async () => {
  const line = await newLine();
  const [node, curator] = await start();
  const counter = await line.counter();
  const options = { permits: 3, counter: counter.path, rounds: 15 };
  const runs = [1, 2, 3].flatMap(() => [
    node.contend('shared', line.path, options),
    curator.contend('InterProcessSemaphoreV2', line.path, options),
  ]);
  const most = await Promise.all(runs);
  expect(Math.max(...most)).toBeLessThanOrEqual(3);
  // Otherwise nothing was shown.
  expect(Math.max(...most)).toBeGreaterThan(1);
});

test('a Curator killed between its two nodes gives both back', async () => {
  const line = await newLine();
  const [node, curator] = await start();
  const killed = await startCurator();
  onTestFinished(() => killed.kill());
  const theirs = curator.acquire('InterProcessSemaphoreV2', line.path, { permits: 1 });
  await theirs.acquired;
  killed.acquire('InterProcessSemaphoreV2', line.path, { permits: 1 });
  await line.places(2, '/leases');
  const next = node.acquire('shared', line.path, { permits: 1 });
  await line.places(2, '/locks');
  await killed.kill();
  await line.places(1, '/leases');
  await line.places(1, '/locks');
  expect(next.held).toBe(false);
  await theirs.release();
  await next.acquired;
  await next.release();
  await eventually('the end of the nodes', async () => (await line.names('/leases')).length === 0);
});
