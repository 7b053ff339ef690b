import assert from 'node:assert/strict';
import type { Claim, LockProvider } from '@locks/core';
import type { Context } from '../../context/context.ts';
import { isIdle, mustBeBusy, mustExceed, mustFree, mustGrant, mustRenew } from '../../checks/expect.ts';
import type { Requirement } from '../../requirement.ts';
import { rules } from '../rules.ts';
import { sleepUntil } from '../../checks/time.ts';
import { modesOf, mustBeHeld, mustRestart, range, timed } from '../steps.ts';
import { all, whenFair, whenFenced, whenShared, whenTtlExpires } from '../when.ts';

/** Law 2: a claim whose reply was lost is sent again and finds itself the holder. */
export const repeatRequirements: readonly Requirement[] = rules({ level: 'provider', about: 'repeat' })({
  'repeat-same-token': {
    title: 'a repeat by the holder is granted with the same token, and is no second hold',
    async check(context, one, two) {
      const claim = context.claim(context.key());
      await repeatSame(context, one, claim);
      await mustBeHeld(context, two, claim, 'after it repeated its claim');
      await mustFree(one, claim, 'once, however often the claim was repeated');
      const next = context.claim(claim.key);
      await mustGrant(two, next, 'after one release, because a repeat is no second hold');
      await mustFree(two, next, 'by the holder');
    },
  },
  'repeat-shared': {
    title: 'a repeat by a sharer is granted with the same token and takes no second permit',
    when: whenShared,
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
      await context.state(two, first.key, 'no holder and no waiter', isIdle);
    },
  },
  'repeat-keeps-token-below-floor': {
    title: 'a repeat by the holder is granted with the same token, also where that is below a new floor',
    when: whenFenced,
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
  'repeat-restarts-ttl': {
    title: 'a repeat by the holder restarts the ttl, exclusive or shared',
    when: whenTtlExpires,
    async check(context, one, two) {
      const modes = modesOf(context);
      await Promise.all(modes.map((mode) => repeatRestarts(context, one, two, mode)));
    },
  },
  'repeat-after-expiry': {
    title: 'an owner whose hold has expired is granted again with a higher token',
    when: all(whenTtlExpires, whenFenced),
    async check(context, one, two) {
      const claim = context.claim(context.key(), { ttl: context.ttl });
      const { token } = await mustGrant(one, claim, 'on a free key');
      await context.state(two, claim.key, 'no holder after the ttl', isIdle);
      const repeat = { ...claim, ttl: context.longTtl };
      const again = await mustGrant(one, repeat, 'on a key whose hold has expired');
      mustExceed(again.token, token, 'for a new grant after expiry, though to the same owner');
      await one.release(claim);
    },
  },
  'repeat-keeps-one-place': {
    title: 'a waiting claim that is repeated has one place in line, with and without wake',
    when: whenFair,
    async check(context, one, two) {
      const key = context.key();
      const [holder, waiter] = [context.claim(key), context.claim(key)];
      await mustGrant(one, holder, 'on a free key');
      for (const wake of [() => {}, () => {}, undefined, () => {}])
        await mustBeBusy(two, waiter, 'while it is held', wake);
      await context.state(two, key, 'one waiter, however often it repeated its claim', ({ waiters }) => waiters === 1);
      await mustFree(one, holder, 'by the holder');
      await mustGrant(two, waiter, 'for the only one in line');
      await mustFree(two, waiter, 'by the holder');
      await context.state(one, key, 'no holder and no waiter', isIdle);
    },
  },
});

async function repeatSame({ traits }: Context, provider: LockProvider, claim: Claim): Promise<void> {
  const { token } = await mustGrant(provider, claim, 'on a free key');
  for (const round of range(3)) {
    const again = await mustGrant(provider, claim, `for repeat ${round + 1} of a claim that holds the key`);
    const message = `expected a repeat to answer the token of the hold, ${token}, got ${again.token}`;
    if (traits.fencing !== 'none') assert.equal(again.token, token, message);
  }
}

async function repeatRestarts(
  context: Context,
  one: LockProvider,
  two: LockProvider,
  mode: Claim['mode'],
): Promise<void> {
  const { ttl } = context;
  const claim = context.claim(context.key(), { ttl, mode });
  const held = await timed(() => mustGrant(one, claim, 'on a free key'));
  await sleepUntil(held.answeredAt + ttl / 2);
  const repeated = await timed(() => mustGrant(one, claim, 'for a repeat in the middle of the ttl'));
  await mustRestart(context, two, claim, { ...repeated, what: 'repeat', validity: ttl });
}
