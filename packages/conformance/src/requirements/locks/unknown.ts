import assert from 'node:assert/strict';
import type { LockProvider } from '@locks/core';
import type { Context } from '../../context/context.ts';
import { isIdle, mustReject, show } from '../../checks/expect.ts';
import { misconfigured, refused, replyLost } from '../../checks/interference.ts';
import type { Fate } from '../../checks/interference.ts';
import type { Requirement } from '../../requirement.ts';
import { rules } from '../rules.ts';
import { now, sleepUntil, standstill, within } from '../../checks/time.ts';
import { mustTellTheTruth, slowestCall } from '../../checks/truth.ts';
import { acquireInTime, untilConclusive } from './leasing.ts';
import { mustBeFree } from '../steps.ts';

/** A rejection means unknown: not lost, not busy, and not without effect. */
export const unknownRequirements: readonly Requirement[] = rules({ level: 'locks', about: 'outage' })({
  'locks-unknown-renewal': {
    title: 'rejected or refused renewals leave the lease held while its validity lasts, and a later one keeps it',
    when: ['ttl'],
    check: async (context) => {
      const fates = [refused, replyLost, misconfigured];
      const checks = fates.map((fate) => untilConclusive(() => survivesRejections(context, fate)));
      await Promise.all(checks);
    },
  },
  'locks-unknown-renewal-by-hand': {
    title: 'renew rejects with LOCK_UNAVAILABLE and the cause when the answer is unknown, and the lease stays held',
    async check(context) {
      const { locks, interference } = await context.interfere();
      const lease = await locks.acquire(context.key(), { ttl: context.longTtl });
      for (const fate of [refused, replyLost]) {
        interference.rule('renew', () => fate);
        const error = await mustReject(lease.renew(), 'LOCK_UNAVAILABLE', 'for a renewal whose answer was lost');
        assert.ok(error.cause instanceof Error, `expected the error underneath as cause, got ${show(error.cause)}`);
        assert.ok(lease.held, 'expected the lease to be held after a renewal of which nothing is known');
        assert.equal(lease.signal.aborted, false, 'expected no loss to be reported when nothing is known');
      }
      interference.calm();
      await lease.renew();
      assert.equal(await lease.release(), true, 'expected release to return true');
    },
  },
  'locks-renewal-pace': {
    title: 'while renewals are rejected, a lease retries them with growing pauses, and never reports a loss too early',
    about: 'renewal',
    when: ['ttl'],
    async check(context) {
      const { locks, interference } = await context.interfere();
      const ttl = 2 * context.ttl;
      const lease = await acquireInTime(context, locks, context.key(), { ttl });
      interference.rule('renew', () => refused);
      const start = now();
      while (!lease.signal.aborted && now() < start + ttl + context.patience) {
        mustTellTheTruth(lease, interference, 'while renewals are rejected');
        await sleepUntil(now() + 10);
      }
      assert.ok(lease.signal.aborted, `expected the lease to be lost after ${ttl} ms without a renewal`);
      mustTellTheTruth(lease, interference, 'after its validity ended without a renewal');
      const sent = interference.of('renew', lease.owner);
      assert.ok(
        sent.length <= 12,
        `expected at most 12 renewals within one ttl of ${ttl} ms, ${sent.length} were sent`,
      );
    },
  },
  'locks-repeats-its-claim': {
    title: 'an attempt with a lost reply is repeated and finds itself the holder: one lease, one hold, its token',
    async check(context) {
      const { locks, interference } = await context.interfere();
      const provider = await context.create();
      const key = context.key();
      interference.rule('tryAcquire', ({ index }) => (index < 2 ? replyLost : undefined));
      const lease = await locks.acquire(key, { ttl: context.longTtl });
      const owners = new Set(interference.of('tryAcquire').map(({ claim }) => claim.owner));
      assert.deepEqual([...owners], [lease.owner], 'expected every repeat to be the same claim');
      const { holders } = await context.state(provider, key, 'one holder', (state) => state.holders.length === 1);
      assert.equal(
        holders[0]?.owner,
        lease.owner,
        `expected the store to know the lease's owner, got ${show(holders)}`,
      );
      const { token } = holders[0] ?? {};
      if (token !== undefined) assert.equal(lease.token, token, 'expected the lease to have the token of the store');
      assert.equal(await lease.release(), true, 'expected release to return true');
      await context.idle(provider, key, 'after release');
    },
  },
  'locks-unknown-attempt-given-up': {
    title: 'a rejected and abandoned attempt leaves nothing, whether it took effect before, later or never',
    async check(context, provider) {
      const later: Fate = { applied: context.ttl / 2, reply: 'error' };
      // With sessions, a release that returns false is conclusive: an attempt before it has no
      // effect later.
      const fates = context.traits.expiry === 'session' ? [refused, replyLost] : [refused, replyLost, later];
      const checks = fates.map(async (fate) => {
        const { locks, interference } = await context.interfere();
        const key = context.key();
        interference.rule('tryAcquire', () => fate);
        const attempt = locks.tryAcquire(key, { ttl: context.longTtl });
        await mustReject(attempt, 'LOCK_UNAVAILABLE', 'for an attempt of which nothing is known');
        if (fate !== refused) {
          const reached = 'the attempt to reach the store';
          await context.eventually(reached, () => interference.of('tryAcquire')[0]?.appliedAt, Boolean);
        }
        const what = `the key to be free long before its ttl of ${context.longTtl} ms, though the attempt may have taken it`;
        await context.state(provider, key, what, isIdle);
        await mustStayFree(context, provider, key);
      });
      await Promise.all(checks);
    },
  },
  'locks-outage-is-not-contention': {
    title: 'a backend that rejects everything is LOCK_UNAVAILABLE with its error as cause: not null, not LOCK_TIMEOUT',
    async check(context) {
      const { locks, interference } = await context.interfere();
      const { ttl, patience } = context;
      interference.rule('tryAcquire', () => refused);
      const start = now();
      const calls = [
        locks.tryAcquire(context.key(), { ttl }),
        locks.acquire(context.key(), { ttl: context.longTtl, wait: ttl }),
        locks.withLock(context.key(), () => 'work', { ttl }),
      ];
      const rejected = calls.map(async (call) => {
        const error = await mustReject(call, 'LOCK_UNAVAILABLE', 'when every attempt is rejected');
        assert.ok(error.cause instanceof Error, `expected the backend's error as cause, got ${show(error.cause)}`);
      });
      await within(ttl + patience, Promise.all(rejected), 'the calls to end, after a wait or a ttl of rejections');
      const limit = 20 + (now() - start) / 50;
      const sent = interference.of('tryAcquire').length;
      assert.ok(sent <= limit, `expected pauses between rejected attempts, ${sent} were made in ${now() - start} ms`);
    },
  },
});

/**
 * Whether this process was not suspended during the retries: then losing the lease would be right.
 */
async function survivesRejections(context: Context, fate: Fate): Promise<boolean> {
  const { locks, interference } = await context.interfere();
  const ttl = 2 * context.ttl;
  const lease = await acquireInTime(context, locks, context.key(), { ttl });
  const stood = standstill();
  const firstEnd = now() + lease.remaining;
  interference.rule('renew', ({ index }) => (index < 3 ? fate : undefined));
  for (const stop = firstEnd + context.ttl; now() < stop; stood()) {
    mustTellTheTruth(lease, interference, 'while and after renewals were rejected');
    await sleepUntil(now() + 10);
  }
  const stall = Math.max(stood(), slowestCall(interference, lease.owner));
  if (!lease.held && stall > ttl / 8) return false;
  const sent = interference.of('renew', lease.owner).length;
  assert.ok(
    lease.held && sent > 3,
    `expected three rejected renewals to be repeated and the lease to be kept; ${sent} were sent, held is ${lease.held}`,
  );
  return true;
}

/** Late requests must not take what was certainly released. */
async function mustStayFree(context: Context, provider: LockProvider, key: string): Promise<void> {
  await mustBeFree(context, provider, key, 'at once after what was unknown was given up');
}
