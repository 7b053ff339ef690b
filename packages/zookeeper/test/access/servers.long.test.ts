import { openLocks } from '@locks/core';
import { eventually, modeOf } from '@locks/test-servers';
import { expect, test } from 'vitest';
import { serverOptions } from '../support/backends.ts';
import { ownEnsemble, serversOf } from '../support/servers.ts';
import type { Place } from '../support/servers.ts';
import { rewriteReplies, withError } from '../support/rewrite.ts';
import { isThere, openSession, ownProxy } from '../support/sessions.ts';
import { misconfigured } from '../../../core/test/support/lock-error.ts';

const ensemble = await ownEnsemble({
  ...serverOptions,
  javaProperties: { ...serverOptions.javaProperties, 'readonlymode.enabled': 'true' },
  initLimit: 50,
  syncLimit: 10,
  observers: 1,
});
const observer = ensemble.servers.at(-1);
if (observer === undefined) throw new Error('the ensemble has no observer');

const options = { acl: 'open' } as const;

const urlOf = (...places: readonly Place[]): string => `zookeeper://${serversOf(...places)}`;

test('an observer alone is refused by its name; with a member that votes beside it, that one is used', async () => {
  // Until it finds the leader, it serves clients that only read.
  await eventually('the observer observes', async () => (await modeOf(observer)) === 'observer');
  await expect(openLocks({ url: urlOf(observer), options })).rejects.toMatchObject(
    misconfigured(`127.0.0.1:${observer.port} (observer)`),
  );
  const leader = await ensemble.leader();
  for (let count = 0; count < 4; count += 1) {
    await using locks = await openLocks({ url: urlOf(observer, leader), options });
    await using lease = await locks.acquire('beside an observer');
    expect(lease.held).toBe(true);
  }
});

test('locks are under the chroot, which is made, and apart from those of another', async () => {
  const leader = await ensemble.leader();
  const client = await openSession([leader]);
  await using one = await openLocks({ url: `${urlOf(leader)}/team/one`, options });
  await using another = await openLocks({
    url: `${urlOf(leader)}/team/two`,
    options: { ...options, root: '/deep/er' },
  });
  await using lease = await one.acquire('key');
  await using other = await another.acquire('key', { wait: 5_000 });
  expect([lease.held, other.held]).toEqual([true, true]);
  for (const path of [
    '/team/one/locks/key',
    '/team/one/locks/@base',
    '/team/two/deep/er/key',
    '/team/two/deep/er/@base',
  ])
    expect(await isThere(client, path), path).toBe(true);
  expect(await isThere(client, '/locks/key')).toBe(false);
  expect((await one.inspect('key')).holders).toMatchObject([{ token: lease.token }]);
  // The same nodes, without the chroot.
  await using whole = await openLocks({ url: urlOf(leader), options: { ...options, root: '/team/one/locks' } });
  expect(await whole.tryAcquire('key')).toBeNull();
});

test('a server that is too old to make the nodes is refused, and told what it must be', async () => {
  // ZooKeeper 3.4 answers reads, and this to the creation that it does not know.
  const old = rewriteReplies((reply) => {
    const done = reply.xid > 0 && reply.frame.readInt32BE(16) === 0;
    return done ? withError(reply, -6) : reply.frame;
  });
  const proxy = await ownProxy(await ensemble.leader(), old);
  await expect(
    openLocks({ url: urlOf(proxy), options: { ...options, root: '/of-an-old-server' } }),
  ).rejects.toMatchObject(misconfigured('must be 3.5 or newer'));
});

// The last one: it takes the majority away.
test('a server without its majority, which is read-only, is refused by its name', async () => {
  const leader = await ensemble.leader();
  const [follower, third] = await ensemble.followers();
  if (follower === undefined || third === undefined) throw new Error('the ensemble has no two followers');
  await Promise.all([leader.kill(), third.kill()]);
  await eventually('it is read-only', async () => (await modeOf(follower)) === 'read-only', 60_000);
  await expect(openLocks({ url: urlOf(follower), options })).rejects.toMatchObject(
    misconfigured(`127.0.0.1:${follower.port} (read-only)`),
  );
  await Promise.all([leader.restart(), third.restart()]);
  await eventually(
    'it follows again',
    async () => ['leader', 'follower'].includes((await modeOf(follower)) ?? ''),
    60_000,
  );
  await using locks = await openLocks({ url: urlOf(follower), options });
  await using lease = await locks.acquire('with a majority');
  expect(lease.held).toBe(true);
}, 150_000);
