import assert from 'node:assert/strict';
import type { Requirement } from '../../requirement.ts';
import { rules } from '../rules.ts';
import { inBackground, within } from '../../checks/time.ts';
import { mustBeHeld, range } from '../steps.ts';
import { createHarmed, giveBack, mustGetFree, mustKeep } from './locks-steps.ts';
import { answered, callLimit, createOther, warmUp } from './steps.ts';
import { isLockError } from '@locks/core';
import type { Lease } from '@locks/core';
import { isIdle, show } from '../../checks/expect.ts';

/** Users of `createLocks` do not notice that a connection was cut. */
export const locksSeverRequirements: readonly Requirement[] = rules({
  level: 'locks',
  about: 'connection',
  when: ['network'],
  needs: ['sever'],
})({
  'locks-sever-lease': {
    title: 'a lease is held across a cut: renewals continue, and no other owner is granted',
    async check(context) {
      const { provider, locks } = await createHarmed(context);
      const other = await createOther(context);
      const ttl = 4 * context.ttl;
      const lease = await locks.acquire(context.key(), { ttl });
      await context.faults.sever(provider);
      await mustKeep(context, lease, other, ttl / 2, 'after its connection was cut');
      await context.faults.sever(provider);
      await mustKeep(context, lease, other, 0.75 * ttl, 'after its connection was cut for the second time');
      await mustGetFree(context, lease, other, 'after two cuts');
    },
  },
  'locks-sever-release': {
    title: 'a release before, during or after a cut of the connection frees the key, if necessary in the background',
    async check(context) {
      const { provider, locks } = await createHarmed(context, { ttl: context.longTtl });
      const other = await createOther(context);
      await warmUp(context, provider, other);
      const leases = await Promise.all(range(3).map(() => locks.acquire(context.key())));
      const [before, meanwhile, after] = leases.map((lease) => async (when: string) => {
        await mustGetFree(context, lease, other, when);
      });
      const first = inBackground(before?.('just before its connection is cut') ?? Promise.resolve());
      const cut = context.faults.sever(provider);
      const second = inBackground(meanwhile?.('while its connection is cut') ?? Promise.resolve());
      await cut;
      await after?.('just after its connection was cut');
      await Promise.all([first, second]);
    },
  },
  // Users of `createLocks` do not notice that one reply was lost.
  'locks-dropped-reply': {
    title: 'acquire, renew and release survive a lost reply: the lease is held, and its key is free at the end',
    needs: ['dropReply'],
    async check(context) {
      const { provider, locks } = await createHarmed(context, { ttl: context.longTtl });
      const other = await createOther(context);
      await warmUp(context, provider, other);
      await context.faults.dropReply(provider);
      const limit = callLimit(context) + context.patience;
      const lease = await within(limit, locks.acquire(context.key()), 'acquire to resolve though a reply was lost');
      const claim = { key: lease.key, owner: lease.owner, mode: lease.mode, ttl: context.longTtl };
      await mustBeHeld(context, other, claim, 'after the reply of its attempt was lost');
      const { holders } = await other.inspect(lease.key);
      const [holder] = holders;
      const seen = holder?.owner === lease.owner && (holder.token === undefined || holder.token === lease.token);
      assert.ok(
        seen,
        `expected the store to know the lease ${lease.owner} with token ${lease.token}, got ${show(holders)}`,
      );
      await context.faults.dropReply(provider);
      const error = await lease.renew().then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      const borne = error === undefined || isLockError(error, 'LOCK_UNAVAILABLE');
      assert.ok(borne, `expected a renewal whose reply was lost to succeed or to be unknown, got ${show(error)}`);
      assert.ok(lease.held, 'expected the lease to be held after the reply of a renewal was lost');
      await answered(context, 'a renewal', () => lease.renew());
      await context.faults.dropReply(provider);
      await mustGetFree(context, lease, other, 'whose reply was lost');
    },
  },
  'locks-dropped-reply-of-try': {
    title: 'tryAcquire with a lost reply returns a lease or LOCK_UNAVAILABLE, never null, and what it took is released',
    needs: ['dropReply'],
    async check(context) {
      const { provider, locks } = await createHarmed(context, { ttl: context.longTtl });
      const other = await createOther(context);
      await warmUp(context, provider, other);
      const key = context.key();
      await context.faults.dropReply(provider);
      const outcome: Lease | null | Error = await within(
        callLimit(context),
        locks.tryAcquire(key).catch((error: unknown) => error as Error),
        'tryAcquire to settle',
      );
      if (outcome instanceof Error) {
        const unknown = isLockError(outcome, 'LOCK_UNAVAILABLE');
        assert.ok(unknown, `expected LOCK_UNAVAILABLE after a lost reply, got ${show(outcome)}`);
      } else {
        assert.ok(
          outcome !== null,
          'expected a lease or LOCK_UNAVAILABLE after a lost reply; null says that others hold it',
        );
        await giveBack(context, outcome);
      }
      await context.state(other, key, `the key to be free, long before the ttl of ${context.longTtl} ms`, isIdle);
    },
  },
});
