import { startRedis } from '@locks/test-servers';
import { createLocks } from '@locks/core';
import type { Locks } from '@locks/core';
import type { Redis } from 'ioredis';
import { afterAll, describe, expect, test } from 'vitest';
import { claimOf, enqueue } from '../../support/queue.ts';
import { clients, eventually } from '../../support/redis.ts';
import { checks } from './checks.ts';
import { createSetting } from './setting.ts';
import type { Watched } from './setting.ts';

// The tests look at its channels.
const server = await startRedis();
afterAll(() => server.stop());

describe.each(clients)('a key that a release assigns, with %s', (_name, create) => {
  test.each(Object.entries(checks))('%s', async (_check, check) => {
    await check(createSetting(server.url, { create }));
  });
});

/** A lease that was waited for, and what its process called since its holder released. */
async function waitFor(
  { waiting, holding, calls }: Watched,
  options: Parameters<ReturnType<typeof createLocks>['acquire']>[1] = {},
): Promise<{ readonly remaining: number; readonly called: readonly string[] }> {
  const [waiter, holder] = [createLocks(waiting), createLocks(holding)];
  await listen(waiter, holder);
  const held = await holder.acquire('job');
  const waited = waiter.acquire('job', options);
  await eventually('the waiter', async () => (await holder.inspect('job')).waiters === 1);
  const before = calls.length;
  await held.release();
  const lease = await waited;
  const { remaining } = lease;
  const called = calls.slice(before);
  expect(lease.held).toBe(true);
  expect(await lease.release()).toBe(true);
  return { remaining, called };
}

/** Opens the wake channel of `waiter`. The claim that waits for it looks again then. */
async function listen(waiter: Locks, holder: Locks): Promise<void> {
  const held = await holder.acquire('another');
  const waited = waiter.acquire('another');
  await eventually('the waiter', async () => (await holder.inspect('another')).waiters === 1);
  await held.release();
  await (await waited).release();
}

test('a waiter that was assigned a key sends nothing before it releases', async () => {
  // Its next sign of life is due after a third of that.
  const setting = createSetting(server.url, { waiterTtl: 15_000 });
  const { remaining, called } = await waitFor(setting);
  expect(called).toEqual([]);
  expect(remaining).toBeLessThanOrEqual(setting.waiterTtl);
});

test.each([
  ['is not renewed', { renew: false }],
  ['rests', { atLeast: 100 }],
  ['rests after an unclean end', { lockDelay: 1_000 }],
  ['has a longer ttl than usual', { ttl: 30_001 }],
] as const)('a lease that %s asks for its whole ttl', async (_title, options) => {
  const { remaining, called } = await waitFor(createSetting(server.url, { waiterTtl: 15_000 }), options);
  expect(called).toEqual(['acquire']);
  expect(remaining).toBeGreaterThan(20_000);
});

test('a process with a longer ttl may be busy right after the grant, for longer than a place lasts', async () => {
  const { waiting, holding, waiterTtl } = createSetting(server.url);
  const [waiter, holder] = [createLocks(waiting), createLocks(holding)];
  await listen(waiter, holder);
  const held = await holder.acquire('job');
  const waited = waiter.withLock('job', { ttl: 60_000 }, async (lease) => {
    const end = performance.now() + 1.5 * waiterTtl;
    while (performance.now() < end);
    return lease;
  });
  await eventually('the waiter', async () => (await holder.inspect('job')).waiters === 1);
  await held.release();
  expect((await waited).signal.aborted).toBe(false);
});

test('a claim of a provider with restartGuard is told its turn', async () => {
  const setting = createSetting(server.url, { options: { restartGuard: 30_000 } });
  const holder = claimOf({ ttl: 20_000 });
  await setting.holding.tryAcquire(holder);
  await setting.client.set(`{${setting.prefix}}:server`, await marker(setting.client));
  await enqueue(setting.waiting, claimOf({ ttl: 20_000 }));
  expect(await setting.client.exists(`{${setting.prefix}job}:terms`)).toBe(0);
  await setting.holding.release(holder);
  expect((await setting.holding.inspect('job')).holders).toEqual([]);
});

async function marker(client: Redis): Promise<string> {
  const [, run] = /run_id:(\w+)/.exec(await client.info('server')) ?? [];
  return `run_id:${run} 0`;
}

test('a claim whose ttl ends before its next look is told its turn', async () => {
  const { waiting, holding } = createSetting(server.url);
  const [holder, waiter] = [claimOf(), claimOf({ ttl: 500 })];
  await holding.tryAcquire(holder);
  await enqueue(waiting, waiter);
  await holding.release(holder);
  expect((await holding.inspect('job')).holders).toEqual([]);
});
