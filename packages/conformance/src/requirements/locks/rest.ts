import assert from 'node:assert/strict';
import type { Lease, Locks } from '@locks/core';
import type { Context } from '../../context/context.ts';
import { isIdle, mustReject } from '../../checks/expect.ts';
import { certain, inBackground, now, within } from '../../checks/time.ts';
import type { Requirement } from '../../requirement.ts';
import { rules } from '../rules.ts';
import { whenSession, whenTtlExpires } from '../when.ts';
import { acquireInTime } from './leasing.ts';

/** Keys that stay closed for a while after their lease. */
export const restRequirements: readonly Requirement[] = rules({
  level: 'locks',
  about: 'object',
  when: whenTtlExpires,
})({
  'locks-at-least': {
    title: 'with atLeast a key stays closed for that long, though its lease was released',
    async check(context) {
      const [one, two] = [await context.createLocks(), await context.createLocks()] as const;
      const atLeast = 4 * context.ttl;
      const since = now();
      const lease = await acquireInTime(context, one, context.key(), { ttl: context.longTtl, atLeast });
      const [waiting] = await taken(context, two, lease);
      assert.equal(await lease.release(), true, 'expected release to answer true');
      const next = await rested(context, waiting, since, atLeast);
      assert.equal(await next.release(), true, 'expected release to answer true');
      await context.state(await context.create(), lease.key, 'no holder and no waiter at the end', isIdle);
    },
  },
  'locks-lock-delay': {
    title: 'with lockDelay a key rests after a lease that was lost, and not after a release',
    async check(context) {
      const [one, two] = [await context.createLocks(), await context.createLocks()] as const;
      const { longTtl, ttl } = context;
      const released = await acquireInTime(context, one, context.key(), { ttl: longTtl, lockDelay: longTtl });
      const [after] = await taken(context, two, released);
      assert.equal(await released.release(), true, 'expected release to answer true');
      await (await within(context.patience, after, 'the key after a release')).release();
      const lockDelay = 4 * ttl;
      const lost = await acquireInTime(context, one, released.key, { ttl: longTtl, lockDelay, maxHold: ttl });
      // Before the next provider is made: that may take longer than the lease.
      const since = now() + lost.remaining;
      const [waiting] = await taken(context, two, lost);
      await (await rested(context, waiting, since, lockDelay)).release();
    },
  },
  'locks-rest-session': {
    title: 'where holds end with a session, atLeast and lockDelay are refused, naming the trait',
    when: whenSession,
    async check(context) {
      const locks = await context.createLocks();
      for (const option of ['atLeast', 'lockDelay'] as const) {
        const taking = locks.acquire(context.key(), { [option]: 1_000 });
        await mustReject(taking, 'LOCK_INVALID', `for option "${option}"`);
        await taking.catch((error: unknown) => assert.match(String(error), /expiry/));
      }
    },
  },
});

/** A waiter for the key of `lease`. In an array, as it is a promise. */
async function taken(context: Context, locks: Locks, lease: Lease): Promise<readonly [Promise<Lease>]> {
  const waiting = inBackground(locks.acquire(lease.key, { ttl: context.longTtl }));
  const provider = await context.create();
  await context.state(provider, lease.key, 'a waiter', ({ waiters }) => waiters === 1 || !context.traits.fair);
  return [waiting];
}

/** The next lease, which must not come earlier than `rest` ms after `since`, and not much later. */
async function rested(context: Context, waiting: Promise<Lease>, since: number, rest: number): Promise<Lease> {
  const next = await within(rest + context.patience, waiting, `the key after its rest of ${rest} ms`);
  const after = now() - since;
  const early = `expected the key to rest for ${rest} ms, another lease was granted after ${Math.round(after)} ms`;
  assert.ok(after >= certain(rest), early);
  return next;
}
