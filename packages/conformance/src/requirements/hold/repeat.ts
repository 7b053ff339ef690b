import assert from 'node:assert/strict';
import type { Claim, LockProvider } from '@locks/core';
import type { Context } from '../../context/context.ts';
import { mustBeBusy, mustFree, mustGrant, mustRenew } from '../../checks/expect.ts';
import type { Requirement } from '../../requirement.ts';
import { rules } from '../rules.ts';
import { inBackground, turn } from '../../checks/time.ts';
import { modesOf, mustBeFree, mustBeHeld, mustBeSame, range } from '../steps.ts';

/** Law 2: a claim whose reply was lost is sent again and finds itself the holder. */
export const repeatRequirements: readonly Requirement[] = rules({ level: 'provider', about: 'repeat' })({
  'repeat-same-token': {
    title: 'a repeat by the holder is granted with the same token, and is no second hold',
    async check(context, one, two) {
      const claim = context.claim();
      await repeatSame(context, one, claim);
      await mustBeHeld(context, two, claim, 'after it repeated its claim');
      await mustFree(one, claim, 'once, however often the claim was repeated');
      await mustBeFree(context, two, claim.key, 'after one release, because a repeat is no second hold');
    },
  },
  'repeat-shared': {
    title: 'a repeat by a sharer is granted with the same token and takes no second permit',
    when: ['shared'],
    async check(context, one, two) {
      const shared = { mode: 'shared', permits: 2 } as const;
      const first = context.claim(context.key(), shared);
      await repeatSame(context, one, first);
      const [second, third] = [context.claim(first.key, shared), context.claim(first.key, shared)];
      await mustGrant(two, second, 'for the second of two permits, because repeats of the first take none');
      await mustBeBusy(one, third, 'when both permits are taken');
      await mustFree(one, first, 'once, however often the claim was repeated');
      await mustGrant(one, third, 'for the permit that was given back');
      await mustFree(two, second, 'by a sharer');
      await mustFree(one, third, 'by a sharer');
      await context.idle(two, first.key);
    },
  },
  'repeat-keeps-token-below-floor': {
    title: 'a repeat by the holder is granted with the same token, even if that is below a new floor',
    when: ['fenced'],
    async check(context, provider) {
      const modes = modesOf(context);
      const checks = modes.map(async (mode) => {
        const claim = context.claim(context.key(), { mode });
        const { token } = await mustGrant(provider, claim, 'on a free key');
        const higher = { ...claim, floor: token + 1_000_000n };
        for (const wake of [undefined, () => {}]) {
          const again = await mustGrant(provider, higher, 'for a repeat by the holder with a higher floor', wake);
          const message = `expected a repeat to answer the token of the hold, ${token}, whatever its floor, got ${again.token}`;
          assert.equal(again.token, token, message);
        }
        await mustRenew(provider, claim, 'with the token that it was granted', token);
        await mustFree(provider, claim, 'by the holder');
      });
      await Promise.all(checks);
    },
  },
  // Simultaneous calls of one claim. An abandoned call may be in progress when core repeats it, and
  // a renewal when the holder releases.
  'own-attempts-at-once': {
    title:
      'simultaneous attempts of one claim are not busy for each other: they share one token, and one position in the queue',
    async check(context, one, two) {
      await Promise.all(range(5).map(() => attemptsAtOnce(context, one, two)));
    },
  },
  'own-renewals-at-once': {
    title: 'simultaneous renewals and repeats of one holder all find its hold',
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
          mustBeSame(context, again.token, token, 'for a repeat at once with others');
        });
        await Promise.all(calls);
        await mustBeHeld(context, two, claim, 'after its renewals and repeats');
        await mustFree(one, claim, 'by the holder');
      });
      await Promise.all(checks);
    },
  },
  'own-release-at-once': {
    title: 'a release frees the hold and returns true, although renewals of its owner are in progress',
    async check(context, one, two) {
      const rounds = modesOf(context).flatMap((mode) => range(6).map((late) => ({ mode, late })));
      const checks = rounds.map(async ({ mode, late }) => {
        const claim = await context.hold(one, { mode });
        const next = await context.queue(two, context.claim(claim.key));
        const renewals = inBackground(Promise.all(range(2).map(() => one.renew(claim))));
        for (let turns = late; turns > 0; turns -= 1) await turn();
        await mustFree(one, claim, 'by the holder, while its renewals are under way');
        await renewals;
        await context.granted(next, 'for a waiter, after the release of a holder that was renewing');
        await next.release();
        await context.idle(one, claim.key, ' whatever the renewals answered');
      });
      await Promise.all(checks);
    },
  },
});

async function repeatSame(context: Context, provider: LockProvider, claim: Claim): Promise<void> {
  const { token } = await mustGrant(provider, claim, 'on a free key');
  for (const round of range(3)) {
    const again = await mustGrant(provider, claim, `for repeat ${round + 1} of a claim that holds the key`);
    mustBeSame(context, again.token, token, 'for a repeat by the holder');
  }
}

async function attemptsAtOnce(context: Context, one: LockProvider, two: LockProvider): Promise<void> {
  const claim = context.claim();
  const waiter = context.claim(claim.key);
  const attempts = range(3).map((index) =>
    mustGrant(one, claim, 'on a free key, while others of it are under way', index % 2 === 0 ? undefined : () => {}),
  );
  const [first, ...others] = await Promise.all(attempts);
  for (const { token } of others) mustBeSame(context, token, first?.token ?? 0n, 'for each attempt at once');
  await mustBeHeld(context, two, claim, 'after its attempts');
  await Promise.all(range(3).map(() => mustBeBusy(two, waiter, 'while another owner holds the key', () => {})));
  if (context.traits.fair)
    await context.state(one, claim.key, 'one waiter, after its attempts at once', ({ waiters }) => waiters === 1);
  await mustFree(one, claim, 'once, however many attempts there were');
  await mustGrant(two, waiter, 'for the only one in the queue');
  await mustFree(two, waiter, 'by the holder');
  await context.idle(one, claim.key);
}
