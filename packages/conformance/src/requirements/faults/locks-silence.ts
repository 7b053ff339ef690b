import assert from 'node:assert/strict';
import { isLockError } from '@locks/core';
import type { Context } from '../../context/context.ts';
import type { Direction } from '../../faults/faults.ts';
import { show } from '../../checks/expect.ts';
import type { Requirement } from '../../requirement.ts';
import { rules } from '../rules.ts';
import { inBackground, sleep, within } from '../../checks/time.ts';
import { mustBeFree, mustBeHeld, mustRise } from '../steps.ts';
import {
  acquireAtLast,
  createHarmed,
  giveBack,
  serveThrough,
  lossWithin,
  mustBeLost,
  mustGetAway,
} from './locks-steps.ts';
import { directions, nameOf } from './silence.ts';
import { callLimit, createOther, persistent, settled, warmUp } from './steps.ts';

/**
 * A silent backend delays no caller, and no owner assumes to hold a key that may have been granted
 * to another.
 */
export const locksSilenceRequirements: readonly Requirement[] = rules({
  level: 'locks',
  about: 'outage',
  when: ['network'],
  needs: ['silence'],
})({
  'locks-silence-loss': {
    title: 'a lease whose provider is silently cut off is reported lost before the store frees its key',
    async check(context) {
      await Promise.all(directions.map((direction) => loseInSilence(context, direction)));
    },
  },
  'locks-silence-callers': {
    title: 'a silent backend delays no caller: deadlines and signals end calls in time, and nothing is left afterwards',
    async check(context) {
      const other = await createOther(context);
      const checks = directions.map(async (direction) => {
        const harmed = await createHarmed(context);
        await warmUp(context, harmed.provider, other);
        const begin = (): Promise<() => Promise<void>> => context.faults.silence(harmed.provider, direction);
        await mustGetAway(context, harmed.locks, other, begin, `while its ${nameOf(direction)} are lost`);
      });
      await Promise.all(checks);
    },
  },
  'locks-silence-timeout': {
    title:
      'a wait that ends during a silence of the store reports that the store does not answer, not that others hold the key',
    async check(context) {
      const { ttl } = context;
      const { provider, locks } = await createHarmed(context);
      const other = await createOther(context);
      const holder = await context.hold(other, { ttl: 60_000 });
      await locks.inspect(holder.key);
      const wait = 2_000;
      const calls = (['acquire', 'tryAcquire'] as const).map((call) =>
        inBackground(settled(context, call, locks[call](holder.key, { ttl, wait }))),
      );
      await sleep(300);
      const end = await context.faults.silence(provider, 'both');
      for (const outcome of await Promise.all(calls)) {
        const error = 'error' in outcome ? outcome.error : undefined;
        const told = isLockError(error, 'LOCK_UNAVAILABLE') || isLockError(error, 'LOCK_LOST');
        assert.ok(told, `expected LOCK_UNAVAILABLE, as the store is silent; got ${show(outcome)}`);
      }
      await end();
      await other.release(holder);
    },
  },
  'locks-silence-place': {
    title: 'a waiter that gives up during a silence longer than its ttl leaves the queue soon after it',
    when: ['network', 'fair'],
    async check(context) {
      const { ttl } = context;
      const { provider, locks } = await createHarmed(context);
      const other = await createOther(context);
      const holder = await context.hold(other);
      const controller = new AbortController();
      const wait = inBackground(locks.acquire(holder.key, { ttl, signal: controller.signal }));
      await context.state(other, holder.key, 'a waiter in the queue', ({ waiters }) => waiters === 1);
      const end = await context.faults.silence(provider, 'both');
      controller.abort();
      await within(
        context.patience,
        wait.catch(() => {}),
        'an aborted wait to end',
      );
      await sleep(1.5 * ttl);
      await end();
      const what = 'no waiter once the silence is over in which the waiter gave up';
      await context.state(other, holder.key, what, ({ waiters }) => waiters === 0);
      await other.release(holder);
    },
  },
  // A frozen backend is not contention, and no owner assumes to hold a key that may be granted to
  // another afterwards.
  'locks-pause-callers': {
    title: 'a frozen backend is not contention and delays no caller; when it continues, nothing is left of the callers',
    needs: ['pause'],
    async check(context) {
      const { provider, locks } = await createHarmed(context);
      const other = await createOther(context);
      await warmUp(context, provider, other);
      await mustGetAway(context, locks, other, context.faults.pause, 'while the backend is frozen');
    },
  },
  'locks-pause-loss': {
    title: 'a lease is lost in time while the backend is frozen; when it continues, the next in the queue is granted',
    needs: ['pause'],
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
      await lossWithin(limit + context.patience, lease, 'while the backend is frozen');
      await thaw();
      const second = await within(callLimit(context) + limit, granted, 'the next owner to be granted after the freeze');
      mustRise(context, second.token, lease.token, 'for the next owner');
      await locks.close();
      const intruder = await other.tryAcquire(context.claim(lease.key));
      assert.equal(intruder.granted, false, 'expected the next owner to be left alone by what the first one sent late');
      await giveBack(context, second);
    },
  },
  'locks-pause-waiters': {
    title: 'waiters from before a freeze of the backend are granted afterwards, in order where the provider is fair',
    needs: ['pause'],
    check: (context) =>
      serveThrough(
        context,
        async () => {
          const thaw = await context.faults.pause();
          await sleep(context.ttl / 2);
          await thaw();
        },
        'after the backend stood still',
        context.traits.fair,
      ),
  },
});

/**
 * The whole life of a lease whose provider becomes silent: lost in time, and harmless afterwards.
 */
async function loseInSilence(context: Context, direction: Direction): Promise<void> {
  const { provider, locks } = await createHarmed(context);
  const other = await createOther(context);
  const when = `when its ${nameOf(direction)} are lost`;
  const lease = await acquireAtLast(context, locks, context.key(), { ttl: context.ttl });
  const next = context.wait(other, context.claim(lease.key));
  const end = await context.faults.silence(provider, direction);
  const limit = lease.remaining + callLimit(context);
  const grant = await within(limit, next.granted, `another owner to be granted ${when}`);
  mustBeLost(lease, `as soon as another owner is granted, ${when}`);
  mustRise(context, grant.token, lease.token, `for the next holder ${when}`);
  assert.equal(await lease.release(), false, `expected release of a lost lease to return false ${when}`);
  await end();
  await locks.close();
  await mustBeHeld(
    context,
    persistent(context, provider),
    next.claim,
    `after what was sent ${when} has arrived or is lost`,
  );
  await next.release();
  await mustBeFree(context, other, lease.key, 'on a free key');
}
