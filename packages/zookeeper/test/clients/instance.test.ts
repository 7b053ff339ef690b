import { createLocks } from '@locks/core';
import { collect, eventually } from '@locks/test-servers';
import { once } from 'node:events';
import type { EventEmitter } from 'node:events';
import { createClient } from 'node-zookeeper-client';
import type { Client } from 'node-zookeeper-client';
import { expect, onTestFinished, test } from 'vitest';
import { createZookeeperProvider } from '../../src/index.ts';
import { called, connectClient } from '../support/client-sessions.ts';
import { openSession, ownPath, ownProxy, valueOf } from '../support/sessions.ts';
import { getChildren } from '../../src/wire/requests.ts';
import { ownServer } from '../support/servers.ts';
import { misconfigured } from '../../../core/test/support/lock-error.ts';

const server = await ownServer({ tickTime: 200, maxSessionTimeout: 60_000 });

test('a client that is connected carries locks, and is left as it was', async () => {
  const observer = await openSession([server]);
  const client = await connectClient(server.port, 3_000);
  const before = { listeners: (client as never as { listenerCount(name: string): number }).listenerCount('state') };
  const root = ownPath();
  const provider = createZookeeperProvider({ client, acl: 'open', root });
  const locks = createLocks(provider);
  const lease = await locks.acquire('a');
  expect(lease.held).toBe(true);
  expect(await collect(provider.list(''))).toEqual(['a']);
  await locks.acquire('b');
  // Leases that are not released: their nodes go, though the session goes on.
  await provider.close();
  await locks.close();
  for (const key of ['a', 'b']) {
    const answer = await observer.send(getChildren(`${root}/${key}`));
    expect(answer.ok ? answer.value.children : []).toEqual([]);
  }
  expect(client.getState().name).toBe('SYNC_CONNECTED');
  expect((client as never as { listenerCount(name: string): number }).listenerCount('state')).toBe(before.listeners);
  const insides = (client as never as { connectionManager: object }).connectionManager;
  for (const name of ['connect', 'onSocketData', 'onSocketConnected']) expect(Object.hasOwn(insides, name)).toBe(false);
  await called((callback) => client.exists('/', callback));
});

test('the end of its session ends the provider, with an error that says what to do', async () => {
  const proxy = await ownProxy(server);
  const client = await connectClient(proxy.port, 1_500);
  const provider = createZookeeperProvider({ client, acl: 'open', root: ownPath() });
  onTestFinished(() => provider.close());
  const locks = createLocks(provider);
  const lease = await locks.acquire('a');
  const admit = proxy.refuse();
  await proxy.cut();
  await eventually('it is lost', () => !lease.held);
  admit();
  await expect(locks.acquire('a', { wait: 5_000 })).rejects.toMatchObject(misconfigured('() => createClient'));
  await provider.close();
  const { connectionManager, listenerCount } = client as never as { connectionManager: object } & EventEmitter;
  expect(Object.hasOwn(connectionManager, 'connect')).toBe(false);
  expect(listenerCount.call(client, 'state')).toBe(1);
});

test('objects that are no client are told by what they are', async () => {
  const make = (client: unknown) => createZookeeperProvider({ client: client as () => Client, acl: 'open' });
  expect(() => make({})).toThrow(/"client"/);
  expect(() => createZookeeperProvider({ client: () => createClient('a:1'), servers: 'b:1', acl: 'open' })).toThrow(
    /"servers"/,
  );
  expect(() => createZookeeperProvider({ client: () => createClient('a:1') })).toThrow(/acl/);
  const closed = await connectClient(server.port, 3_000);
  closed.close();
  await once(closed as never, 'disconnected');
  for (const [given, told] of [
    [() => Promise.resolve(), /a promise/],
    [() => undefined, /nothing/],
    [() => new Map(), /class Map/],
    [() => createClient('127.0.0.1:1', { retries: 2 }), /retries: 2/],
    [createClient('127.0.0.1:1'), /does not connect/],
    [closed, /was closed/],
    [() => closed, /connecting, connected or closed/],
  ] as const) {
    const provider = make(given);
    await expect(provider.connect(1_000)).rejects.toMatchObject(misconfigured(told));
    await provider.close();
  }
});

test('a chroot that is missing is made where all nodes are open, and named where they are not', async () => {
  const observer = await openSession([server]);
  const chroot = `${ownPath()}/team/one`;
  const client = (): Client => createClient(`127.0.0.1:${server.port}${chroot}`, { spinDelay: 20 });
  for (const root of ['/locks', '/']) {
    const closed = createZookeeperProvider({ client, root, acl: [{ scheme: 'world', id: 'anyone', permissions: 15 }] });
    await expect(closed.connect(5_000)).rejects.toMatchObject(misconfigured('the chroot of the client does not exist'));
    await closed.close();
  }
  for (const [root, path] of [
    ['/locks', `${chroot}/locks/a`],
    ['/', `${chroot}/a`],
  ] as const) {
    const provider = createZookeeperProvider({ client, root, acl: 'open' });
    onTestFinished(() => provider.close());
    const lease = await createLocks(provider).acquire('a');
    expect(valueOf(await observer.send(getChildren(path))).children).toHaveLength(1);
    await lease.release();
  }
});
