import assert from 'node:assert/strict';
import type { Claim, Grant, LockProvider } from '@locks/core';
import type { Context } from '../../context/context.ts';
import {
  expectAnswer,
  isIdle,
  mustBeBusy,
  mustExceed,
  mustFree,
  mustGrant,
  mustRenew,
  show,
} from '../../checks/expect.ts';
import type { Requirement } from '../../requirement.ts';
import { certain, now, sleepUntil } from '../../checks/time.ts';
import { firstGrant, holdForAWhile, mustBeHeld, pick, range } from '../steps.ts';
import { all, whenFair, whenFenced, whenTakingSeveral, whenTtlExpires } from '../when.ts';

/** `tryAcquireAll`: several keys in one step, all of them or none. */
export const severalRequirements: readonly Requirement[] = [
  {
    id: 'several-all-or-none',
    level: 'provider',
    title: 'several keys are taken together, and none of them while one is held, whichever it is',
    appliesTo: whenTakingSeveral,
    async check(context) {
      const [one, two] = await context.createMany(2);
      const claims = claimsOf(context, 4);
      await mustTakeAll(one, claims, 'on free keys that were never used');
      for (const claim of claims) await mustBeHeld(context, two, claim, 'after it was taken with others');
      for (const claim of claims) await mustFree(two, claim, 'of one key of several');
      for (const { key } of claims) {
        const holder = context.claim(key);
        await mustGrant(two, holder, 'on a free key');
        const others = claims.map((claim) => context.claim(claim.key));
        await mustTakeNone(one, others, 'while one of the keys is held');
        await mustFree(two, holder, 'by the holder');
        for (const claim of claims) await context.state(two, claim.key, 'no holder and no waiter', isIdle);
      }
      const again = claims.map(({ key }) => context.claim(key));
      await mustTakeAll(two, again, 'on keys that are free again');
      for (const claim of again) await mustFree(one, claim, 'of one key of several');
    },
  },
  {
    id: 'several-tokens',
    level: 'provider',
    title: 'of several keys each grant has the token of its own claim, above the earlier ones of its key and the floor',
    appliesTo: all(whenTakingSeveral, whenFenced),
    async check(context) {
      const [one, two] = await context.createMany(2);
      const claims = claimsOf(context, 3);
      const raised = claims[0] as Claim;
      const { token } = await mustGrant(one, raised, 'on a free key');
      const high = token + 10n ** 12n;
      await mustRenew(one, raised, 'with a higher token', high);
      await mustFree(one, raised, 'by the holder');
      const later = claims.map(({ key }) => context.claim(key));
      const grants = await mustTakeAll(one, later, 'on free keys');
      mustExceed((grants[0] as Grant).token, high, 'for the key whose last token was that');
      for (const [index, claim] of later.entries()) {
        const own = (grants[index] as Grant).token;
        const { token: repeated } = await mustGrant(two, claim, 'for a repeat of one claim of several');
        assert.equal(repeated, own, `expected grant ${index + 1} to have the token of claim ${index + 1}`);
        await mustFree(one, claim, 'of one key of several');
      }
      const floor = high + 10n ** 12n;
      const above = claims.map(({ key }) => context.claim(key, { floor }));
      for (const grant of await mustTakeAll(two, above, 'with a floor'))
        mustExceed(grant.token, floor, 'for a claim with that floor');
      for (const claim of above) await mustFree(one, claim, 'of one key of several');
    },
  },
  {
    id: 'several-repeat',
    level: 'provider',
    title: 'a repeat by the holder of several keys is granted with the same tokens, and is no second hold',
    appliesTo: whenTakingSeveral,
    async check(context) {
      const [one, two] = await context.createMany(2);
      const claims = claimsOf(context, 3);
      const grants = await mustTakeAll(one, claims, 'on free keys');
      for (const provider of [one, two]) {
        const again = await mustTakeAll(provider, claims, 'for a repeat of claims that hold their keys');
        const tokens = again.map(({ token }) => token);
        const first = grants.map(({ token }) => token);
        if (context.traits.fencing !== 'none')
          assert.deepEqual(tokens, first, 'expected a repeat to answer the tokens of the holds');
      }
      await mustFree(one, claims[1] as Claim, 'of one key of several');
      await mustTakeAll(two, claims, 'for claims of which one does not hold its key any more');
      for (const claim of claims) {
        await mustFree(one, claim, 'once, however often the claims were repeated');
        await context.state(two, claim.key, 'no holder and no waiter', isIdle);
      }
    },
  },
  {
    id: 'several-expiry',
    level: 'provider',
    title: 'several keys that were taken together end with their ttl, and a repeat restarts it for each',
    appliesTo: all(whenTakingSeveral, whenTtlExpires),
    async check(context) {
      const [one, two] = await context.createMany(2);
      const { ttl, patience } = context;
      const claims = claimsOf(context, 3, { ttl });
      const sentAt = now();
      await mustTakeAll(one, claims, 'on free keys');
      await sleepUntil(sentAt + ttl / 2);
      const repeatedAt = now();
      await mustTakeAll(one, claims, 'for a repeat in the middle of the ttl');
      const ends = claims.map(async ({ key }) => {
        const next = context.claim(key);
        const taken = await firstGrant(context, two, next, now() + ttl + patience);
        assert.ok(taken !== undefined, `expected each hold to end after its ttl of ${ttl} ms`);
        const lasted = taken.answeredAt - repeatedAt;
        const message = `expected each hold to last ${ttl} ms from its repeat, one ended after ${Math.round(lasted)} ms`;
        assert.ok(lasted >= certain(ttl), message);
        await mustFree(two, next, 'by the next holder');
      });
      await Promise.all(ends);
    },
  },
  {
    id: 'several-behind-line',
    level: 'provider',
    title: 'who wants several keys does not pass those in line for one of them, and takes no place itself',
    appliesTo: all(whenTakingSeveral, whenFair),
    async check(context) {
      const [one, two, three] = await context.createMany(3);
      const keys = range(3).map(() => context.key());
      for (const key of keys) {
        const [holder, waiter] = [context.claim(key), context.claim(key)];
        await mustGrant(one, holder, 'on a free key');
        await mustBeBusy(two, waiter, 'while it is held', () => {});
        const several = keys.map((each) => context.claim(each));
        await mustTakeNone(three, several, 'while one of the keys is held');
        await mustFree(one, holder, 'by the holder');
        for (const provider of [two, three])
          await mustTakeNone(provider, several, `while ${waiter.owner} is first in line for one of the keys`);
        const others = keys.filter((each) => each !== key);
        for (const other of others) await context.state(one, other, 'no holder and no waiter', isIdle);
        await mustGrant(two, waiter, 'for the first in line');
        await mustFree(two, waiter, 'by the holder');
        await context.state(one, key, 'no waiter, as the others took no place', isIdle);
      }
    },
  },
  {
    id: 'several-in-contention',
    level: 'provider',
    title: 'of calls at once that want some of the same keys, each gets all of its keys alone, or none',
    appliesTo: whenTakingSeveral,
    async check(context) {
      const providers = await context.createMany(4);
      const keys = range(4).map(() => context.key());
      const holders = new Map<string, string>();
      let granted = 0;
      const work = range(12).map(async (index) => {
        const provider = pick(providers, index);
        for (const round of range(15)) {
          const start = (index + round) % 4;
          const wanted = [...keys, ...keys].slice(start, start + 2 + (index % 3));
          const claims = (index % 2 === 0 ? wanted : wanted.toReversed()).map((key) => context.claim(key));
          const grants = await provider.tryAcquireAll?.(claims);
          if (grants === false || grants === undefined) {
            await holdForAWhile(context);
            continue;
          }
          granted += 1;
          for (const { key, owner } of claims) {
            const other = holders.get(key);
            assert.equal(other, undefined, `expected each key to have one holder, ${other} and ${owner} had one`);
            holders.set(key, owner);
          }
          await holdForAWhile(context);
          for (const { key } of claims) holders.delete(key);
          await Promise.all(claims.map((claim) => mustFree(provider, claim, 'of one key of several')));
        }
      });
      await Promise.all(work);
      assert.ok(granted > 0, 'expected some of the calls to take their keys');
      for (const key of keys) await context.state(pick(providers, 0), key, 'no holder and no waiter', isIdle);
    },
  },
];

function claimsOf(context: Context, count: number, changes: Partial<Omit<Claim, 'key'>> = {}): readonly Claim[] {
  return range(count).map(() => context.claim(context.key(), changes));
}

async function mustTakeAll(provider: LockProvider, claims: readonly Claim[], when: string): Promise<readonly Grant[]> {
  const grants = await provider.tryAcquireAll?.(claims);
  const complete = Array.isArray(grants) && grants.length === claims.length;
  assert.ok(complete, `expected ${claims.length} grants ${when}, got ${show(grants)}`);
  for (const grant of grants as readonly Grant[]) {
    expectAnswer(grant, when);
    assert.ok(grant.granted, `expected a grant of each key ${when}, got ${show(grants)}`);
  }
  return grants as readonly Grant[];
}

async function mustTakeNone(provider: LockProvider, claims: readonly Claim[], when: string): Promise<void> {
  const answer = await provider.tryAcquireAll?.(claims);
  assert.equal(answer, false, `expected false ${when}, got ${show(answer)}`);
}
