import { openLocks } from '@locks/core';
import type { Locks } from '@locks/core';
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { ZookeeperOptions } from '../../src/index.ts';
import type { Credentials } from '../../src/connection/handshake.ts';
import type { Session } from '../../src/session/session.ts';
import { create, getChildren, remove, setData } from '../../src/wire/requests.ts';
import { folderOf } from '../../src/nodes/paths.ts';
import { openProvider, ownLocks } from '../support/providers.ts';
import { ownServer, serversOf } from '../support/servers.ts';
import { isThere, makeNode, openAcl, openSession, ownPath, valueOf } from '../support/sessions.ts';
import { getAcl } from '../support/requests.ts';
import { misconfigured, refusal } from '../../../core/test/support/lock-error.ts';

const server = await ownServer({ tickTime: 500, maxSessionTimeout: 60_000 });

const alice = { username: 'alice', password: 'her own' } as const;
const ours = [{ scheme: 'digest', id: expect.stringMatching(/^alice:/) as string, permissions: 31 }];

/** A root of a test's own, with the nodes above it. */
async function ownRoot(): Promise<string> {
  const above = ownPath();
  await makeNode(await client(), above, 'persistent');
  return `${above}/locks`;
}

/** Their nodes are open only where `options` say so. */
function locksAt(root: string, options: ZookeeperOptions): Locks {
  return ownLocks(server, { root, acl: undefined, ...options });
}

function client(...auth: readonly Credentials[]): Promise<Session> {
  return openSession([server], { auth, sessionTimeout: 20_000 });
}

function digest({ username, password }: { readonly username: string; readonly password: string }): Credentials {
  return { scheme: 'digest', credentials: Buffer.from(`${username}:${password}`) };
}

/**
 * That `call` is refused at once, by what the user may not do, without a password in the message.
 */
async function refused(call: Promise<unknown>, ...secrets: readonly string[]): Promise<void> {
  const error = await refusal(call);
  // A call that is given up after a while, and not refused, is LOCK_UNAVAILABLE.
  expect(error).toMatchObject(misconfigured('"auth"'));
  for (const secret of secrets) expect(String(error)).not.toContain(secret);
}

test.each([{}, { recipe: 'read-write' }, { recipe: 'semaphore' }] as const)(
  'every node belongs to the user who made it: %o',
  async (layout) => {
    const root = await ownRoot();
    const locks = locksAt(root, { ...alice, ...layout });
    const mode = 'recipe' in layout && layout.recipe === 'semaphore' ? ({ mode: 'shared', permits: 2 } as const) : {};
    const lease = await locks.acquire('key', mode);
    const provider = openProvider(server, { root, acl: undefined, ...alice, ...layout });
    expect(await provider.register?.('name', { from: undefined, to: 'text' })).toBe('text');
    const herself = await client(digest(alice));
    const stranger = await client();
    const found: string[] = [];
    const visit = async (path: string): Promise<void> => {
      found.push(path);
      expect(valueOf(await herself.send(getAcl(path))).acl, path).toEqual(ours);
      for (const request of [getChildren(path), getAcl(path), setData(path, Buffer.from('x')), remove(path)]) {
        const answer = await stranger.send<unknown>(request);
        // Who may remove the root is said by the node above it; it is never empty.
        const error = path === root && request.op === 2 ? 'NOT_EMPTY' : 'NO_AUTH';
        expect(answer, `${request.what} by a stranger`).toMatchObject({ ok: false, error });
      }
      const planted = create({
        path: `${path}/lock-`,
        data: Buffer.alloc(0),
        acl: openAcl,
        kind: 'ephemeral-sequential',
      });
      expect((await stranger.send(planted)).ok).toBe(false);
      const { children } = valueOf(await herself.send(getChildren(path)));
      for (const child of children) await visit(`${path}/${child}`);
    };
    await visit(root);
    for (const end of ['/@base', '/@registers/name']) expect(found.some((path) => path.endsWith(end))).toBe(true);
    expect(found.length).toBeGreaterThanOrEqual(3);
    expect(lease.held).toBe(true);
    expect(await lease.release()).toBe(true);
  },
);

test('another user, the right one with a wrong password, and a client without credentials are refused at once', async () => {
  const root = await ownRoot();
  const lease = await locksAt(root, alice).acquire('key');
  const others = [
    { username: 'bob', password: 'his own' },
    { username: 'alice', password: 'guessed' },
  ];
  for (const other of others) {
    const locks = locksAt(root, other);
    await refused(locks.acquire('key'), other.password);
    await refused(locks.tryAcquire('another key'), other.password);
    await refused(locks.inspect('key'), other.password);
    const url = `zookeeper://${other.username}:${encodeURIComponent(other.password)}@${server.host}:${server.port}`;
    await refused(openLocks({ url, options: { root } }), other.password);
  }
  await refused(locksAt(root, { acl: 'open' }).acquire('key'));
  expect(lease.held).toBe(true);
  expect(await lease.release()).toBe(true);
});

test('a root of nodes above which another user owns is refused at once', async () => {
  const root = await ownRoot();
  await (await locksAt(root, alice).acquire('key')).release();
  const bob = { username: 'bob', password: 'his own' };
  await refused(locksAt(`${root}/his`, bob).acquire('key'), bob.password);
});

test('what is missing above the root is not made for one user alone: other services could not use it', async () => {
  const root = await ownRoot();
  const anyone = await client();
  const above = folderOf(root);
  const acl = [{ scheme: 'digest', id: 'alice:x', permissions: 31 }];
  for (const options of [alice, { ...alice, acl }]) {
    const provider = openProvider(`${serversOf(server)}${above}/app`, { acl: undefined, ...options });
    const error: unknown = await provider.connect(10_000).catch((reason: unknown) => reason);
    expect(error).toMatchObject(misconfigured(`${above}/app, above the root of the locks (${above}/app/locks)`));
    expect((error as Error).message).toContain(`create ${above}/app`);
    expect(await isThere(anyone, `${above}/app`)).toBe(false);
  }
});

test('what is missing above the root is made, like all nodes, open to all where that is said', async () => {
  const above = await ownRoot();
  const root = `${above}/more/locks`;
  const lease = await locksAt(root, { acl: 'open' }).acquire('key');
  const anyone = await client();
  for (const path of [above, `${above}/more`, root, `${root}/@base`, `${root}/key`])
    expect(valueOf(await anyone.send(getAcl(path))).acl).toEqual(openAcl);
  await lease.release();
});

test('a user who may, by a list, shares the locks of another', async () => {
  const root = await ownRoot();
  const bob = { username: 'bob', password: 'his own' };
  // As the server stores it.
  const idOf = ({ username, password }: typeof bob | typeof alice): string =>
    `${username}:${createHash('sha1').update(`${username}:${password}`).digest('base64')}`;
  const acl = [alice, bob].map((user) => ({ scheme: 'digest', id: idOf(user), permissions: 31 }));
  const one = locksAt(root, { ...alice, acl });
  const another = locksAt(root, { ...bob, acl });
  const lease = await one.acquire('key');
  expect(await another.tryAcquire('key')).toBeNull();
  const next = another.acquire('key');
  expect(await lease.release()).toBe(true);
  expect((await next).token).toBeGreaterThan(lease.token);
  await (await next).release();
  await refused(locksAt(root, { username: 'eve', password: 'x y z' }).acquire('key'), 'x y z');
});

test('the permissions that the documentation calls the least suffice for registers', async () => {
  const root = await ownRoot();
  const anyone = await client();
  const [read, write, making, removing] = [1, 2, 4, 8];
  const id = `alice:${createHash('sha1').update(`alice:${alice.password}`).digest('base64')}`;
  for (const [path, permissions] of [
    [root, read + making + removing],
    [`${root}/@base`, read + write],
    [`${root}/@registers`, read + write + making + removing],
  ] as const) {
    // The client is no one, and makes nodes below this one.
    const acl = path === root ? [{ scheme: 'world', id: 'anyone', permissions: making }] : [];
    acl.push({ scheme: 'digest', id, permissions });
    valueOf(await anyone.send(create({ path, data: Buffer.alloc(0), acl, kind: 'persistent' })));
  }
  const acl = [{ scheme: 'digest', id, permissions: read + write }];
  const provider = openProvider(server, { root, ...alice, acl });
  for (const [from, to] of [
    [undefined, 'a'],
    ['a', 'b'],
    ['b', undefined],
    [undefined, 'c'],
  ]) {
    expect(await provider.register?.('name', { from, to })).toBe(to);
  }
});
