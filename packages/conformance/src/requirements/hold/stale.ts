import type { Claim, LockProvider } from '@locks/core';
import type { Context } from '../../context/context.ts';
import { mustBeBusy, mustExceed, mustFree, mustFreeNothing, mustGrant, mustNotRenew } from '../../checks/expect.ts';
import type { Requirement } from '../../requirement.ts';
import { rules } from '../rules.ts';
import { mustBeHeld } from '../steps.ts';
import { whenShared, whenTtlExpires } from '../when.ts';

/** An owner that lost the key is told so, and does no harm. */
export const staleRequirements: readonly Requirement[] = rules({ level: 'provider', about: 'exclusion' })({
  'stale-after-takeover': {
    title: 'an owner whose hold was taken over cannot renew, release or repeat, and the new holder is not touched',
    async check(context, one, two) {
      const stale = context.claim(context.key());
      const { token } = await mustGrant(one, stale, 'on a free key');
      await mustFree(two, stale, 'by force');
      await mustBeHarmless(context, one, two, stale, token);
    },
  },
  'stale-after-expiry': {
    title: 'an owner whose hold expired and was taken over cannot renew, release or repeat',
    when: whenTtlExpires,
    async check(context, one, two) {
      const stale = context.claim(context.key(), { ttl: context.ttl });
      const { token } = await mustGrant(one, stale, 'on a free key');
      const waiting = context.wait(two, context.claim(stale.key));
      await context.granted(waiting, `for a waiter after the holder's ttl of ${context.ttl} ms`);
      await mustFree(two, waiting.claim, 'by the one that took over');
      await mustBeHarmless(context, one, two, stale, token);
    },
  },
  'stale-sharer': {
    title: 'a sharer whose share was released by force cannot renew it, and the other shares are not touched',
    when: whenShared,
    async check(context, one, two) {
      const shared = { mode: 'shared' } as const;
      const stale = context.claim(context.key(), shared);
      const stays = context.claim(stale.key, shared);
      await mustGrant(one, stale, 'on a free key');
      await mustGrant(two, stays, 'next to another sharer');
      await mustFree(two, stale, 'by force');
      await mustNotRenew(one, stale, 'for a share that was released by force');
      await mustFreeNothing(one, stale, 'for a share that was released by force');
      await mustBeHeld(context, one, stays, 'after another share was released by force');
      await mustFree(two, stays, 'by the sharer that stayed');
    },
  },
});

/**
 * `stale` held `token` once. Another owner takes the key, and nothing that `stale` tries has an
 * effect.
 */
async function mustBeHarmless(
  context: Context,
  one: LockProvider,
  two: LockProvider,
  stale: Claim,
  token: bigint,
): Promise<void> {
  const holder = context.claim(stale.key);
  const grant = await mustGrant(two, holder, 'after the owner before has lost the key');
  if (context.traits.fencing !== 'none') mustExceed(grant.token, token, 'for the owner that took over');
  await mustNotRenew(one, stale, `for an owner that lost the key to ${holder.owner}`);
  await mustBeHeld(context, one, holder, 'after a stale owner tried to renew');
  await mustFreeNothing(one, stale, `for an owner that lost the key to ${holder.owner}`);
  await mustBeHeld(context, one, holder, 'after a stale owner tried to release');
  await mustBeBusy(one, stale, `for a repeat by an owner that lost the key to ${holder.owner}`);
  await mustFree(two, holder, 'by the owner that took over');
}
