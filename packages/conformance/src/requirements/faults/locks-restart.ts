import assert from 'node:assert/strict';
import { isLockError } from '@locks/core';
import type { Lease } from '@locks/core';
import type { Context } from '../../context/context.ts';
import { mustExceed, mustGrant, show } from '../../checks/expect.ts';
import type { Requirement } from '../../requirement.ts';
import { rules } from '../rules.ts';
import { now, sleep, within } from '../../checks/time.ts';
import { createHarmed, giveBack, lossWithin, mustBeLost, serveThrough } from './locks-steps.ts';
import { answered, callLimit, createOther, mustStayIdle } from './steps.ts';
import { mustRise } from '../steps.ts';

/** Leases and users of `withLock` outlive a restart, or are notified. */
export const locksRestartRequirements: readonly Requirement[] = rules({
  level: 'locks',
  about: 'restart',
  when: ['network'],
  needs: ['restart'],
})({
  'locks-restart-lease': {
    title: 'a lease is held through a restart and excludes others, or is lost: there are never two holders',
    async check(context) {
      const { locks } = await createHarmed(context);
      const other = await createOther(context);
      const lease = await locks.acquire(context.key(), { ttl: 4 * context.ttl });
      await context.faults.restart();
      const intruder = context.claim(lease.key);
      for (const until = now() + lease.remaining + 2 * context.ttl; lease.held && now() < until;) {
        const answer = await other.tryAcquire(intruder);
        if (!answer.granted) {
          await sleep(context.ttl / 20);
          continue;
        }
        mustBeLost(lease, 'as soon as another owner is granted, after a restart');
        mustRise(context, answer.token, lease.token, 'for the next owner');
      }
      if (lease.held) await answered(context, 'a renewal after a restart', () => lease.renew());
      else mustBeLost(lease, 'after a restart that it did not outlive');
      await giveBack(context, lease);
      await other.release(intruder);
      await mustStayIdle(context, other, [lease.key], 'after the lease was released or lost', callLimit(context));
    },
  },
  'locks-restart-waiters': {
    title: 'all users of withLock who waited before a restart are granted afterwards',
    check: (context) => serveThrough(context, context.faults.restart, 'after a restart'),
  },
  'locks-empty-restart-loss': {
    title: 'a holder learns at its next renewal that the store lost everything',
    needs: ['restartEmpty'],
    async check(context) {
      const { locks } = await createHarmed(context);
      const when = 'after a restart without data';
      const [renewed, asked] = [
        await locks.acquire(context.key(), { ttl: 4 * context.ttl }),
        await locks.acquire(context.key(), { ttl: context.longTtl }),
      ];
      await context.faults.restartEmpty();
      await mustLearn(context, asked, when);
      await lossWithin(renewed.remaining + context.patience, renewed, `without a call ${when}`);
      const other = await createOther(context);
      for (const lease of [asked, renewed]) {
        const next = context.claim(lease.key);
        const { token } = await mustGrant(other, next, `on the key of a lease that was lost ${when}`);
        if (context.traits.fencing === 'clock-bounded') mustExceed(token, lease.token, `for the next owner ${when}`);
        await other.release(next);
      }
    },
  },
  'locks-empty-restart-waiters': {
    title: 'all users of withLock who waited for a store that lost everything are granted',
    needs: ['restartEmpty'],
    check: (context) => serveThrough(context, context.faults.restartEmpty, 'after a restart without data'),
  },
});

async function mustLearn(context: Context, lease: Lease, when: string): Promise<void> {
  const limit = now() + context.patience;
  for (;;) {
    const outcome = await within(
      callLimit(context),
      lease.renew().then(
        () => undefined,
        (error: unknown) => error,
      ),
      'renew to settle',
    );
    if (isLockError(outcome, 'LOCK_LOST')) break;
    // A session may be valid for a while, without a connection.
    const isKnown = outcome === undefined && context.traits.expiry === 'session';
    const unknown = (isKnown || isLockError(outcome, 'LOCK_UNAVAILABLE')) && now() < limit;
    assert.ok(unknown, `expected renew to reject with LOCK_LOST ${when}, got ${show(outcome)}`);
    await sleep(20);
  }
  mustBeLost(lease, `when a renewal has reported it ${when}`);
}
