import assert from 'node:assert/strict';
import { mustExceed, mustGrant } from '../../checks/expect.ts';
import type { Requirement } from '../../requirement.ts';
import { rules } from '../rules.ts';
import { sleep, within } from '../../checks/time.ts';
import { range } from '../steps.ts';
import { whenRemote } from '../when.ts';
import {
  acquireAtLast,
  createHarmed,
  giveBack,
  lineUpLocks,
  lossWithin,
  mustBeLost,
  mustGetAway,
} from './locks-steps.ts';
import { callLimit, createOther, warmUp } from './steps.ts';

/**
 * A backend that stands still: it is not contention, and no owner believes to hold a key that it
 * may give away afterwards.
 */
export const locksPauseRequirements: readonly Requirement[] = rules({
  level: 'locks',
  about: 'outage',
  when: whenRemote,
  needs: ['pause'],
})({
  'locks-pause-callers': {
    title:
      'a backend that stands still is not contention and holds up no caller; when it goes on, nothing is left of the callers',
    async check(context) {
      const { provider, locks } = await createHarmed(context);
      const other = await createOther(context);
      await warmUp(context, provider, other);
      await mustGetAway(context, locks, other, context.faults.pause, 'while the backend stands still');
    },
  },
  'locks-pause-loss': {
    title: 'a lease is lost in time while the backend stands still; when it goes on, the next in line is granted',
    async check(context) {
      const [{ locks }, later] = [await createHarmed(context), await createHarmed(context)];
      const other = await createOther(context);
      const lease = await acquireAtLast(context, locks, context.key(), { ttl: context.ttl });
      const limit = lease.remaining;
      const thaw = await context.faults.pause();
      const next = later.locks.acquire(lease.key, { ttl: context.longTtl });
      const granted = next.then((second) => {
        mustBeLost(lease, 'as soon as another owner is granted, after the backend stood still');
        return second;
      });
      granted.catch(() => {});
      await lossWithin(limit + context.patience, lease, 'while the backend stands still');
      await thaw();
      const second = await within(
        callLimit(context) + limit,
        granted,
        'the next owner to be granted after the standstill',
      );
      if (context.traits.fencing !== 'none') mustExceed(second.token, lease.token, 'for the next owner');
      await locks.close();
      const intruder = await other.tryAcquire(context.claim(lease.key));
      assert.equal(intruder.granted, false, 'expected the next owner to be left alone by what the first one sent late');
      await giveBack(context, second);
    },
  },
  'locks-pause-waiters': {
    title: 'those who waited before the backend stood still are served afterwards, in order where the provider is fair',
    async check(context) {
      const [one, two] = [await createHarmed(context), await createHarmed(context)];
      const other = await createOther(context);
      for (const { provider } of [one, two]) await warmUp(context, provider, other);
      const holder = context.claim(context.key());
      await mustGrant(other, holder, 'on a free key');
      const { order, served } = await lineUpLocks(context, [one.locks, two.locks], other, holder.key, 6);
      const thaw = await context.faults.pause();
      await sleep(context.ttl / 2);
      await thaw();
      await other.release(holder);
      await within(callLimit(context) + context.patience, served, 'all six to be served after the standstill');
      const inLine = range(6);
      if (!context.traits.fair) return;
      assert.deepEqual(order, inLine, `expected the order of the line, ${inLine.join(' ')}; it was ${order.join(' ')}`);
    },
  },
});
