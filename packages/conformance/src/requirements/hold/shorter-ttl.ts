import assert from 'node:assert/strict';
import type { Claim, LockProvider } from '@locks/core';
import type { Context } from '../../context/context.ts';
import { isIdle, mustGrant, mustNotRenew, mustRenew } from '../../checks/expect.ts';
import type { Requirement } from '../../requirement.ts';
import { rules } from '../rules.ts';
import { certain, now } from '../../checks/time.ts';
import { modesOf } from '../steps.ts';
import { whenTtlExpires } from '../when.ts';

/** A hold that ends earlier than it was to. */
export const shorterTtlRequirements: readonly Requirement[] = rules({
  level: 'provider',
  about: 'renewal',
  when: whenTtlExpires,
})({
  'renew-shortens': {
    title: 'a shorter ttl of a renewal or repeat ends the hold earlier, the waiters hear of it, and nothing stays',
    async check(context, one, two) {
      const checks = modesOf(context).flatMap((mode) =>
        [renews, repeats].flatMap((shorten) =>
          [endsForWaiter, endsWithoutWaiter].map(async (ends) => {
            const claim = context.claim(context.key(), { mode });
            await mustGrant(one, claim, 'on a free key');
            await ends(context, claim, () => shorten(one, { ...claim, ttl: context.ttl }), [one, two]);
          }),
        ),
      );
      await Promise.all(checks);
    },
  },
});

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
  const waiting = context.wait(two, context.claim(claim.key));
  await waiting.inLine;
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

/** No later claim tidies up: what the hold had left until its first ttl would count as a leak. */
const endsWithoutWaiter: Ends = async (context, claim, shorten, [, two]) => {
  await shorten();
  await context.state(two, claim.key, `no holder after the last ttl of ${context.ttl} ms`, isIdle);
};
