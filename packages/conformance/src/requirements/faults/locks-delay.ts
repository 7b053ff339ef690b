import assert from 'node:assert/strict';
import { mustReject } from '../../checks/expect.ts';
import type { Requirement } from '../../requirement.ts';
import { rules } from '../rules.ts';
import { within } from '../../checks/time.ts';
import { range } from '../steps.ts';
import { acquireAtLast, createHarmed, enqueueLocks, mustBeLost, mustGetFree, mustKeep } from './locks-steps.ts';
import { answered, callLimit, createOther, warmUp } from './steps.ts';

/** Late replies: their validity counts from the send. */
export const locksDelayRequirements: readonly Requirement[] = rules({
  level: 'locks',
  about: 'outage',
  needs: ['delay'],
})({
  'locks-delay-validity': {
    title:
      'the remaining time of a lease with late replies counts from the send, and ends before the store frees the key',
    when: ['network', 'ttl'],
    async check(context) {
      const { provider, locks } = await createHarmed(context);
      const other = await createOther(context);
      await warmUp(context, provider, other);
      const [delay, ttl] = [Math.ceil(context.ttl / 2), 3 * context.ttl];
      await context.faults.delay(provider, delay);
      const lease = await acquireAtLast(context, locks, context.key(), { ttl, renew: false });
      const mustRemain = (left: number, after: string): void => {
        const seen = `it was ${Math.round(left)} ms`;
        const most = ttl - delay;
        assert.ok(
          left <= most,
          `expected at most ${most} ms to remain after ${after} with a ttl of ${ttl} ms that was answered after ${delay} ms; ${seen}`,
        );
      };
      mustRemain(lease.remaining, 'an attempt');
      // The next grant may be a ttl away; a suspended machine may lose the lease meanwhile.
      await lease.renew().then(
        () => mustRemain(lease.remaining, 'a renewal'),
        () => {},
      );
      const next = context.wait(other, context.claim(lease.key));
      await context.granted(next, `for another owner after the ttl of ${ttl} ms`);
      mustBeLost(lease, 'as soon as another owner is granted');
      await next.release();
    },
  },
  'locks-delay-late-grant': {
    title: 'a grant that arrives after its validity is released: the caller gets an error, and the key becomes free',
    when: ['network', 'ttl'],
    async check(context) {
      const { provider, locks } = await createHarmed(context);
      const other = await createOther(context);
      await warmUp(context, provider, other);
      const delay = Math.ceil(1.25 * context.ttl);
      const keys = [context.key(), context.key()] as const;
      await context.faults.delay(provider, delay);
      const when = `for a ttl of ${context.ttl} ms when each reply takes ${delay} ms`;
      await Promise.all([
        mustReject(locks.tryAcquire(keys[0], { ttl: context.ttl }), 'LOCK_UNAVAILABLE', when),
        mustReject(locks.acquire(keys[1], { ttl: context.ttl, wait: 3 * delay }), 'LOCK_UNAVAILABLE', when),
      ]);
      for (const key of keys) {
        // An attempt in progress may take the key once more, and release it.
        const next = context.wait(other, context.claim(key));
        await context.granted(next, 'after a grant that came too late');
        await other.release(next.claim);
        await context.idle(other, key, 'at the end');
      }
    },
  },
  'locks-delay-waiting': {
    title: 'waiters with a slow connection are granted too, in order where the provider is fair',
    when: ['network'],
    async check(context) {
      const [slow, fast] = [await createHarmed(context), await createHarmed(context)];
      const other = await createOther(context);
      for (const { provider } of [slow, fast]) await warmUp(context, provider, other);
      const holder = await context.hold(other);
      await context.faults.delay(slow.provider, Math.ceil(context.ttl / 4));
      const { order, served } = await enqueueLocks(context, [slow.locks, fast.locks], other, holder.key, 4);
      await other.release(holder);
      await within(callLimit(context) + context.patience, served, 'all four to be served');
      if (!context.traits.fair) return;
      const seen = order.join(' ');
      assert.deepEqual(order, range(4), `expected the order of the queue, 0 1 2 3; it was ${seen}`);
    },
  },
  'locks-delay-renewal': {
    title: 'renewals keep a lease whose ttl is several delays long',
    when: ['network'],
    async check(context) {
      const { provider, locks } = await createHarmed(context);
      const other = await createOther(context);
      await warmUp(context, provider, other);
      const ttl = 4 * context.ttl;
      const end = await context.faults.delay(provider, Math.ceil(context.ttl / 2));
      const lease = await acquireAtLast(context, locks, context.key(), { ttl });
      await mustKeep(
        context,
        lease,
        other,
        1.25 * ttl,
        `with a ttl of ${ttl} ms when each reply takes an eighth of it`,
      );
      await end();
      if (lease.held) await answered(context, 'a renewal', () => lease.renew());
      await mustGetFree(context, lease, other, 'when replies are fast again');
    },
  },
});
