import assert from 'node:assert/strict';
import type { LockProvider, Mode } from '@locks/core';
import type { Context } from '../../context/context.ts';
import { mustBeBusy, mustExceed, mustFree, mustFreeNothing, mustGrant, mustReject } from '../../checks/expect.ts';
import type { Requirement } from '../../requirement.ts';
import { rules } from '../rules.ts';
import { modesOf, pick, range } from '../steps.ts';

/** Law 4: the tokens of one key strictly increase. */
export const fencingRequirements: readonly Requirement[] = rules({
  level: 'provider',
  about: 'token',
  when: ['fenced'],
})({
  'token-increases': {
    title: 'tokens strictly increase over releases and forced releases, across providers',
    async check(context) {
      const providers = await context.createMany(3);
      const key = context.key();
      let latest = 0n;
      for (const round of range(20)) {
        const claim = context.claim(key);
        const holder = pick(providers, round);
        const { token } = await mustGrant(holder, claim, 'on a free key');
        mustExceed(token, latest, `for grant ${round + 1} of one key`);
        latest = token;
        if (round % 4 === 3) {
          await mustFree(pick(providers, round + 1), claim, 'by force');
          // As a lease does when it is lost: a vote may have come after the forced release.
          await mustFreeNothing(holder, claim, 'by the holder, after the release by force');
        } else await mustFree(holder, claim, 'by the holder');
      }
    },
  },
  'token-of-sharers': {
    title: 'sharers have separate tokens, which increase in turn with those of exclusive owners',
    when: ['fenced', 'shared'],
    async check(context) {
      const providers = await context.createMany(2);
      const key = context.key();
      const modes: readonly (readonly Mode[])[] = [
        ['shared', 'shared', 'shared'],
        ['exclusive'],
        ['shared'],
        ['exclusive'],
        ['exclusive'],
        ['shared', 'shared'],
      ];
      const given = new Set<bigint>();
      let latest = 0n;
      for (const group of modes) {
        const claims = group.map((mode) => context.claim(key, { mode }));
        const tokens: bigint[] = [];
        for (const [index, claim] of claims.entries()) {
          const { token } = await mustGrant(
            pick(providers, index),
            claim,
            `for a claim in ${claim.mode} mode among ${group.join(', ')}`,
          );
          assert.ok(
            !given.has(token),
            `expected a token that was never given, got ${token} again for a claim in ${claim.mode} mode`,
          );
          mustExceed(token, latest, `for a claim in ${claim.mode} mode, after those it conflicts with`);
          given.add(token);
          tokens.push(token);
        }
        latest = tokens.reduce((highest, token) => (token > highest ? token : highest), latest);
        await Promise.all(claims.map((claim, index) => mustFree(pick(providers, index), claim, 'by a holder')));
      }
    },
  },
  'token-floor': {
    title: 'a token exceeds the floor of its claim, and later tokens exceed it too; a low floor has no effect',
    async check(context, one, two) {
      const key = context.key();
      const first = await takeOnce(context, one, key, undefined);
      // Far enough to be ahead of a counter that follows a clock in µs.
      const floor = first + 60_000_000n;
      const second = await takeOnce(context, two, key, floor);
      mustExceed(second, floor, `because the claim had the floor ${floor}`);
      const third = await takeOnce(context, one, key, undefined);
      mustExceed(third, second, 'after a grant with a floor');
      const fourth = await takeOnce(context, two, key, first);
      mustExceed(fourth, third, `with a floor, ${first}, that is lower than tokens already given`);
    },
  },
  'token-floor-in-queue': {
    title: 'a claim that waits may ask with another floor: its token exceeds the floor of the attempt that is granted',
    when: ['fenced', 'wake'],
    async check(context, one, two) {
      const holder = context.claim();
      const { token } = await mustGrant(one, holder, 'on a free key');
      const waiter = context.claim(holder.key);
      const wake = (): void => {};
      await mustBeBusy(two, waiter, 'while another owner holds the key', wake);
      await mustFree(one, holder, 'by the holder');
      const floor = token + 60_000_000n;
      const next = await mustGrant(two, { ...waiter, floor }, 'for the only waiter', wake);
      mustExceed(next.token, floor, `because the last attempt had the floor ${floor}`);
      await mustFree(two, waiter, 'by the waiter that was granted');
    },
  },
  'token-exact': {
    title: 'tokens near 2^53 are exact: they increase, and a repeat and inspect return the same',
    async check(context) {
      const providers = await context.createMany(2);
      const key = context.key();
      let latest = 2n ** 53n - 45n;
      for (const round of range(10)) {
        const claim = context.claim(key, round === 0 ? { floor: latest } : {});
        const provider = pick(providers, round);
        const { token } = await mustGrant(provider, claim, 'on a free key');
        mustExceed(token, latest, `for grant ${round + 1} near 2^53`);
        const repeat = await mustGrant(provider, claim, 'for a repeat');
        const { holders } = await context.state(provider, key, 'one holder', (state) => state.holders.length === 1);
        for (const seen of [repeat.token, holders[0]?.token]) {
          if (seen !== undefined) assert.equal(seen, token, `expected the token ${token} again, got ${seen}`);
        }
        latest = token;
        await mustFree(provider, claim, 'by the holder');
      }
    },
  },
  'token-end': {
    title:
      'at 2^53, the limit of exact numbers, tokens continue to increase, or claims reject with LOCK_INVALID and leave nothing',
    async check(context) {
      const modes = modesOf(context);
      await Promise.all(modes.map((mode) => reachesTheEnd(context, mode)));
    },
  },
});

/**
 * Takes the last tokens below 2^53 of a key, and some more. Floors stay below it, as in the
 * contract.
 */
async function reachesTheEnd(context: Context, mode: Mode): Promise<void> {
  const providers = await context.createMany(2);
  const key = context.key();
  const end = 2n ** 53n;
  let latest = end - 3n;
  for (const round of range(6)) {
    const provider = pick(providers, round);
    const claim = context.claim(key, { mode, ...(round % 2 === 0 && latest < end ? { floor: latest } : {}) });
    const attempt = provider.tryAcquire(claim);
    const granted = await attempt.then(
      (answer) => answer.granted,
      () => false,
    );
    if (granted) {
      const { token } = await mustGrant(provider, claim, 'for a repeat');
      mustExceed(token, latest, `for the ${mode} grant ${round + 1} near 2^53`);
      latest = token;
      await mustFree(provider, claim, 'by the holder');
    } else {
      const refusal = await mustReject(attempt, 'LOCK_INVALID', `for a claim whose token would exceed ${latest}`);
      assert.equal(refusal.key, key, 'expected the error to name the key');
      await context.idle(provider, key, 'after the refusal');
    }
  }
}

async function takeOnce(
  context: Context,
  provider: LockProvider,
  key: string,
  floor: bigint | undefined,
): Promise<bigint> {
  const claim = context.claim(key, floor === undefined ? {} : { floor });
  const { token } = await mustGrant(provider, claim, 'on a free key');
  await mustFree(provider, claim, 'by the holder');
  return token;
}
