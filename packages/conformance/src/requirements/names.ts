import assert from 'node:assert/strict';
import type { Claim } from '@locks/core';
import type { Context } from '../context/context.ts';
import { isIdle, mustBeBusy, mustFree, mustFreeNothing, mustGrant, mustNotRenew, mustRenew } from '../checks/expect.ts';
import type { Requirement } from '../requirement.ts';
import { rules } from './rules.ts';
import { longNames, oddNames, wholeNames } from './odd-names.ts';
import { pick } from './steps.ts';

/** Keys and owners are compared byte by byte, whatever is in them. */
export const namesRequirements: readonly Requirement[] = rules({ level: 'provider', about: 'names' })({
  'names-odd': {
    title:
      'odd names are different locks, all held at the same time by different owners, also while one has a waiter or is shared',
    async check(context, one, two) {
      const u = context.unique();
      const waiter = context.claim(u);
      const claims = oddNames(u).map((key) => context.claim(key));
      const [plain, ...odd] = claims;
      assert.ok(plain !== undefined);
      await mustGrant(one, plain, 'on a free key');
      await mustBeBusy(two, waiter, 'while it is held', () => {});
      await holdTogether(context, odd, [plain]);
      await mustFreeNothing(two, waiter, 'by a waiter');
      await mustFree(one, plain, 'by the holder');
      if (!context.traits.shared) return;
      const sharers = [0, 1].map(() => context.claim(u, { mode: 'shared', permits: 2 }));
      for (const sharer of sharers) await mustGrant(one, sharer, 'for one of two permits');
      await holdTogether(context, odd, sharers);
      for (const sharer of sharers) await mustFree(one, sharer, 'by a sharer');
    },
  },
  'names-long': {
    title: 'names of up to 512 bytes are different locks when they differ in one byte, wherever it is',
    async check(context) {
      // Short, so that the names differ after it.
      const u = context.unique().slice(-40);
      await holdTogether(
        context,
        longNames(u).map((key) => context.claim(key)),
        [],
      );
    },
  },
  'names-whole': {
    title: 'names such as ".", "/" and "{}" are ordinary locks',
    async check(context, provider) {
      const claims = wholeNames.map((key) => context.claim(key));
      for (const claim of claims) {
        // Another run on the same store may briefly hold it.
        await context.wait(provider, claim).granted;
      }
      await mustBeSeparate(context, claims, []);
      for (const claim of claims) await mustFree(provider, claim, `for the key ${JSON.stringify(claim.key)}`);
    },
  },
  'owners-verbatim': {
    title: 'owners are compared verbatim: a similar one is a different one',
    async check(context, one, two) {
      const owner = `Label:1/${context.unique()}`;
      const holder = await context.hold(one, { owner });
      const [label] = owner.split('/');
      const alike = [
        `${owner}~1`,
        `${owner}~`,
        owner.toLowerCase(),
        owner.toUpperCase(),
        owner.slice(0, -1),
        `${owner} `,
        `${label}/`,
        `${owner}|1`,
        `${owner}:`,
      ];
      for (const [index, other] of alike.entries()) {
        const claim: Claim = { ...holder, owner: other };
        const when = `for the owner ${JSON.stringify(other)}, while ${JSON.stringify(owner)} holds the key`;
        await mustBeBusy(pick([one, two], index), claim, when);
        await mustNotRenew(pick([one, two], index), claim, when);
        await mustFreeNothing(pick([one, two], index), claim, when);
      }
      await mustRenew(one, holder, 'by the holder');
      await context.state(
        two,
        holder.key,
        `the owner ${owner} verbatim`,
        ({ holders }) => holders.length === 1 && holders[0]?.owner === owner,
      );
      await mustFree(one, holder, 'by the holder');
    },
  },
});

/** Takes all `claims` simultaneously, next to the holds of `others`. */
async function holdTogether(context: Context, claims: readonly Claim[], others: readonly Claim[]): Promise<void> {
  const provider = await context.create();
  const keys = new Set([...claims, ...others].map(({ key }) => key));
  const take = claims.map(async (claim) => {
    await mustGrant(
      provider,
      claim,
      `for the key ${JSON.stringify(claim.key)}, while ${keys.size - 1} other keys are held`,
    );
  });
  await Promise.all(take);
  await mustBeSeparate(context, claims, others);
  await Promise.all(claims.map((claim) => mustFree(provider, claim, `for the key ${JSON.stringify(claim.key)}`)));
  await Promise.all(
    claims.map(({ key }) => context.state(provider, key, `no holder and no waiter for ${JSON.stringify(key)}`, isIdle)),
  );
}

async function mustBeSeparate(context: Context, claims: readonly Claim[], others: readonly Claim[]): Promise<void> {
  const provider = await context.create();
  const look = [...claims, ...others].map(async ({ key, owner }) => {
    const what = `the key ${JSON.stringify(key)} to be held by ${owner}`;
    await context.state(provider, key, what, ({ holders }) => holders.some((holder) => holder.owner === owner));
    const refused = context.claim(key);
    await mustBeBusy(provider, refused, `for another owner of ${JSON.stringify(key)}`);
  });
  await Promise.all(look);
}
