import assert from 'node:assert/strict';
import type { Claim, LockProvider } from '@locks/core';
import type { Context } from '../../context/context.ts';
import { isIdle, mustFree, mustFreeNothing, mustGrant, mustNotRenew } from '../../checks/expect.ts';
import type { Requirement } from '../../requirement.ts';
import { rules } from '../rules.ts';
import { certain, now, sleep, sleepUntil } from '../../checks/time.ts';
import { firstGrant, modesOf, mustBeFree, mustRise, range, timed } from '../steps.ts';

/** The ttl ends the hold of a dead holder: not earlier, and not much later. */
export const expiryRequirements: readonly Requirement[] = rules({ level: 'provider', about: 'expiry' })({
  'expiry-on-time': {
    title: 'a hold lasts for its ttl, exclusive or shared, and not much longer',
    when: ['ttl'],
    async check(context, one, two) {
      const { ttl } = context;
      const modes = modesOf(context);
      const claims = modes.flatMap((mode) => [ttl, Math.round(ttl * 1.5)].map((own) => ({ mode, ttl: own })));
      await Promise.all(claims.map((changes) => lastsItsTtl(context, one, two, context.claim(context.key(), changes))));
    },
  },
  'expiry-waiter-takes-over': {
    title: 'a waiter that heeds wake and retryAfter takes over when the holder has expired',
    when: ['ttl'],
    async check(context, one, two) {
      const holder = await context.hold(one, { ttl: context.ttl });
      const waiters = [context.wait(two, context.claim(holder.key)), context.wait(one, context.claim(holder.key))];
      const takeOver = waiters.map(async (waiting) => {
        await context.granted(waiting, `for a waiter after the holder's ttl of ${context.ttl} ms`);
        await waiting.release();
      });
      await Promise.all(takeOver);
      await context.idle(two, holder.key);
    },
  },
  'expiry-next-in-queue': {
    title: 'when the first in the queue gives up, the next one takes over when the holder has expired',
    when: ['ttl', 'fair'],
    async check(context, one, two) {
      const holder = await context.hold(one, { ttl: context.ttl });
      const first = await context.queue(one, context.claim(holder.key));
      const next = await context.queue(two, context.claim(holder.key));
      await first.abandon();
      await context.granted(next, `for the next in the queue after the holder's ttl of ${context.ttl} ms`);
      await next.release();
      await context.idle(two, holder.key);
    },
  },
  'validity-reported': {
    title: 'a provider whose sessions end holds reports how long grants and renewals are valid',
    when: ['session'],
    async check(context, provider) {
      const claim = context.claim();
      const { validity } = await mustGrant(provider, claim, 'on a free key');
      assert.ok(
        validity !== undefined && validity > 0,
        `expected a session provider to report the validity of a grant in ms, got ${validity}`,
      );
      const renewal = await mustRenewValidity(provider, claim);
      assert.ok(
        renewal !== undefined && renewal > 0,
        `expected a session provider to report the validity of a renewal in ms, got ${renewal}`,
      );
      await mustFree(provider, claim, 'by the holder');
    },
  },
  'validity-from-the-call': {
    title: 'the validity of a renewal counts from its call, although the process stood still right after it',
    when: ['session'],
    async check(context, provider) {
      const claim = context.claim();
      const granted = now() + ((await mustGrant(provider, claim, 'on a free key')).validity ?? 0);
      // After a while a provider may look whether its connection is over, before it sends.
      await sleep(200);
      const calledAt = now();
      const renewing = mustRenewValidity(provider, claim);
      while (now() < calledAt + 400);
      const renewed = calledAt + ((await renewing) ?? 0);
      const early = Math.round(granted - renewed);
      assert.ok(early < 100, `expected a renewal not to shorten what was granted, it ended ${early} ms earlier`);
      await mustFree(provider, claim, 'by the holder');
    },
  },
  // Holds whose ttl ends while no call looks at their key.
  'expiry-for-newcomers': {
    title: 'a newcomer that has not seen the holder before is granted the key by one attempt after the ttl',
    when: ['store-expires'],
    async check(context, gone) {
      const dead = modesOf(context).flatMap((mode) =>
        range(2).map(() => context.claim(context.key(), { mode, ttl: context.ttl })),
      );
      await endUnseen(gone, dead);
      const newcomer = await context.create();
      const checks = dead.map(async ({ key, mode }, index) => {
        const next = context.claim(key);
        const when = `for a newcomer, by one attempt after the ttl of the ${mode} hold`;
        await mustGrant(newcomer, next, when, index % 2 === 0 ? undefined : () => {});
        await mustFree(newcomer, next, 'by the newcomer');
        await context.idle(newcomer, key);
      });
      await Promise.all(checks);
    },
  },
  'expiry-ends-the-hold': {
    title:
      'an expired hold cannot be renewed or freed, even if no call has looked at it since; a repeat is a new grant',
    when: ['ttl'],
    async check(context, one, two) {
      const asked = modesOf(context).flatMap((mode) =>
        Object.values(calls).flatMap((call) =>
          [false, true].map((seen) => ({
            call,
            seen,
            claim: context.claim(context.key(), { mode, ttl: context.ttl }),
          })),
        ),
      );
      const tokens = await endUnseen(
        one,
        asked.map(({ claim }) => claim),
      );
      const checks = asked.map(async ({ call, seen, claim }, index) => {
        if (seen) await context.state(two, claim.key, 'no holder after the ttl', isIdle);
        await call(one, claim, tokens[index] as bigint, context);
        await one.release(claim);
        await mustBeFree(context, two, claim.key, 'after a call of an owner whose hold has ended');
        await context.idle(one, claim.key);
      });
      await Promise.all(checks);
    },
  },
});

async function lastsItsTtl(context: Context, one: LockProvider, two: LockProvider, claim: Claim): Promise<void> {
  const held = await timed(() => mustGrant(one, claim, 'on a free key'));
  const promised = held.grant.validity ?? claim.ttl;
  const next = context.claim(claim.key);
  const taken = await firstGrant(context, two, next, held.answeredAt + claim.ttl + context.patience);
  const late = `expected the ${claim.mode} hold to end after its ttl of ${claim.ttl} ms; after ${Math.round(now() - held.sentAt)} ms it had not`;
  assert.ok(taken !== undefined, late);
  const lasted = taken.answeredAt - held.sentAt;
  assert.ok(
    lasted >= certain(promised),
    `expected the ${claim.mode} hold to last ${promised} ms, another owner was granted after ${Math.round(lasted)} ms`,
  );
  mustRise(context, taken.grant.token, held.grant.token, 'for a grant after an expiry');
  await mustFree(two, next, 'by the next holder');
}

async function mustRenewValidity(provider: LockProvider, claim: Claim): Promise<number | undefined> {
  const renewal = await provider.renew(claim);
  return renewal === false ? undefined : renewal.validity;
}

type OwnCall = (provider: LockProvider, claim: Claim, token: bigint, context: Context) => Promise<void>;

const when = 'for a hold that has ended';

/** What the owner of a hold that has ended may still call. */
const calls: Readonly<Record<'renew' | 'release' | 'repeat', OwnCall>> = {
  renew: (provider, claim) => mustNotRenew(provider, claim, when),
  release: (provider, claim) => mustFreeNothing(provider, claim, when),
  async repeat(provider, claim, token, context) {
    const again = await mustGrant(provider, claim, `for a repeat by its owner, ${when}`);
    mustRise(context, again.token, token, when);
  },
};

/** Takes the keys of `claims`, and makes no call until half a ttl after the end of each hold. */
async function endUnseen(provider: LockProvider, claims: readonly Claim[]): Promise<readonly bigint[]> {
  const taken = claims.map(async (claim) => {
    const { grant, answeredAt } = await timed(() => mustGrant(provider, claim, 'on a free key'));
    return { token: grant.token, end: answeredAt + 1.5 * Math.max(claim.ttl, grant.hold ?? grant.validity ?? 0) };
  });
  const held = await Promise.all(taken);
  await sleepUntil(Math.max(...held.map(({ end }) => end)));
  return held.map(({ token }) => token);
}
