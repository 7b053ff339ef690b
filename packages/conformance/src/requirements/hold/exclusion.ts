import assert from 'node:assert/strict';
import type { Claim, LockProvider } from '@locks/core';
import type { Context } from '../../context/context.ts';
import {
  expectAnswer,
  mustBeBusy,
  mustFree,
  mustFreeNothing,
  mustGrant,
  mustNotRenew,
  show,
} from '../../checks/expect.ts';
import type { Requirement } from '../../requirement.ts';
import { rules } from '../rules.ts';
import { holdForAWhile, mustBeHeld, mustRise, pick, range } from '../steps.ts';

/** One holder at a time. */
export const exclusionRequirements: readonly Requirement[] = rules({ level: 'provider', about: 'exclusion' })({
  'exclusion-one-winner': {
    title: 'of 100 simultaneous attempts on a free key, by four providers, one is granted, or none by several stores',
    async check(context) {
      const providers = await context.createMany(4);
      // Not all keys together: a busy machine answers 500 attempts later than a call may last.
      for (let keys = 0; keys < 5; keys += 1) {
        const key = context.key();
        const attempts = range(100).map(async (index) => {
          const [provider, claim] = [pick(providers, index), context.claim(key)];
          const answer = await provider.tryAcquire(claim);
          expectAnswer(answer, 'for one of 100 attempts at once');
          return { provider, claim, granted: answer.granted };
        });
        const winners = (await Promise.all(attempts)).filter(({ granted }) => granted);
        const owners = winners.map(({ claim }) => claim.owner);
        assert.ok(
          winners.length <= 1,
          `expected at most one of 100 attempts to be granted, ${winners.length} were: ${show(owners)}`,
        );
        // Claims may block each other if each gets some of the stores.
        const { members } = await pick(providers, 0).inspect(key);
        if (members === undefined)
          assert.equal(winners.length, 1, 'expected one of 100 attempts to be granted, none was');
        for (const { provider, claim } of winners) await mustFree(provider, claim, 'for the one winner');
      }
    },
  },
  'exclusion-100-way': {
    title:
      '100 waiting owners spread over four providers increment a non-atomic counter to exactly 100, and their tokens increase',
    check: countTogether,
  },
  'exclusion-while-held': {
    title: 'contention is a busy answer, not a rejection; it lasts until the release',
    async check(context, one, two) {
      const key = context.key();
      const [holder, other, third] = [context.claim(key), context.claim(key), context.claim(key)];
      await mustGrant(one, holder, 'on a free key');
      for (const provider of [one, two, one]) {
        await mustBeBusy(provider, other, `while ${holder.owner} holds the key`);
        await mustBeBusy(provider, third, `while ${holder.owner} holds the key`);
      }
      await mustFree(one, holder, 'by the holder');
      await mustGrant(two, other, 'at once after the holder released');
      await mustBeBusy(one, third, `while ${other.owner} holds the key`);
      await mustFree(two, other, 'by the holder');
    },
  },
  'busy-leaves-nothing': {
    title: 'a busy attempt without wake takes no position in the queue and leaves nothing',
    async check(context, one, two) {
      const key = context.key();
      const [holder, next] = [context.claim(key), context.claim(key)];
      await mustGrant(one, holder, 'on a free key');
      await Promise.all(
        range(20).map((index) => mustBeBusy(pick([one, two], index), context.claim(key), 'while it is held')),
      );
      await context.state(two, key, 'one holder and no waiter after busy attempts without wake', (state) => {
        return state.holders.length === 1 && state.waiters === 0;
      });
      await mustFree(one, holder, 'by the holder');
      await mustGrant(two, next, 'at once, because those who were busy without wake are not in the queue');
      await mustFree(two, next, 'by the holder');
      await context.idle(one, key);
    },
  },
  // An owner that lost the key is notified, and does no harm.
  'stale-after-takeover': {
    title: 'an owner whose hold was taken over cannot renew, release or repeat, and the new holder is unaffected',
    async check(context, one, two) {
      const stale = context.claim();
      const { token } = await mustGrant(one, stale, 'on a free key');
      await mustFree(two, stale, 'by force');
      await mustBeHarmless(context, one, two, stale, token);
    },
  },
});

async function countTogether(context: Context): Promise<void> {
  const providers = await context.createMany(4);
  const contenders = 100;
  const key = context.key();
  const inside = new Set<string>();
  const overlaps: string[] = [];
  let counter = 0;
  let latest = -1n;
  const work = range(contenders).map(async (index) => {
    const waiting = context.wait(pick(providers, index), context.claim(key));
    const { token } = await waiting.granted;
    mustRise(context, token, latest, 'for a grant in contention');
    latest = token;
    const { owner } = waiting.claim;
    if (inside.size > 0) overlaps.push(`${owner} entered while ${[...inside].join(', ')} held it`);
    inside.add(owner);
    const read = counter;
    // Read, await, write: two simultaneous holders lose an increment.
    await holdForAWhile(context);
    counter = read + 1;
    inside.delete(owner);
    await waiting.release();
  });
  await Promise.all(work);
  const first = overlaps[0] === undefined ? '' : `; first, ${overlaps[0]}`;
  assert.equal(
    counter,
    contenders,
    `expected the counter to reach ${contenders} under the lock, it reached ${counter}: holders overlapped ${overlaps.length} times${first}`,
  );
  await context.idle(providers[0], key);
  assert.deepEqual(
    overlaps,
    [],
    `expected no two simultaneous holders, but there were ${overlaps.length} times${first}`,
  );
}

/** `stale` held `token` once. Another owner takes the key, and no call of `stale` has an effect. */
async function mustBeHarmless(
  context: Context,
  one: LockProvider,
  two: LockProvider,
  stale: Claim,
  token: bigint,
): Promise<void> {
  const holder = context.claim(stale.key);
  const grant = await mustGrant(two, holder, 'after the owner before has lost the key');
  mustRise(context, grant.token, token, 'for the owner that took over');
  await mustNotRenew(one, stale, `for an owner that lost the key to ${holder.owner}`);
  await mustBeHeld(context, one, holder, 'after a stale owner tried to renew');
  await mustFreeNothing(one, stale, `for an owner that lost the key to ${holder.owner}`);
  await mustBeHeld(context, one, holder, 'after a stale owner tried to release');
  await mustBeBusy(one, stale, `for a repeat by an owner that lost the key to ${holder.owner}`);
  await mustFree(two, holder, 'by the owner that took over');
}
