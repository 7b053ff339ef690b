import assert from 'node:assert/strict';
import type { Claim, LockProvider } from '@locks/core';
import type { Context } from '../../context/context.ts';
import {
  isIdle,
  mustBeBusy,
  mustExceed,
  mustFree,
  mustFreeNothing,
  mustGrant,
  mustNotRenew,
  mustRenew,
} from '../../checks/expect.ts';
import type { Requirement } from '../../requirement.ts';
import { rules } from '../rules.ts';
import { certain, now, sleep, sleepUntil } from '../../checks/time.ts';
import { modesOf, mustBeFree, mustBeHeld, mustRestart, timed } from '../steps.ts';

/** Renew restarts the ttl of the holder that calls it, and of no other. */
export const renewalRequirements: readonly Requirement[] = rules({ level: 'provider', about: 'renewal' })({
  'renew-restarts-ttl': {
    title: 'renew restarts the ttl, exclusive or shared, and so does a repeat',
    when: ['ttl'],
    async check(context, one, two) {
      const whats = ['renewal', 'repeat'] as const;
      const checks = modesOf(context).flatMap((mode) =>
        whats.map((what) => restartsTtl(context, one, two, mode, what)),
      );
      await Promise.all(checks);
    },
  },
  'renew-only-own': {
    title: 'renew by an owner that does not hold the key returns false and changes nothing',
    async check(context, one, two) {
      const holder = await context.hold(one);
      for (const provider of [one, two]) {
        await mustNotRenew(
          provider,
          context.claim(holder.key),
          `by an owner that does not hold the key (${holder.owner} does)`,
        );
        await mustBeHeld(context, two, holder, 'after another owner called renew');
      }
      await mustRenew(one, holder, 'by the holder');
      await mustFree(one, holder, 'by the holder');
      await mustNotRenew(one, holder, 'after its release');
    },
  },
  'renew-own-share': {
    title: 'a sharer that renews, or repeats its claim, prolongs its own share and no other',
    when: ['ttl', 'shared'],
    async check(context, one, two) {
      const [renews, repeats] = ['that renews', 'that repeats its claim'] as const;
      await Promise.all([
        prolongsItsOwn(context, one, two, renews, (claim) => mustRenew(one, claim, `by the sharer ${renews}`)),
        prolongsItsOwn(context, one, two, repeats, (claim) => mustGrant(one, claim, `to the sharer ${repeats}`)),
      ]);
    },
  },
  'renew-does-not-take': {
    title: 'renew of a free key returns false and does not take it',
    async check(context, one, two) {
      const claim = context.claim();
      await mustNotRenew(one, claim, 'for a key that never had a holder');
      await context.state(two, claim.key, 'no holder after a renewal of a free key', isIdle);
      await mustFreeNothing(one, claim, 'after a renewal of a free key');
      await mustBeFree(context, two, claim.key, 'after a renewal of a free key');
    },
  },
  'renew-raises-token': {
    title:
      "renew with a token sets the lease's token, and later ones are higher; a lower one is refused, and without one nothing changes",
    when: ['fenced'],
    async check(context, one, two) {
      const claim = context.claim();
      const { token } = await mustGrant(one, claim, 'on a free key');
      await mustRenew(one, claim, 'without a token');
      await mustHaveToken(one, claim, token, 'after a renewal without a token');
      await mustRenew(one, claim, `with its own token ${token}`, token);
      // Far enough to be ahead of a counter that follows a clock in µs.
      const raised = token + 60_000_000n;
      await mustRenew(one, claim, `with a token above its own, ${token}`, raised);
      await mustHaveToken(one, claim, raised, `after it was raised to ${raised}`);
      await mustNotRenew(one, claim, `with a token below its own, ${raised}`, raised - 1n);
      await mustNotRenew(
        two,
        context.claim(claim.key),
        'with a token, by an owner that does not hold the key',
        raised + 9n,
      );
      await mustBeHeld(context, two, claim, 'after others tried to renew with a token');
      await mustFree(one, claim, 'by the holder');
      const next = context.claim(claim.key);
      const later = await mustGrant(two, next, 'after the release');
      mustExceed(later.token, raised, `because a lease before had its token raised from ${token}`);
      await mustFree(two, next, 'by the next holder');
    },
  },
  // A hold that ends earlier than planned.
  'renew-shortens': {
    title: 'a shorter ttl of a renewal or repeat ends the hold earlier, waiters are notified, and nothing is left',
    when: ['ttl'],
    async check(context, one, two) {
      const checks = modesOf(context).flatMap((mode) =>
        [renews, repeats].flatMap((shorten) =>
          [endsForWaiter, endsWithoutWaiter].map(async (ends) => {
            const claim = await context.hold(one, { mode });
            await ends(context, claim, () => shorten(one, { ...claim, ttl: context.ttl }), [one, two]);
          }),
        ),
      );
      await Promise.all(checks);
    },
  },
});

async function mustHaveToken(provider: LockProvider, claim: Claim, token: bigint, when: string): Promise<void> {
  const again = await mustGrant(provider, claim, 'for a repeat by the holder');
  assert.equal(again.token, token, `expected the lease to have the token ${token} ${when}, got ${again.token}`);
}

async function restartsTtl(
  context: Context,
  one: LockProvider,
  two: LockProvider,
  mode: Claim['mode'],
  what: 'renewal' | 'repeat',
): Promise<void> {
  const { ttl } = context;
  const claim = context.claim(context.key(), { ttl, mode });
  const held = await timed(() => mustGrant(one, claim, 'on a free key'));
  await sleepUntil(held.answeredAt + ttl / 2);
  const sentAt = now();
  const renewal =
    what === 'renewal' ? await one.renew(claim) : await mustGrant(one, claim, 'for a repeat in the middle of the ttl');
  const answeredAt = now();
  if (renewal === false) {
    // A machine that was busy for half a ttl proves nothing.
    const early = answeredAt - held.sentAt < certain(ttl);
    assert.ok(
      !early,
      `expected renew to succeed ${Math.round(answeredAt - held.sentAt)} ms into a ttl of ${ttl} ms, got false`,
    );
    return;
  }
  const { validity = ttl } = renewal;
  await mustRestart(context, two, claim, { what, sentAt, answeredAt, validity });
}

/**
 * Of two sharers one renews its share all the time, and the other has died: its permit must become
 * free.
 */
async function prolongsItsOwn(
  context: Context,
  one: LockProvider,
  two: LockProvider,
  which: string,
  prolong: (claim: Claim) => Promise<unknown>,
): Promise<void> {
  const { ttl, patience } = context;
  const shared = { mode: 'shared', permits: 2 } as const;
  const lives = context.claim(context.key(), shared);
  const [died, next] = [context.claim(lives.key, { ...shared, ttl }), context.claim(lives.key, shared)];
  await mustGrant(one, lives, 'for the first of two permits');
  await mustGrant(two, died, 'for the second of two permits');
  const deadline = now() + ttl + patience;
  for (let granted = false; !granted; await sleep(ttl / 20)) {
    await prolong(lives);
    granted = (await two.tryAcquire(next)).granted;
    const late = `expected the permit of a sharer that died to come back after its ttl of ${ttl} ms; beside a sharer ${which} it did not within ${Math.round(ttl + patience)} ms`;
    assert.ok(granted || now() < deadline, late);
  }
  await mustBeBusy(two, context.claim(lives.key, shared), `for a third share, beside the sharer ${which}`);
  await mustFree(one, lives, `by the sharer ${which}`);
  await mustFree(two, next, 'by the sharer that came');
}

type Shorten = (provider: LockProvider, claim: Claim) => Promise<unknown>;

const renews: Shorten = (provider, claim) => mustRenew(provider, claim, 'with a shorter ttl');
const repeats: Shorten = (provider, claim) => mustGrant(provider, claim, 'repeated with a shorter ttl');

/** What `shorten` does to a hold of the first provider. */
type Ends = (
  context: Context,
  claim: Claim,
  shorten: () => Promise<unknown>,
  providers: readonly [LockProvider, LockProvider],
) => Promise<void>;

const endsForWaiter: Ends = async (context, claim, shorten, [one, two]) => {
  const { ttl } = context;
  const waiting = await context.queue(two, context.claim(claim.key));
  const shortenedAt = now();
  await shorten();
  await context.granted(waiting, `for a waiter after the last ttl of ${ttl} ms`);
  const lasted = now() - shortenedAt;
  assert.ok(
    lasted >= certain(ttl),
    `expected the ${claim.mode} hold to last ${ttl} ms from then on, another owner was granted after ${Math.round(lasted)} ms`,
  );
  await mustNotRenew(one, claim, 'after the end of its last ttl');
  await waiting.release();
};

/** No later claim cleans up: what the hold had left until its first ttl would count as a leak. */
const endsWithoutWaiter: Ends = async (context, claim, shorten, [, two]) => {
  await shorten();
  await context.state(two, claim.key, `no holder after the last ttl of ${context.ttl} ms`, isIdle);
};
