import { randomUUID } from 'node:crypto';
import { createLocks } from '@locks/core';
import type { Locks } from '@locks/core';
import { collect, startZookeeper } from '@locks/test-servers';
import { createZookeeperGuard, createZookeeperProvider } from '@locks/zookeeper';
import type { ZookeeperOptions } from '@locks/zookeeper';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { appMay, permissionsOf } from '../support/accounts.ts';

// The table of docs/backends/zookeeper.md, tried.

const bits = { read: 1, create: 4, delete: 8 } as const;

const server = await startZookeeper();
afterAll(() => server.stop());
const servers = `${server.host}:${server.port}`;

interface Granted {
  readonly root: number;
  readonly base: number;
  readonly folder: number;
  readonly place: number;
}

const documented: Granted = {
  root: permissionsOf('`<root>`'),
  base: permissionsOf('`<root>/@base`'),
  folder: permissionsOf('`<root>/<key>`'),
  place: permissionsOf('positions in the queue'),
};

interface Opened {
  readonly locks: Locks;
  readonly provider: ReturnType<typeof createZookeeperProvider>;
}

/**
 * What an administrator has made, with these permissions for the service, and the service's locks
 * there.
 */
async function open(granted: Granted, options: ZookeeperOptions = {}): Promise<Opened> {
  const place = `/grants-${randomUUID()}`;
  const admin = createZookeeperProvider({ servers, root: `${place}-admin`, username: 'admin', password: 'admin' });
  onTestFinished(() => admin.close());
  const create = (path: string, permissions: number) =>
    ({ type: 'create', path, acl: [appMay(permissions), { scheme: 'auth', id: '', permissions: 31 }] }) as const;
  const key = `${place}/key`;
  const nodes = [
    create(place, granted.root),
    create(`${place}/@base`, granted.base),
    create(key, granted.folder),
    create(`${key}/locks`, granted.folder),
    create(`${key}/leases`, granted.folder),
  ];
  await createZookeeperGuard(admin).writeFenced(`${place}-fence`, nodes, { token: 1n, mode: 'exclusive' });
  const provider = createZookeeperProvider({
    servers,
    ...options,
    root: place,
    username: 'app',
    password: 'secret',
    acl: [appMay(granted.place)],
  });
  onTestFinished(() => provider.close());
  const locks = createLocks(provider);
  onTestFinished(() => locks.close());
  return { locks, provider };
}

async function takeOnce(locks: Locks, key: string): Promise<void> {
  const lease = await locks.acquire(key);
  await lease.release();
}

/** Every kind of claim: free, in line, shared, renewed. */
async function useAll(locks: Locks): Promise<void> {
  const first = await locks.acquire('key');
  const second = locks.acquire('key');
  await expect.poll(async () => (await locks.inspect('key')).waiters, { timeout: 20_000 }).toBe(1);
  await first.renew();
  await first.release();
  await (await second).release();
  const shares = [1, 2].map(() => locks.acquire('key', { mode: 'shared', permits: 2 }));
  for (const share of await Promise.all(shares)) {
    await share.renew();
    await share.release();
  }
}

test.each(['mutex', 'read-write', 'semaphore'] as const)('they are all that %s needs', async (recipe) => {
  const { locks, provider } = await open(documented, { recipe });
  await useAll(locks);
  const lease = await locks.acquire('key');
  expect(await collect(provider.list(''))).toEqual(['key']);
  await lease.release();
});

test('they are all that folders need that the service makes itself', async () => {
  const { locks } = await open({ ...documented, place: documented.place | documented.folder });
  await takeOnce(locks, 'other');
});

test.each([
  ['read', 'base'],
  ['read', 'folder'],
  ['create', 'folder'],
  ['delete', 'folder'],
] as const)('without the permission to %s the %s nothing works, and it is told', async (word, node) => {
  const { locks } = await open({ ...documented, [node]: documented[node] - bits[word] });
  await expect(takeOnce(locks, 'key')).rejects.toMatchObject({ code: 'LOCK_MISCONFIGURED' });
});
