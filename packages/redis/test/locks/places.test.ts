import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Claim, LockProvider } from '@locks/core';
import type { Redis } from 'ioredis';
import { expect, test, vi } from 'vitest';
import type { Mock } from 'vitest';
import { connect, eventually, ownPrefix } from '../support/redis.ts';
import { providerOver } from '../support/over.ts';

const refresh = 1_000;

/**
 * Two waiters of one process, whose calls are due by now, on a key that another process has had.
 */
async function meet(mode: Claim['mode']): Promise<{
  readonly client: Redis;
  readonly provider: LockProvider;
  readonly first: Claim;
  readonly wakes: { readonly first: Mock<() => void>; readonly second: Mock<() => void> };
  readonly names: { readonly key: string; readonly queue: string; readonly deadlines: string };
  /** By the server's clock: when the place of the second is forfeit. */
  deadline(): Promise<number>;
}> {
  const client = connect();
  const prefix = ownPrefix();
  const provider = providerOver(client, { prefix, waiterTtl: 3 * refresh });
  const claimOf = (kind: Claim['mode']): Claim => ({ key: 'job', owner: randomUUID(), mode: kind, ttl: 60_000 });
  expect(await provider.tryAcquire(claimOf('exclusive'))).toMatchObject({ granted: true });
  const [first, second] = [claimOf(mode), claimOf(mode)];
  const wakes = { first: vi.fn<() => void>(), second: vi.fn<() => void>() };
  // Once for the wake channel, which has all waiters look again, and once for the place.
  for (const _ of ['open', 'place']) {
    await provider.tryAcquire(first, wakes.first);
    await provider.tryAcquire(second, wakes.second);
    await sleep(50);
  }
  wakes.second.mockClear();
  const key = `${prefix}job`;
  const names = { key, queue: `{${key}}:queue`, deadlines: `{${key}}:deadlines` };
  const deadline = async (): Promise<number> => {
    const [, own] = await client.zrange(names.deadlines, '-1', '-1', 'WITHSCORES');
    return Number(own);
  };
  await sleep(0.9 * refresh);
  return { client, provider, first, wakes, names, deadline };
}

test.each(['exclusive', 'shared'] as const)(
  'a waiter that finds a lock free without a wake, %s, keeps the place of the others',
  async (mode) => {
    const { client, provider, first, wakes, names, deadline } = await meet(mode);
    const before = await deadline();
    // Expired: no waiter is told.
    await client.del(names.key);
    expect(await provider.tryAcquire(first, wakes.first)).toMatchObject({ granted: true });
    expect(await deadline()).toBeGreaterThanOrEqual(before + refresh / 2);
    expect(await client.pttl(names.queue)).toBeGreaterThan(2 * refresh);
  },
);

test.each(['exclusive', 'shared'] as const)(
  'a waiter without a place, %s, is told by the call that shows it',
  async (mode) => {
    const { client, provider, first, wakes, names } = await meet(mode);
    await client.del(names.queue, names.deadlines);
    expect(await provider.tryAcquire(first, wakes.first)).toMatchObject({ granted: false });
    await eventually('a wake', () => wakes.second.mock.calls.length > 0);
  },
);

test('a waiter that finds all of it gone, the holder too, gets the lock and tells the others', async () => {
  const { client, provider, first, wakes, names } = await meet('exclusive');
  await client.del(names.key, names.queue, names.deadlines);
  expect(await provider.tryAcquire(first, wakes.first)).toMatchObject({ granted: true });
  await eventually('a wake', () => wakes.second.mock.calls.length > 0);
});
