import assert from 'node:assert/strict';
import type { Lease } from '@locks/core';
import type { Context } from '../../context/context.ts';
import { mustReject } from '../../checks/expect.ts';
import type { Call, Interference } from '../../checks/interference.ts';
import type { Requirement } from '../../requirement.ts';
import { rules } from '../rules.ts';
import { certain, inBackground, now, sleepUntil, turn, within } from '../../checks/time.ts';
import { mustTellTheTruth } from '../../checks/truth.ts';
import { aborted, acquireInTime, untilConclusive } from './leasing.ts';

const lateness = 60;

/** Late answers, and a process that checks late. */
export const lateRequirements: readonly Requirement[] = rules({
  level: 'locks',
  about: 'outage',
  when: ['ttl'],
})({
  'locks-validity-from-send': {
    title: 'validity counts from before the send, of attempts and of renewals, less a margin for drift',
    when: [],
    async check(context) {
      const { locks, interference } = await context.interfere();
      for (const operation of ['tryAcquire', 'renew'] as const)
        interference.rule(operation, () => ({ late: lateness }));
      const lease = await locks.acquire(context.key(), { ttl: context.longTtl });
      mustCountFromSend(lease, lastOf(interference.of('tryAcquire')), 'after an attempt');
      await lease.renew();
      mustCountFromSend(lease, lastOf(interference.of('renew')), 'after a renewal');
      assert.equal(await lease.release(), true, 'expected release to return true');
    },
  },
  'locks-late-grant': {
    title:
      'a grant that has expired when it arrives is released: the caller gets LOCK_UNAVAILABLE, the next one the key',
    async check(context) {
      const { ttl, patience } = context;
      const provider = await context.create();
      const waits = [{}, { wait: ttl / 2 }, { wait: ttl + patience }];
      const checks = waits.map(async (options, index) => {
        const { locks, interference } = await context.interfere();
        const key = context.key();
        // It reaches the store late, so that the store still holds the key for it when core gets
        // the answer.
        interference.rule('tryAcquire', (call) => (call.index === 0 ? { applied: ttl } : undefined));
        const call = index === 0 ? locks.tryAcquire(key, { ttl }) : locks.acquire(key, { ttl, ...options });
        const lease = await call.catch(() => undefined);
        if (index < 2) await mustReject(call, 'LOCK_UNAVAILABLE', 'for a grant that came when it was over');
        assert.ok(lease !== null, 'expected a late grant not to be taken for contention');
        if (lease !== undefined)
          mustTellTheTruth(lease, interference, 'in a lease that was granted after a late grant');
        const [late] = interference.of('tryAcquire') as [Call];
        await context.eventually(
          'the late grant to be released',
          () =>
            interference
              .of('release', late.claim.owner)
              .filter((release) => release.sentAt >= (late.appliedAt ?? Infinity)),
          (sent) => sent.length > 0,
        );
        await lease?.release();
        await context.idle(provider, key);
      });
      await Promise.all(checks);
    },
  },
  'locks-late-renewal': {
    title: 'a renewal that succeeds after the validity does not revive the lease, and its key becomes free',
    check: (context) => untilConclusive(() => mustNotRevive(context)),
  },
  'locks-blocked-loop': {
    title:
      'after the event loop was blocked for longer than the ttl, a lease is lost at the first check, and not renewed',
    about: 'loss',
    async check(context) {
      const { locks, interference } = await context.interfere();
      const ttl = Math.max(50, Math.round(context.ttl / 4));
      const [looked, ignored] = [
        await acquireInTime(context, locks, context.key(), { ttl }),
        await acquireInTime(context, locks, context.key(), { ttl }),
      ];
      let told = ignored.signal.aborted;
      ignored.signal.addEventListener('abort', () => (told = true));
      const sent = interference.of('renew').length;
      for (const until = now() + ttl + 10; now() < until;);
      const first = { held: looked.held, remaining: looked.remaining, aborted: looked.signal.aborted };
      const expected = { held: false, remaining: 0, aborted: true };
      assert.deepEqual(
        first,
        expected,
        'expected a lease to be lost at the first look after the event loop was blocked',
      );
      await mustReject(looked.renew(), 'LOCK_LOST', 'for renew after the event loop was blocked');
      await context.eventually('the signal of a lease that was not looked at to fire', () => told, Boolean);
      mustBeLost(ignored);
      await sleepUntil(now() + ttl);
      const late = interference.of('renew').length - sent;
      assert.equal(late, 0, `expected no renewal of leases whose validity was over, ${late} were sent`);
      for (const lease of [looked, ignored]) {
        const freed = await lease.release();
        assert.equal(freed, false, `expected release of a lost lease to return false, got ${freed}`);
        mustBeLost(lease);
      }
    },
  },
});

/**
 * Whether the renewal was confirmed after the validity that it was meant to prolong, and before
 * that which it would have given.
 */
async function mustNotRevive(context: Context): Promise<boolean> {
  const { locks, interference } = await context.interfere();
  const provider = await context.create();
  const { ttl } = context;
  const key = context.key();
  interference.rule('renew', () => ({ late: 0.75 * ttl }));
  const lease = await acquireInTime(context, locks, key, { ttl, renew: false });
  await sleepUntil(now() + lease.remaining / 2);
  const renewal = inBackground(lease.renew());
  const limit = lease.remaining + context.patience;
  await within(limit, aborted(lease), 'the signal to fire though a renewal is in flight');
  assert.equal(lease.held, false, 'expected held to be false when the signal fires');
  await mustReject(renewal, 'LOCK_LOST', 'for a renewal that was confirmed after the validity had ended');
  for (const when of ['after a late renewal', 'a turn after a late renewal']) {
    assert.equal(lease.held, false, `expected a lost lease not to come back ${when}`);
    assert.equal(lease.remaining, 0, `expected nothing to remain of a lost lease ${when}`);
    await turn();
  }
  const [late] = interference.of('renew', lease.owner);
  await context.eventually('the lost lease to be released', () => interference.of('release', lease.owner).length > 0);
  await context.idle(provider, key);
  return late?.answeredAt !== undefined && late.answeredAt < late.sentAt + certain(ttl);
}

function mustBeLost(lease: Lease): void {
  assert.equal(lease.held, false, 'expected a lost lease to stay lost');
}

function lastOf(calls: ReturnType<Interference['of']>): Call {
  return calls.at(-1) as Call;
}

function mustCountFromSend(lease: Lease, { answer, claim }: Call, when: string): void {
  const { remaining } = lease;
  const validity = (answer as { readonly validity?: number }).validity ?? claim.ttl;
  const most = certain(validity) - lateness;
  assert.ok(
    remaining <= most,
    `expected at most ${most} ms of ${validity} ms to remain ${when} that took ${lateness} ms, got ${remaining}`,
  );
}
