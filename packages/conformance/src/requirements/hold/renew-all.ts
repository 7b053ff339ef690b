import assert from 'node:assert/strict';
import type { Claim, LockProvider } from '@locks/core';
import { isIdle, mustFree, mustGrant, mustNotRenew, show } from '../../checks/expect.ts';
import type { Requirement } from '../../requirement.ts';
import { mustBeHeld, range } from '../steps.ts';
import { all, whenRenewingSeveral, whenTtlExpires } from '../when.ts';

/** `renewAll`: the holds of several claims in one call. */
export const renewAllRequirements: readonly Requirement[] = [
  {
    id: 'renew-all-answers',
    level: 'provider',
    title: 'a renewal of several claims answers for each of them, in their order, what renew would',
    appliesTo: whenRenewingSeveral,
    async check(context) {
      const [one, two] = await context.createMany(2);
      const held = range(3).map(() => context.claim(context.key()));
      const holder = context.claim(context.key());
      for (const claim of held) await mustGrant(one, claim, 'on a free key');
      await mustGrant(two, holder, 'on a free key');
      const never = context.claim(context.key());
      const [first, second, third] = held as [Claim, Claim, Claim];
      const renewed = await renewAll(one, [context.claim(holder.key), first, never, second, third]);
      assert.deepEqual(renewed, [false, true, false, true, true], 'expected those that hold to be renewed');
      for (const claim of [...held, holder]) await mustBeHeld(context, two, claim, 'after a renewal of several');
      await context.state(two, never.key, 'no holder and no waiter', isIdle);
      await mustFree(two, second, 'by force');
      const again = await renewAll(one, held);
      assert.deepEqual(again, [true, false, true], 'expected one that was released by force to be none');
      for (const claim of [first, third]) await mustFree(one, claim, 'by the holder');
      await mustFree(two, holder, 'by the holder');
      await mustNotRenew(one, second, 'after it was released by force');
    },
  },
  {
    id: 'renew-all-restarts-ttl',
    level: 'provider',
    title: 'a renewal of several claims restarts the ttl of each of their holds, and of no other',
    appliesTo: all(whenRenewingSeveral, whenTtlExpires),
    async check(context) {
      const [one, two] = await context.createMany(2);
      const { ttl, longTtl } = context;
      const held = range(3).map(() => context.claim(context.key(), { ttl }));
      const other = context.claim(context.key(), { ttl });
      for (const claim of [...held, other]) await mustGrant(one, claim, 'on a free key');
      const longer = [context.claim(other.key), ...held].map((claim) => ({ ...claim, ttl: longTtl }));
      const renewed = await renewAll(one, longer);
      assert.deepEqual(renewed, [false, true, true, true], 'expected the holds to be renewed');
      await context.state(two, other.key, 'no holder after the ttl', isIdle);
      for (const claim of held) {
        await mustBeHeld(context, two, claim, 'after the ttl that it had before');
        await mustFree(one, claim, 'by the holder');
      }
    },
  },
];

/** Whether each of `claims` was renewed, by `renew` where the call left it to that. */
async function renewAll(provider: LockProvider, claims: readonly Claim[]): Promise<readonly boolean[]> {
  const answers = await provider.renewAll?.(claims);
  const complete = Array.isArray(answers) && answers.length === claims.length;
  assert.ok(complete, `expected ${claims.length} answers to a renewal of several claims, got ${show(answers)}`);
  const renewed: boolean[] = [];
  for (const [index, claim] of claims.entries()) {
    const answer: unknown = answers?.[index];
    const isRenewal = typeof answer === 'object' && answer !== null;
    const sound = isRenewal || answer === false || answer === undefined;
    assert.ok(sound, `expected a renewal, false or undefined for each claim, got ${show(answer)}`);
    renewed.push(answer === undefined ? (await provider.renew(claim)) !== false : isRenewal);
  }
  return renewed;
}
