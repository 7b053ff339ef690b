import type { Claim, LockProvider } from '@locks/core';
import { isIdle, mustFree, mustGrant } from '../../checks/expect.ts';
import type { Requirement } from '../../requirement.ts';
import { sleepUntil } from '../../checks/time.ts';
import { modesOf, range, timed } from '../steps.ts';
import { whenTtlExpires } from '../when.ts';

/** Holds whose ttl ends while no call looks at their key. */
export const unseenRequirements: readonly Requirement[] = [
  {
    id: 'expiry-for-newcomers',
    level: 'provider',
    title: 'a newcomer that has not seen the holder before gets the key by one attempt once the ttl is over',
    appliesTo: whenTtlExpires,
    async check(context) {
      const gone = await context.create();
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
];

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
