import type { Claim, LockProvider } from '@locks/core';
import type { Context } from '../../context/context.ts';
import { isIdle, mustExceed, mustFree, mustFreeNothing, mustGrant, mustNotRenew } from '../../checks/expect.ts';
import type { Requirement } from '../../requirement.ts';
import { rules } from '../rules.ts';
import { sleepUntil } from '../../checks/time.ts';
import { modesOf, range, timed } from '../steps.ts';
import { whenStoreExpires, whenTtlExpires } from '../when.ts';

/** Holds whose ttl ends while no call looks at their key. */
export const unseenRequirements: readonly Requirement[] = rules({ level: 'provider', about: 'expiry' })({
  'expiry-for-newcomers': {
    title: 'a newcomer that has not seen the holder before gets the key by one attempt once the ttl is over',
    when: whenStoreExpires,
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
        await context.state(newcomer, key, 'no holder and no waiter', isIdle);
      });
      await Promise.all(checks);
    },
  },
  'expiry-unseen': {
    title: 'a hold that ended while no call looked at it cannot be renewed or freed; a repeat is a new grant',
    when: whenTtlExpires,
    async check(context, one, two) {
      const asked = modesOf(context).flatMap((mode) =>
        Object.values(calls).map((call) => ({ call, claim: context.claim(context.key(), { mode, ttl: context.ttl }) })),
      );
      const tokens = await endUnseen(
        one,
        asked.map(({ claim }) => claim),
      );
      const checks = asked.map(async ({ call, claim }, index) => {
        await call(one, claim, tokens[index] as bigint, context);
        await one.release(claim);
        const next = context.claim(claim.key);
        await mustGrant(two, next, 'after a call of an owner whose hold has ended');
        await mustFree(two, next, 'by the next holder');
        await context.state(one, claim.key, 'no holder and no waiter', isIdle);
      });
      await Promise.all(checks);
    },
  },
});

type OwnCall = (provider: LockProvider, claim: Claim, token: bigint, context: Context) => Promise<void>;

const when = 'for a hold that ended while no call looked at it';

/** What the owner of a hold that ended unseen may still call. */
const calls: Readonly<Record<'renew' | 'release' | 'repeat', OwnCall>> = {
  renew: (provider, claim) => mustNotRenew(provider, claim, when),
  release: (provider, claim) => mustFreeNothing(provider, claim, when),
  async repeat(provider, claim, token, { traits }) {
    const again = await mustGrant(provider, claim, `for a repeat by its owner, ${when}`);
    if (traits.fencing !== 'none') mustExceed(again.token, token, when);
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
