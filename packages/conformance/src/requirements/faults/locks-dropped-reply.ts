import assert from 'node:assert/strict';
import { isLockError } from '@locks/core';
import type { Lease } from '@locks/core';
import { isIdle, show } from '../../checks/expect.ts';
import type { Requirement } from '../../requirement.ts';
import { rules } from '../rules.ts';
import { within } from '../../checks/time.ts';
import { mustBeHeld } from '../steps.ts';
import { whenRemote } from '../when.ts';
import { createHarmed, giveBack, mustGetFree } from './locks-steps.ts';
import { answered, callLimit, createOther, warmUp } from './steps.ts';

/** Users of `createLocks` do not notice that one reply was lost. */
export const locksDroppedReplyRequirements: readonly Requirement[] = rules({
  level: 'locks',
  about: 'connection',
  when: whenRemote,
  needs: ['dropReply'],
})({
  'locks-dropped-reply': {
    title: 'acquire, renew and release get over a lost reply: the lease is held, and its key is free at the end',
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
    title: 'tryAcquire whose reply was lost is a lease or LOCK_UNAVAILABLE, never null, and what it took is given back',
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
