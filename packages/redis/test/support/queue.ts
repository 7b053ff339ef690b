import { randomUUID } from 'node:crypto';
import type { Claim, LockProvider, Locks } from '@locks/core';
import { expect } from 'vitest';
import type { RedisOptions } from '../../src/index.ts';
import { locksOver, providerOver } from './over.ts';
import { connect, eventually } from './redis.ts';

export const modes = ['exclusive', 'shared'] as const;

/** Locks of another process, which meet the others under `prefix`. */
export function locksOf(prefix: string, options: RedisOptions = {}): Locks {
  return locksOver(connect(), { ...options, prefix });
}

/** A provider of another process. */
export function providerOf(prefix: string, options: RedisOptions = {}): LockProvider {
  return providerOver(connect(), { ...options, prefix });
}

/** A claim on the key `job`. */
export function claimOf(changes: Partial<Claim> = {}): Claim {
  return { key: 'job', owner: `claim/${randomUUID()}`, mode: 'exclusive', ttl: 60_000, ...changes };
}

/**
 * Takes a position in the queue for `claim`; that takes more than one attempt until the wake
 * channel is open.
 */
export async function enqueue(provider: LockProvider, claim: Claim): Promise<void> {
  const { waiters } = await provider.inspect(claim.key);
  await eventually('a position in the queue', async () => {
    expect(await provider.tryAcquire(claim, () => {})).toMatchObject({ granted: false });
    return (await provider.inspect(claim.key)).waiters > waiters;
  });
}

/** Waits until so many wait for `key`. */
export async function inQueue(locks: Locks, count: number, key = 'job'): Promise<void> {
  await eventually(`${count} in the queue`, async () => (await locks.inspect(key)).waiters === count);
}

/**
 * Starts `count` waiters for `job`, one after the other, and tells the order in which they were
 * served.
 */
export async function queueUp(
  locks: Locks,
  count: number,
): Promise<{ readonly order: number[]; readonly all: Promise<unknown> }> {
  const order: number[] = [];
  const all: Promise<unknown>[] = [];
  for (let index = 0; index < count; index += 1) {
    all.push(locks.withLock('job', () => order.push(index)));
    await inQueue(locks, index + 1);
  }
  return { order, all: Promise.all(all) };
}

/** What goes with the key `job` in the store. */
export function companions(prefix: string): Record<'token' | 'queue' | 'deadlines', string> {
  const name = (part: string): string => `{${prefix}job}:${part}`;
  return { token: name('token'), queue: name('queue'), deadlines: name('deadlines') };
}
