import { setTimeout as sleep } from 'node:timers/promises';
import { createLocks } from '@locks/core';
import type { Claim, LockProvider } from '@locks/core';
import type { Redis } from 'ioredis';
import { expect } from 'vitest';
import { eventually } from '../../support/redis.ts';

/** A provider whose calls may travel together, and the store as it is. */
export interface Setting {
  readonly provider: LockProvider;
  /** Another process, with the same keys. */
  readonly other: LockProvider;
  readonly client: Redis;
  readonly prefix: string;
}

let owners = 0;

export function claimOf(key: string, owner = `me/${(owners += 1)}`): Claim {
  return { key, owner, ttl: 20_000, mode: 'exclusive' };
}

async function holderOf({ other }: Setting, key: string): Promise<string | undefined> {
  return (await other.inspect(key)).holders[0]?.owner;
}

/** A claim of the other process, in the queue on `key`. */
async function waitFor({ other }: Setting, key: string): Promise<{ granted(): Promise<boolean> }> {
  const locks = createLocks(other);
  const granted = locks.withLock(key, () => true).catch(() => false);
  await eventually('the waiter', async () => (await other.inspect(key)).waiters === 1);
  // Behind the look that the waiter takes once it hears its channel.
  await other.inspect(key);
  return { granted: () => Promise.race([granted, sleep(1_000, false)]) };
}

const keys = ['a', 'b', 'c', 'd'];

/** What must hold for calls that travel together. */
export const checks = {
  async 'a key gets its own token'({ provider, client, prefix }: Setting) {
    const ahead = Date.now() * 1_000 + 60_000_000;
    for (const [index, key] of keys.entries()) {
      await client.set(`{${prefix}${key}}:token`, `${ahead + index * 1_000_000}`, 'PX', 60_000);
    }
    const grants = await Promise.all(keys.map((key) => provider.tryAcquire(claimOf(key))));
    expect(grants).toEqual(
      keys.map((_key, index) => ({ granted: true, token: BigInt(ahead + index * 1_000_000 + 1) })),
    );
  },

  async 'an error of one key does not touch the attempts on others'(setting: Setting) {
    const { provider, client, prefix } = setting;
    await client.rpush(`{${prefix}b}:token`, 'no counter');
    const claims = keys.map((key) => claimOf(key));
    const answers = await Promise.allSettled(claims.map((claim) => provider.tryAcquire(claim)));
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    expect(answers[1]).toMatchObject({ reason: { code: 'LOCK_UNAVAILABLE' } });
    for (const claim of claims.filter(({ key }) => key !== 'b')) {
      expect(await holderOf(setting, claim.key)).toBe(claim.owner);
    }
  },

  async 'an error of one key does not touch the releases of others'(setting: Setting) {
    const { provider, client, prefix } = setting;
    const claims = keys.map((key) => claimOf(key));
    for (const claim of claims) await provider.tryAcquire(claim);
    await client.del(`${prefix}b`);
    await client.rpush(`${prefix}b`, 'no holder');
    expect(await Promise.all(claims.map((claim) => provider.release(claim)))).toEqual([true, false, true, true]);
  },

  async 'a key that is held or awaited is not taken'(setting: Setting) {
    const { provider, other, client, prefix } = setting;
    const holders = ['a', 'b'].map((key) => claimOf(key));
    for (const holder of holders) await other.tryAcquire(holder);
    const waiter = await waitFor(setting, 'b');
    // Its holder goes without telling.
    await client.del(`${prefix}b`);
    const answers = await Promise.all(keys.map((key) => provider.tryAcquire(claimOf(key))));
    expect(answers.map(({ granted }) => granted)).toEqual([false, false, true, true]);
    expect(await holderOf(setting, 'a')).toBe(holders[0]?.owner);
    expect(await waiter.granted()).toBe(true);
  },

  async 'a release frees what its own claim holds'(setting: Setting) {
    const { provider, other } = setting;
    const claims = keys.map((key) => claimOf(key));
    for (const claim of claims) await (claim.key === 'b' ? other : provider).tryAcquire(claim);
    const released = claims.map((claim) => provider.release(claim.key === 'b' ? claimOf('b') : claim));
    expect(await Promise.all(released)).toEqual([true, false, true, true]);
    const left = await Promise.all(keys.map((key) => holderOf(setting, key)));
    expect(left).toEqual([undefined, claims[1]?.owner, undefined, undefined]);
  },

  async 'a release tells the waiter'(setting: Setting) {
    const { provider } = setting;
    const claims = keys.map((key) => claimOf(key));
    for (const claim of claims) await provider.tryAcquire(claim);
    const waiter = await waitFor(setting, 'b');
    expect(await Promise.all(claims.map((claim) => provider.release(claim)))).toEqual([true, true, true, true]);
    // Without a message it would look in a third of `waiterTtl`.
    expect(await waiter.granted()).toBe(true);
  },

  async 'a renewal restarts the ttl of what its own claim holds'(setting: Setting) {
    const { provider, other, client, prefix } = setting;
    const claims = keys.map((key) => ({ ...claimOf(key), ttl: 10_000 }));
    for (const claim of claims) await (claim.key === 'b' ? other : provider).tryAcquire(claim);
    const longer = claims.map((claim) => ({ ...(claim.key === 'b' ? claimOf('b') : claim), ttl: 50_000 }));
    const renewed = await Promise.all(longer.map((claim) => provider.renew(claim)));
    expect(renewed).toEqual([{}, false, {}, {}]);
    const left = await Promise.all(keys.map((key) => client.pttl(prefix + key)));
    expect(left.map((ms) => ms > 10_000)).toEqual([true, false, true, true]);
  },

  async 'a renewal keeps the counter'({ provider, client, prefix }: Setting) {
    // Of leases that last so long, each renewal restarts the retention.
    const claims = keys.map((key) => ({ ...claimOf(key), ttl: 600_000 }));
    for (const claim of claims) await provider.tryAcquire(claim);
    for (const key of keys) await client.pexpire(`{${prefix}${key}}:token`, 1_000);
    await Promise.all(claims.map((claim) => provider.renew(claim)));
    for (const key of keys) expect(await client.pttl(`{${prefix}${key}}:token`)).toBeGreaterThan(1_000_000);
  },
} satisfies Record<string, (setting: Setting) => Promise<void>>;

/** The name of a check. */
export type Check = keyof typeof checks;
