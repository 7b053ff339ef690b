import assert from 'node:assert/strict';
import { isLockError } from '@locks/core';
import type { Lease, LockProvider } from '@locks/core';
import type { Context } from '../../context/context.ts';
import { isIdle, mustReject, show } from '../../checks/expect.ts';
import type { Requirement } from '../../requirement.ts';
import { rules } from '../rules.ts';
import { now, sleep, sleepUntil, standstill, within } from '../../checks/time.ts';
import { aborted, acquireInTime, lossOf, untilConclusive } from './leasing.ts';
import { mustTellTheTruth, slowestCall } from '../../checks/truth.ts';

/** A lease is kept as long as it is wanted, and its loss is reported in time. */
export const lossRequirements: readonly Requirement[] = rules({ level: 'locks', about: 'loss' })({
  'locks-renewal': {
    title: 'a lease is renewed in the background: it is held for more than three ttls, and no other owner is granted',
    about: 'renewal',
    when: ['ttl'],
    check: (context) => untilConclusive(() => keepsOthersOut(context)),
  },
  'locks-loss-by-force': {
    title: 'a lease released by force is lost: renew rejects, its signal fires, withLock rejects with the result',
    async check(context) {
      const [locks, provider] = [await context.createLocks(), await context.create()];
      const key = context.key();
      let lost: Lease | undefined;
      const work = locks.withLock(
        key,
        async (lease) => {
          lost = lease;
          await releaseByForce(context, provider, key);
          await mustReject(lease.renew(), 'LOCK_LOST', 'for renew of a lease that was released by force');
          await lossOf(context, lease, 'after a renewal that returned false');
          assert.equal(lease.held, false, 'expected held to be false when the signal fires');
          return 'the result';
        },
        { ttl: context.longTtl },
      );
      const error = await mustReject(work, 'LOCK_LOST', 'for withLock whose lease was lost');
      assert.equal(
        error.result,
        'the result',
        `expected the error to carry the result of the work, got ${show(error.result)}`,
      );
      assert.equal(await lost?.release(), false, 'expected release of a lost lease to return false');
    },
  },
  'locks-loss-by-renewal': {
    title: 'a lease released by force is lost at its next renewal',
    async check(context) {
      const [locks, provider] = [await context.createLocks(), await context.create()];
      const key = context.key();
      const lease = await acquireInTime(context, locks, key, { ttl: context.ttl });
      const claim = { key, owner: lease.owner, mode: lease.mode, ttl: context.ttl };
      await provider.release(claim);
      await lossOf(context, lease, 'after a forced release');
      await context.state(provider, key, 'the key to stay free', isIdle);
    },
  },
  'locks-loss-before-expiry': {
    title: 'without renewal, the signal fires before the store frees the key: no other owner is granted before',
    when: ['ttl'],
    async check(context) {
      const [locks, other] = [await context.createLocks(), await context.create()];
      const key = context.key();
      const { ttl } = context;
      const lease = await acquireInTime(context, locks, key, { ttl, renew: false });
      const next = context.wait(other, context.claim(key));
      await context.granted(next, `for another owner after the ttl of ${ttl} ms`);
      const told = { held: lease.held, aborted: lease.signal.aborted, remaining: lease.remaining };
      const expected = { held: false, aborted: true, remaining: 0 };
      assert.deepEqual(
        told,
        expected,
        `expected the lease to have ended when another owner is granted, it reported ${show(told)}`,
      );
      const reason: unknown = lease.signal.reason;
      assert.ok(isLockError(reason, 'LOCK_LOST'), `expected the signal's reason to be LOCK_LOST, got ${show(reason)}`);
      assert.equal(await lease.release(), false, 'expected release of a lost lease to return false');
      const state = await other.inspect(key);
      assert.equal(
        state.holders[0]?.owner,
        next.claim.owner,
        `expected the release of a lost lease to leave the next holder alone, got ${show(state)}`,
      );
      await next.release();
    },
  },
  'locks-loss-signal': {
    title: 'the signal of a lease without renewal fires without a call, not much later than its ttl',
    async check(context) {
      const locks = await context.createLocks();
      const lease = await acquireInTime(context, locks, context.key(), { ttl: context.ttl, renew: false });
      const left = lease.remaining;
      const limit = left + context.patience;
      await within(limit, aborted(lease), `the signal of a lease with ${Math.round(left)} ms left to fire`);
      assert.ok(
        isLockError(lease.signal.reason, 'LOCK_LOST'),
        `expected the reason LOCK_LOST, got ${show(lease.signal.reason)}`,
      );
      assert.equal(lease.held, false, 'expected held to be false when the signal fires');
    },
  },
  'locks-max-hold': {
    title: 'a lease ends with maxHold, even if it is renewed, and its key becomes free',
    async check(context) {
      const [locks, provider] = [await context.createLocks(), await context.create()];
      const key = context.key();
      const lease = await locks.acquire(key, { ttl: context.longTtl, maxHold: context.ttl / 2 });
      await lossOf(context, lease, `at its maxHold of ${context.ttl / 2} ms`);
      await context.state(provider, key, `the key to be free, long before its ttl of ${context.longTtl} ms`, isIdle);
    },
  },
  // Short ttls, for which timers are coarse and machines are slow.
  'locks-short-ttl': {
    title: 'a lease with a short ttl is kept for many ttls by few renewals, and never reports more than is certain',
    about: 'renewal',
    when: ['ttl'],
    async check(context) {
      const ttls = [context.ttl / 8, context.ttl / 4, context.ttl / 2].map((ttl) => Math.max(50, Math.round(ttl)));
      await Promise.all(ttls.map((ttl) => untilConclusive(() => isKept(context, ttl))));
    },
  },
});

async function releaseByForce(context: Context, provider: LockProvider, key: string): Promise<void> {
  const { holders } = await context.state(provider, key, 'one holder', (state) => state.holders.length === 1);
  const [holder] = holders;
  assert.ok(holder !== undefined);
  const freed = await provider.release({ key, owner: holder.owner, mode: holder.mode, ttl: context.ttl });
  assert.equal(freed, true, `expected a forced release of ${holder.owner} to return true, got ${show(freed)}`);
}

/**
 * Whether it was kept, rather than lost because this process or the store was suspended between two
 * renewals.
 */
async function keepsOthersOut(context: Context): Promise<boolean> {
  const [locks, other] = [await context.createLocks(), await context.create()];
  const { ttl } = context;
  const key = context.key();
  const stood = standstill();
  const lease = await acquireInTime(context, locks, key, { ttl });
  stood();
  for (const until = now() + 3.5 * ttl; now() < until && lease.held; stood(ttl / 20)) {
    const intruder = context.claim(key);
    const answer = await other.tryAcquire(intruder);
    assert.ok(!answer.granted || !lease.held, 'expected no other owner to be granted while the lease is held');
    if (answer.granted) await other.release(intruder);
    await sleep(ttl / 20);
  }
  if (!lease.held && stood() > ttl / 4) return false;
  assert.ok(
    lease.held,
    `expected the lease to be held after 3.5 ttls of ${ttl} ms, it was lost: ${show(lease.signal.reason)}`,
  );
  const freed = await lease.release();
  if (!freed && stood() > ttl / 4) return false;
  assert.equal(freed, true, 'expected release to return true');
  return true;
}

/** Whether it was kept, rather than lost for good reasons. */
async function isKept(context: Context, ttl: number): Promise<boolean> {
  const { locks, interference } = await context.interfere();
  const lease = await acquireInTime(context, locks, context.key(), { ttl });
  // The process may have been suspended after the grant, too.
  const stood = standstill(interference.of('tryAcquire', lease.owner).at(-1)?.sentAt);
  const start = now();
  for (stood(); now() < start + 2 * context.ttl && !lease.signal.aborted; stood()) {
    mustTellTheTruth(lease, interference, `in a lease with a ttl of ${ttl} ms`);
    await sleepUntil(now() + ttl / 20);
  }
  const calls = interference.of('renew', lease.owner);
  const ttls = (now() - start) / ttl;
  const limit = Math.ceil(5 * ttls) + 2;
  assert.ok(
    calls.length <= limit,
    `expected at most ${limit} renewals in ${ttls.toFixed(1)} ttls of ${ttl} ms, ${calls.length} were sent`,
  );
  const { held } = lease;
  if (!held) {
    // Two thirds of the ttl are between a renewal and the end: half of them went to a slow call or
    // a slow process.
    const stall = Math.max(stood(), slowestCall(interference, lease.owner));
    const why = `expected a lease with a ttl of ${ttl} ms to be kept; it was lost though nothing took longer than ${Math.round(stall)} ms: ${show(lease.signal.reason)}`;
    assert.ok(stall >= ttl / 4, why);
  }
  await lease.release();
  return held;
}
