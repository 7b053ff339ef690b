import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, inject, it, onTestFinished } from 'vitest';
import { newQueue } from './support/queues.ts';
import type { CuratorKind, KazooKind, Peer } from './support/peer.ts';
import * as peers from './support/peer.ts';

// What docs/backends/zookeeper-clients.md says of the others, shown without this package.

async function ending<Kind extends string>(starting: Promise<Peer<Kind>>): Promise<Peer<Kind>> {
  const peer = await starting;
  onTestFinished(() => peer.end());
  return peer;
}

function startCurator(): Promise<Peer<CuratorKind>> {
  return ending(peers.startCurator());
}

function startKazoo(markers: readonly string[] = []): Promise<Peer<KazooKind>> {
  return ending(peers.startKazoo(markers));
}

async function kazooVersion(): Promise<number> {
  const [python = ''] = inject('peerPrograms').kazoo;
  const told = await promisify(execFile)(python, ['-c', 'import kazoo.version as v; print(v.__version__)']);
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(told.stdout) ?? [];
  return Number(major) * 1_000 + Number(minor);
}

const uuid = '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}';

it('InterProcessSemaphoreV2 of Curator makes a lease while it holds the mutex, also when it must wait for others', async () => {
  const queue = await newQueue();
  const curator = await startCurator();
  const first = curator.acquire('InterProcessSemaphoreV2', queue.path, { permits: 1 });
  await first.acquired;
  const leases = await queue.names('/leases');
  expect(leases).toHaveLength(1);
  expect(leases[0]).toMatch(new RegExp(`^_c_${uuid}-lease-0000000000$`));
  await queue.places(0, '/locks');
  const second = curator.acquire('InterProcessSemaphoreV2', queue.path, { permits: 1 });
  await queue.places(2, '/leases');
  expect(await queue.names('/locks')).toHaveLength(1);
  expect((await queue.names('/locks'))[0]).toMatch(new RegExp(`^_c_${uuid}-lock-\\d{10}$`));
  const third = curator.acquire('InterProcessSemaphoreV2', queue.path, { permits: 1 });
  await queue.places(2, '/locks');
  expect(await queue.names('/leases')).toHaveLength(2);
  await first.release();
  await second.acquired;
  expect(third.held).toBe(false);
});

it.each([
  ['Curator', 'InterProcessMutex', `^_c_${uuid}-lock-0000000000$`],
  ['Curator', 'InterProcessReadWriteLock.read', `^_c_${uuid}-__READ__0000000000$`],
  ['Curator', 'InterProcessReadWriteLock.write', `^_c_${uuid}-__WRIT__0000000000$`],
  ['kazoo', 'Lock', '^[0-9a-f]{32}__lock__0000000000$'],
  ['kazoo', 'ReadLock', '^[0-9a-f]{32}__rlock__0000000000$'],
  ['kazoo', 'WriteLock', '^[0-9a-f]{32}__lock__0000000000$'],
  ['kazoo', 'CuratorLock', '^[0-9a-f]{32}-lock-0000000000$'],
  ['kazoo', 'CuratorReadLock', '^[0-9a-f]{32}-__READ__0000000000$'],
  ['kazoo', 'CuratorWriteLock', '^[0-9a-f]{32}-__WRIT__0000000000$'],
  ['kazoo', 'Semaphore', '^[0-9a-f]{32}$'],
] as const)('of %s %s makes one node', async (library, kind, name) => {
  const queue = await newQueue();
  const peer: Peer<string> = await (library === 'Curator' ? startCurator() : startKazoo());
  const lock = peer.acquire(kind, queue.path, { permits: 1 });
  await lock.acquired;
  const names = await queue.names();
  expect(names).toHaveLength(1);
  expect(names[0]).toMatch(new RegExp(name));
  await lock.release();
  // Curator makes a container.
  if (library === 'Curator') await queue.gone();
});

it('kazoo does not see what Curator holds, unless it is told its names', async () => {
  const queue = await newQueue();
  const [curator, kazoo, told] = await Promise.all([startCurator(), startKazoo(), startKazoo(['-lock-'])]);
  const java = curator.acquire('InterProcessMutex', queue.path);
  await java.acquired;
  const python = kazoo.acquire('Lock', queue.path);
  await python.acquired;
  await python.release();
  const waiter = told.acquire('Lock', queue.path);
  await queue.watched(1);
  expect(waiter.held).toBe(false);
  await java.release();
  await waiter.acquired;
});

it.each(['InterProcessMutex', 'InterProcessReadWriteLock.write'] as const)(
  '%s of Curator lets itself in beside a lock of kazoo',
  async (kind) => {
    const queue = await newQueue();
    const [curator, kazoo] = await Promise.all([startCurator(), startKazoo(['-lock-', '__WRIT__'])]);
    const python = kazoo.acquire('Lock', queue.path);
    await python.acquired;
    await curator.acquire(kind, queue.path).acquired;
    expect(python.held).toBe(true);
  },
);

it('a lock of kazoo that has names as Curator excludes Curator, and is excluded', async () => {
  const queue = await newQueue();
  const [curator, kazoo] = await Promise.all([startCurator(), startKazoo()]);
  const python = kazoo.acquire('CuratorLock', queue.path);
  await python.acquired;
  const java = curator.acquire('InterProcessMutex', queue.path);
  await queue.watched(1);
  const second = kazoo.acquire('CuratorLock', queue.path);
  await queue.watched(2);
  expect(java.held).toBe(false);
  await python.release();
  await java.acquired;
  expect(second.held).toBe(false);
  await java.release();
  await second.acquired;
});

it('a ReadLock of kazoo before 2.9 that waited, and a WriteLock behind it, wait for each other', async () => {
  const queue = await newQueue();
  const [one, other] = await Promise.all([startKazoo(), startKazoo()]);
  const holder = one.acquire('WriteLock', queue.path);
  await holder.acquired;
  const reader = other.acquire('ReadLock', queue.path, { wait: 3_000 });
  await queue.watched(1);
  const writer = one.acquire('WriteLock', queue.path);
  await queue.watched(2);
  await holder.release();
  if ((await kazooVersion()) < 2_009) {
    await expect(reader.acquired).rejects.toThrow('timeout');
  } else {
    await reader.acquired;
    await reader.release();
  }
  await writer.acquired;
});

it('Curator does not see the other kinds of its own locks in one place', async () => {
  const queue = await newQueue();
  const [one, other] = await Promise.all([startCurator(), startCurator()]);
  const mutex = one.acquire('InterProcessMutex', queue.path);
  await mutex.acquired;
  await other.acquire('InterProcessReadWriteLock.write', queue.path).acquired;
  expect(mutex.held).toBe(true);
});
