import { setTimeout as sleep } from 'node:timers/promises';
import { createLocks } from '@locks/core';
import type { Claim, LockProvider } from '@locks/core';
import type { Redis } from 'ioredis';
import { expect, vi } from 'vitest';
import { claimOf, companions, enqueue } from '../../support/queue.ts';
import { eventually } from '../../support/redis.ts';

/** A process that waits, and one that holds and releases. */
export interface Setting {
  readonly waiting: LockProvider;
  readonly holding: LockProvider;
  /** How long places last, in ms. */
  readonly waiterTtl: number;
  readonly client: Redis;
  readonly prefix: string;
  /** Ends a process as a crash does: its connections close, and it sends nothing. */
  kill(provider: LockProvider): void;
}

/** A claim in the queue behind a holder, and what its process hears. */
async function enqueueBehind({ waiting, holding }: Setting, claim: Claim = claimOf()): Promise<Waiter> {
  const holder = claimOf({ key: claim.key });
  const held = await holding.tryAcquire(holder);
  const wake = vi.fn<() => void>();
  await enqueue(waiting, claim);
  const before = performance.now();
  expect(await waiting.tryAcquire(claim, wake)).toMatchObject({ granted: false });
  const after = performance.now();
  return { claim, holder, token: held.granted ? held.token : 0n, wake, before, after };
}

interface Waiter {
  readonly claim: Claim;
  readonly holder: Claim;
  /** That of the holder. */
  readonly token: bigint;
  readonly wake: () => void;
  /** Its last attempt was sent after the one, and before the other. */
  readonly before: number;
  readonly after: number;
}

/** The holder releases, and the waiter hears of it. */
async function transfer({ holding }: Setting, { holder, wake }: Waiter): Promise<void> {
  expect(await holding.release(holder)).toBe(true);
  await eventually('the message', async () => vi.mocked(wake).mock.calls.length > 0);
}

/** What must hold for a key that a release assigns to the head of the queue. */
export const checks = {
  async 'a lease counts from the last attempt of its claim'(setting: Setting) {
    const waiter = await enqueueBehind(setting);
    await sleep(setting.waiterTtl / 4);
    await transfer(setting, waiter);
    const grant = await setting.waiting.tryAcquire(waiter.claim, waiter.wake);
    const now = performance.now();
    expect(grant).toMatchObject({ granted: true, validity: expect.any(Number) });
    const validity = grant.granted ? (grant.validity ?? 0) : 0;
    expect(validity).toBeLessThanOrEqual(setting.waiterTtl - (now - waiter.after) + 1);
    expect(validity).toBeGreaterThan(setting.waiterTtl / 2);
  },

  async 'a key gives its own token, above that of the holder'(setting: Setting) {
    const { waiting, holding, client, prefix } = setting;
    const ahead = BigInt(Date.now()) * 1_000n + 60_000_000n;
    const waiters: Waiter[] = [];
    for (const [index, key] of ['a', 'b', 'c'].entries()) {
      await client.set(`{${prefix}${key}}:token`, `${ahead + BigInt(index) * 1_000_000n}`, 'PX', 60_000);
      waiters.push(await enqueueBehind(setting, claimOf({ key })));
    }
    await Promise.all(waiters.map(({ holder }) => holding.release(holder)));
    for (const [index, { claim, wake, token }] of waiters.entries()) {
      expect(token).toBe(ahead + BigInt(index) * 1_000_000n + 1n);
      await eventually('the message', async () => vi.mocked(wake).mock.calls.length > 0);
      expect(await waiting.tryAcquire(claim, wake)).toMatchObject({ granted: true, token: token + 1n });
    }
  },

  async 'an assignment to a waiter that has gone ends with its place'(setting: Setting) {
    const { holding, waiterTtl } = setting;
    const { holder, after } = await enqueueBehind(setting);
    expect(await holding.release(holder)).toBe(true);
    // The process of the waiter lives, so the message arrives, but its claim does not come.
    const locks = createLocks(holding);
    const lease = await locks.acquire('job', { wait: 15_000 });
    expect(performance.now() - after).toBeLessThan(waiterTtl * 1.7);
    await lease.release();
  },

  async 'a process that has gone is passed over, and keeps nothing'(setting: Setting) {
    const { waiting, holding } = setting;
    const { holder } = await enqueueBehind(setting);
    setting.kill(waiting);
    await eventually('the end of its connection', async () => {
      const channels = (await setting.client.pubsub('CHANNELS', `*${setting.prefix}*`)) as string[];
      return channels.length === 0;
    });
    expect(await holding.release(holder)).toBe(true);
    expect(await holding.tryAcquire(claimOf())).toMatchObject({ granted: true });
  },

  async 'a waiter that gives up at that moment leaves a free key'(setting: Setting) {
    const { waiting, holding } = setting;
    const waiter = await enqueueBehind(setting);
    await transfer(setting, waiter);
    // It was never granted what it frees.
    expect(await waiting.release(waiter.claim)).toBe(false);
    expect((await holding.inspect('job')).holders).toEqual([]);
    expect(await holding.tryAcquire(claimOf())).toMatchObject({ granted: true });
  },

  async 'a repeat gives the hold its whole ttl'(setting: Setting) {
    const { waiting, client, prefix } = setting;
    const waiter = await enqueueBehind(setting);
    await transfer(setting, waiter);
    expect(await client.pttl(`${prefix}job`)).toBeLessThanOrEqual(setting.waiterTtl);
    const grant = await waiting.tryAcquire(waiter.claim, waiter.wake);
    expect(await waiting.tryAcquire(waiter.claim)).toEqual({ granted: true, token: grant.granted && grant.token });
    expect(await client.pttl(`${prefix}job`)).toBeGreaterThan(setting.waiterTtl);
  },

  async 'a lost message costs a look, and no place'(setting: Setting) {
    const { waiting, holding, client, prefix } = setting;
    const { claim, holder, token } = await enqueueBehind(setting);
    await enqueue(waiting, claimOf());
    expect(await holding.release(holder)).toBe(true);
    // As the next look does, in a process that heard nothing.
    const grant = await holding.tryAcquire(claim);
    expect(grant).toEqual({ granted: true, token: expect.any(BigInt) });
    expect(grant.granted && grant.token > token).toBe(true);
    expect(await client.pttl(`${prefix}job`)).toBeGreaterThan(setting.waiterTtl);
  },

  async 'a waiter without terms is told its turn'(setting: Setting) {
    const { waiting, holding, client, prefix } = setting;
    const waiter = await enqueueBehind(setting);
    // A client of an older release writes none.
    expect(await client.del(`{${prefix}job}:terms`)).toBe(1);
    await transfer(setting, waiter);
    expect((await holding.inspect('job')).holders).toEqual([]);
    expect(await waiting.tryAcquire(waiter.claim, waiter.wake)).toEqual({ granted: true, token: expect.any(BigInt) });
  },

  async 'nothing is left when the queue is empty'(setting: Setting) {
    const { waiting, holding, client, prefix } = setting;
    const waiter = await enqueueBehind(setting);
    expect(await client.pttl(companions(prefix).queue)).toBeGreaterThan(0);
    expect(await client.pttl(`{${prefix}job}:terms`)).toBeGreaterThan(0);
    await transfer(setting, waiter);
    await waiting.tryAcquire(waiter.claim, waiter.wake);
    expect(await waiting.release(waiter.claim)).toBe(true);
    expect(await client.keys(`*${prefix}*`)).toEqual([`{${prefix}job}:token`]);
    expect((await holding.inspect('job')).waiters).toBe(0);
  },
} satisfies Readonly<Record<string, (setting: Setting) => Promise<void>>>;

export type Check = keyof typeof checks;
