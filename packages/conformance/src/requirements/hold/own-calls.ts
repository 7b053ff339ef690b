import assert from 'node:assert/strict';
import type { LockProvider } from '@locks/core';
import type { Context } from '../../context/context.ts';
import { isIdle, mustBeBusy, mustFree, mustGrant, mustRenew } from '../../checks/expect.ts';
import type { Requirement } from '../../requirement.ts';
import { rules } from '../rules.ts';
import { inBackground, turn } from '../../checks/time.ts';
import { modesOf, mustBeHeld, range } from '../steps.ts';

/**
 * Calls of one claim that are under way at once. A call that was given up may still be, when core
 * repeats it, and a renewal may be, when the holder releases.
 */
export const ownCallsRequirements: readonly Requirement[] = rules({ level: 'provider', about: 'repeat' })({
  'own-attempts-at-once': {
    title: 'attempts of one claim at once are not busy for each other: they share one token, and one place in line',
    async check(context, one, two) {
      await Promise.all(range(5).map(() => attemptsAtOnce(context, one, two)));
    },
  },
  'own-renewals-at-once': {
    title: 'renewals and repeats of one holder at once all find its hold',
    async check(context, one, two) {
      const rounds = modesOf(context).flatMap((mode) => range(3).map((late) => ({ mode, late })));
      const checks = rounds.map(async ({ mode, late }) => {
        const claim = context.claim(context.key(), { mode });
        const { token } = await mustGrant(one, claim, 'on a free key');
        const when = 'by the holder, while other calls of it are under way';
        const calls = range(5).map(async (index) => {
          for (let turns = index * late; turns > 0; turns -= 1) await turn();
          if (index % 2 === 0) return void (await mustRenew(one, claim, when));
          const again = await mustGrant(one, claim, `for a repeat ${when}`);
          mustBeSame(context, again.token, token);
        });
        await Promise.all(calls);
        await mustBeHeld(context, two, claim, 'after its renewals and repeats');
        await mustFree(one, claim, 'by the holder');
      });
      await Promise.all(checks);
    },
  },
  'own-release-at-once': {
    title: 'a release frees the hold and answers true, though renewals of its owner are under way',
    async check(context, one, two) {
      const rounds = modesOf(context).flatMap((mode) => range(6).map((late) => ({ mode, late })));
      const checks = rounds.map(async ({ mode, late }) => {
        const claim = context.claim(context.key(), { mode });
        await mustGrant(one, claim, 'on a free key');
        const next = context.wait(two, context.claim(claim.key));
        await next.inLine;
        const renewals = inBackground(Promise.all(range(2).map(() => one.renew(claim))));
        for (let turns = late; turns > 0; turns -= 1) await turn();
        await mustFree(one, claim, 'by the holder, while its renewals are under way');
        await renewals;
        await context.granted(next, 'for a waiter, after the release of a holder that was renewing');
        await next.release();
        await context.state(one, claim.key, 'no holder and no waiter, whatever the renewals answered', isIdle);
      });
      await Promise.all(checks);
    },
  },
});

async function attemptsAtOnce(context: Context, one: LockProvider, two: LockProvider): Promise<void> {
  const claim = context.claim(context.key());
  const waiter = context.claim(claim.key);
  const attempts = range(3).map((index) =>
    mustGrant(one, claim, 'on a free key, while others of it are under way', index % 2 === 0 ? undefined : () => {}),
  );
  const [first, ...others] = await Promise.all(attempts);
  for (const { token } of others) mustBeSame(context, token, first?.token);
  await mustBeHeld(context, two, claim, 'after its attempts');
  await Promise.all(range(3).map(() => mustBeBusy(two, waiter, 'while another owner holds the key', () => {})));
  if (context.traits.fair)
    await context.state(one, claim.key, 'one waiter, after its attempts at once', ({ waiters }) => waiters === 1);
  await mustFree(one, claim, 'once, however many attempts there were');
  await mustGrant(two, waiter, 'for the only one in line');
  await mustFree(two, waiter, 'by the holder');
  await context.state(one, claim.key, 'no holder and no waiter', isIdle);
}

function mustBeSame({ traits }: Context, token: bigint, first: bigint | undefined): void {
  if (traits.fencing === 'none') return;
  assert.equal(token, first, `expected attempts of one claim at once to have one token, got ${token} and ${first}`);
}
