import { setTimeout as sleep } from 'node:timers/promises';
import type { Claim, LockProvider } from '@locks/core';
import { startRedis } from '@locks/test-servers';
import { Redis } from 'ioredis';
import { describe, expect, test } from 'vitest';
import { createRedisProvider, initialise } from '../../src/index.ts';
import { closeAfterTest, collect, connect, eventually } from '../support/redis.ts';
import { documented, page } from '../support/rights.ts';
import { locksOver, providerOver, stopAfterTest } from '../support/over.ts';
import { misconfigured, refusal } from '../../../core/test/support/lock-error.ts';

async function withUser(
  rules: readonly string[],
  options: object = {},
): Promise<{ readonly admin: Redis; readonly user: Redis }> {
  const server = await stopAfterTest(startRedis());
  const admin = connect({}, server.url);
  await admin.acl('SETUSER', 'locker', 'on', '>secret', 'resetchannels', ...rules);
  const user = closeAfterTest(
    new Redis(server.url, { username: 'locker', password: 'secret', disableClientInfo: true, ...options }),
  );
  return { admin, user };
}

const commands = documented.filter((rule) => rule.startsWith('+'));

/**
 * No script of a lock has them without option `restartGuard`. Clients need them to connect, to
 * tell their names, or to ask whether the server answers. A refusal is an answer, too.
 */
const ofClients = new Set(['+hello', '+info', '+select', '+client|setname', '+unsubscribe', '+ping']);

/** All that a provider does. */
async function doAll(provider: LockProvider): Promise<void> {
  const claimOf = (owner: string, mode: Claim['mode'] = 'exclusive'): Claim => {
    const claim = { key: 'job', owner, ttl: 60_000, mode };
    return mode === 'shared' ? { ...claim, permits: 2 } : claim;
  };
  const [first, second] = [claimOf('a/1'), claimOf('a/2')];
  const [third, fourth, fifth] = [claimOf('b/1', 'shared'), claimOf('b/2', 'shared'), claimOf('b/3', 'shared')];
  const granted = async (claim: Claim, wake?: () => void): Promise<void> => {
    expect(await provider.tryAcquire(claim, wake)).toMatchObject({ granted: true });
  };
  await granted(first);
  await granted(first);
  expect(await provider.renew(first)).toEqual({});
  expect(await provider.renew(first, 2n ** 52n)).toEqual({});
  expect((await provider.inspect('job')).holders).toMatchObject([{ owner: first.owner, token: 2n ** 52n }]);
  let woken = 0;
  // Twice: without a subscription there is no position in the queue.
  await eventually('a position in the queue', async () => {
    const answer = await provider.tryAcquire(second, () => (woken += 1));
    expect(answer.granted).toBe(false);
    return (await provider.inspect('job')).waiters === 1;
  });
  expect(await collect(provider.list?.('') ?? [])).toEqual(['job']);
  for (const [from, to] of [
    [undefined, 'a'],
    ['a', 'b'],
    ['b', undefined],
  ]) {
    expect(await provider.register?.('name', { from, to })).toBe(to);
  }
  const before = woken;
  expect(await provider.release(first)).toBe(true);
  await eventually('a wake', () => woken > before);
  await granted(second, () => {});
  expect(await provider.release(second)).toBe(true);
  expect(await provider.release(second)).toBe(false);
  expect(await provider.renew(second)).toBe(false);
  for (const claim of [third, fourth, fourth]) await granted(claim);
  expect(await provider.tryAcquire(fifth)).toMatchObject({ granted: false });
  await eventually('a place among sharers', async () => {
    expect((await provider.tryAcquire(fifth, () => {})).granted).toBe(false);
    return (await provider.inspect('job')).waiters === 1;
  });
  for (const token of [undefined, 2n ** 52n + 9n]) expect(await provider.renew(fourth, token)).toEqual({});
  expect((await provider.inspect('job')).holders).toHaveLength(2);
  for (const claim of [third, fourth]) expect(await provider.release(claim)).toBe(true);
  expect(await provider.release(fifth)).toBe(false);
  // A share that expires beside another one.
  const [brief, long] = [{ ...claimOf('c/1', 'shared'), ttl: 50 }, claimOf('c/2', 'shared')];
  await granted(long);
  await granted(brief);
  await eventually('the end of a share', async () => (await provider.tryAcquire(claimOf('c/3', 'shared'))).granted);
  // Two in the queue. One shows the other too, because it asks at the time it was told.
  const inQueue = [claimOf('d/1'), claimOf('d/2')];
  let pause = 0;
  for (const claim of [...inQueue, ...inQueue, inQueue[0]!]) {
    if (claim === inQueue[0]) await sleep(pause);
    const answer = await provider.tryAcquire(claim, () => {});
    expect(answer.granted).toBe(false);
    if (!answer.granted) pause = answer.retryAfter ?? 0;
  }
  expect(await provider.release(long)).toBe(true);
}

describe('the least-privilege user of the documentation', () => {
  test('is asked for each of its rights, but for those of clients', async () => {
    const { admin, user } = await withUser(documented);
    const provider = createRedisProvider(user, { waiterTtl: 1_500 });
    await doAll(provider);
    await provider.close();
    expect(await admin.acl('LOG')).toEqual([]);
    // Each command that the scripts know was called, or a test below proves nothing.
    const stats = await admin.info('commandstats');
    for (const right of commands.filter((name) => !ofClients.has(name))) {
      expect(stats).toContain(`cmdstat_${right.slice(1)}:`);
    }
  });

  test('can do nothing else', async () => {
    const { user } = await withUser(documented);
    await expect(user.get('other')).rejects.toThrow('NOPERM');
    await expect(user.flushall()).rejects.toThrow('NOPERM');
    await expect(user.publish('other', 'x')).rejects.toThrow('NOPERM');
  });
});

describe('without one right of the documentation', () => {
  test.each(commands.filter((right) => !ofClients.has(right)))(
    '%s, what needs it is LOCK_MISCONFIGURED, names it, and nothing is told for certain',
    async (right) => {
      const { user } = await withUser(documented.filter((rule) => rule !== right));
      const provider = providerOver(user, { waiterTtl: 1_500 });
      expect(await refusal(doAll(provider))).toMatchObject(misconfigured(right));
    },
  );
});

describe('with option restartGuard', () => {
  const restartGuard = 60_000;

  test('no other right is needed, also to initialise', async () => {
    const { admin, user } = await withUser(documented);
    await initialise(user);
    const provider = createRedisProvider(user, { waiterTtl: 1_500, restartGuard });
    await doAll(provider);
    await admin.flushall();
    const claim: Claim = { key: 'job', owner: 'a/1', ttl: 60_000, mode: 'exclusive' };
    await expect(provider.tryAcquire(claim)).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE', sent: false });
    await provider.close();
    expect(await admin.acl('LOG')).toEqual([]);
    expect(await admin.info('commandstats')).toMatch(/cmdstat_info:/);
  });

  test('the lack of +info is LOCK_MISCONFIGURED, and named', async () => {
    const rights = documented.filter((rule) => rule !== '+info');
    const { user } = await withUser(rights, { enableReadyCheck: false });
    const refused = misconfigured('+info');
    const provider = providerOver(user, { restartGuard });
    for (const mode of ['exclusive', 'shared'] as const) {
      await expect(provider.tryAcquire({ key: 'job', owner: 'a/1', ttl: 60_000, mode })).rejects.toMatchObject(refused);
    }
    await expect(initialise(user)).rejects.toMatchObject(refused);
  });
});

test('the key patterns of the documentation for a client with a keyPrefix are enough', async () => {
  const [, patterns = ''] = /`(~app:[^`]*)`/.exec(page) ?? [];
  const others = documented.filter((rule) => !/^[~&]/.test(rule));
  const { admin, user } = await withUser([...others, ...patterns.split(' ')], { keyPrefix: 'app:' });
  await initialise(user);
  const provider = createRedisProvider(user, { waiterTtl: 1_500, restartGuard: 60_000 });
  await doAll(provider);
  await provider.close();
  expect(await admin.acl('LOG')).toEqual([]);
});

test.each(['exclusive', 'shared'] as const)(
  'a holder, %s, that may not read any more is told so, and not that it has lost its lease',
  async (mode) => {
    const { admin, user } = await withUser(documented);
    const provider = providerOver(user);
    const claim: Claim = { key: 'job', owner: 'a/1', ttl: 60_000, mode };
    expect(await provider.tryAcquire(claim)).toMatchObject({ granted: true });
    await admin.acl('SETUSER', 'locker', '-get');
    const refused = misconfigured('+get');
    await expect(provider.renew(claim)).rejects.toMatchObject(refused);
    await expect(provider.release(claim)).rejects.toMatchObject(refused);
    await expect(provider.inspect('job')).rejects.toMatchObject(refused);
    await admin.acl('SETUSER', 'locker', '+get');
    expect(await provider.renew(claim)).toEqual({});
    expect(await provider.release(claim)).toBe(true);
  },
);

test('refused keys are LOCK_MISCONFIGURED too', async () => {
  const { user } = await withUser(['~other:*', '&*', '+@all']);
  const locks = locksOver(user);
  await expect(locks.acquire('job')).rejects.toMatchObject({ code: 'LOCK_MISCONFIGURED' });
});

test.each([
  ['is refused', documented.filter((rule) => !rule.startsWith('&')), [], ['&locks:wake:*']],
  ['may not log in any more', documented, ['resetpass', '>changed'], ['>secret']],
])(
  'a wake channel that %s fails those that must wait, leaves nothing of them, and works once it may',
  async (_what, rules, refusing, permitting) => {
    const { admin, user } = await withUser(rules);
    await user.ping();
    const locks = locksOver(user);
    const lease = await locks.acquire('job');
    // The connection of the user stays.
    await admin.acl('SETUSER', 'locker', ...refusing);
    await expect(locks.acquire('job', { wait: 10_000 })).rejects.toMatchObject(misconfigured('wake channel'));
    expect((await locks.inspect('job')).waiters).toBe(0);
    await admin.acl('SETUSER', 'locker', ...permitting);
    const next = locks.acquire('job');
    await eventually('the waiter in the queue', async () => (await locks.inspect('job')).waiters === 1);
    await lease.release();
    await (await next).release();
  },
);
