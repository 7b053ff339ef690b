import assert from 'node:assert/strict';
import type { Claim } from '@locks/core';
import { mustBeBusy, mustFree, mustFreeNothing, mustGrant, mustNotRenew, show } from '../../checks/expect.ts';
import type { Requirement } from '../../requirement.ts';
import { rules } from '../rules.ts';
import { turn } from '../../checks/time.ts';
import { mustBeHeld, pick, range, mustBeFree } from '../steps.ts';

/** Release returns true when it freed a hold, and affects only its own. */
export const releaseRequirements: readonly Requirement[] = rules({ level: 'provider', about: 'release' })({
  'release-frees': {
    title: 'release returns true and the key is free immediately; a repeat returns false',
    async check(context, one, two) {
      const claim = context.claim();
      await mustFreeNothing(one, claim, 'for a key that never had a holder');
      await mustGrant(one, claim, 'on a free key');
      await mustFree(one, claim, 'by the holder');
      await mustFreeNothing(one, claim, 'when repeated');
      await mustFreeNothing(two, claim, 'when repeated elsewhere');
      await mustBeFree(context, two, claim.key, 'at once after the release');
      await context.idle(one, claim.key);
    },
  },
  'release-only-own': {
    title: 'release by an owner that does not hold the key returns false and frees no hold',
    async check(context, one, two) {
      const holder = await context.hold(one);
      for (const provider of [one, two]) {
        await mustFreeNothing(provider, context.claim(holder.key), 'by an owner that does not hold the key');
        await mustBeHeld(context, two, holder, 'after another owner called release');
      }
      await mustFree(one, holder, 'by the holder, whom the release of others did not touch');
    },
  },
  'release-position-in-the-queue': {
    title: 'release by a waiter returns false, gives up its position, and does not affect the holder',
    async check(context, one, two) {
      const key = context.key();
      const [holder, waiter, next] = [context.claim(key), context.claim(key), context.claim(key)];
      await mustGrant(one, holder, 'on a free key');
      await mustBeBusy(two, waiter, 'while it is held', () => {});
      await mustFreeNothing(two, waiter, 'by a waiter');
      await mustBeHeld(context, two, holder, 'after a waiter left the queue');
      await context.state(one, key, 'no waiter after the first one left it', ({ waiters }) => waiters === 0);
      await mustFree(one, holder, 'by the holder');
      await mustGrant(one, next, 'at once, because the waiter has left the queue');
      await mustFree(one, next, 'by the holder');
    },
  },
  'release-forced': {
    title: 'release with the owner and mode that inspect reports frees the key from anywhere',
    async check(context, one, two) {
      const victim = await context.hold(one);
      const state = await context.state(two, victim.key, 'one holder', ({ holders }) => holders.length === 1);
      const [holder] = state.holders;
      assert.ok(holder !== undefined);
      const forced: Claim = { key: victim.key, owner: holder.owner, mode: holder.mode, ttl: context.ttl };
      await mustFree(two, forced, `with the reported owner ${show(holder.owner)}`);
      await mustNotRenew(one, victim, 'after its hold was released by force');
      await mustFreeNothing(one, victim, 'after its hold was released by force');
      await mustBeFree(context, one, victim.key, 'at once after the forced release');
    },
  },
  'release-forced-share': {
    title: 'release with the owner and mode that inspect reports frees only one share, whatever its permits',
    when: ['shared'],
    async check(context, one, two) {
      const key = context.key();
      const [victim, stays] = range(2).map(() => context.claim(key, { mode: 'shared', permits: 2 })) as [Claim, Claim];
      await mustGrant(one, victim, 'for one of two permits');
      await mustGrant(one, stays, 'for the other permit');
      const { holders } = await context.state(two, key, 'two holders', (state) => state.holders.length === 2);
      const holder = holders.find(({ owner }) => owner === victim.owner);
      assert.ok(holder !== undefined, `expected inspect to report ${show(victim.owner)}, got ${show(holders)}`);
      const forced: Claim = { key, owner: holder.owner, mode: holder.mode, ttl: context.ttl };
      await mustFree(two, forced, `with the reported owner ${show(holder.owner)} and no permits`);
      await mustNotRenew(one, victim, 'after its share was released by force');
      const next = context.claim(key, { mode: 'shared', permits: 2 });
      await mustGrant(two, next, 'for the permit that was freed by force');
      await mustFree(two, next, 'by the next sharer');
      await mustFree(one, stays, 'by the sharer that stayed');
    },
  },
  'release-counts-once': {
    title: 'of many simultaneous releases of one hold, exactly one returns true',
    async check(context) {
      const providers = await context.createMany(2);
      const checks = range(10).map(async () => {
        const claim = await context.hold(providers[0]);
        const answers = await Promise.all(range(6).map((index) => pick(providers, index).release(claim)));
        const freed = answers.filter(Boolean).length;
        assert.equal(
          freed,
          1,
          `expected one of six simultaneous releases to return true, ${freed} did: ${show(answers)}`,
        );
      });
      await Promise.all(checks);
    },
  },
  'release-atomic': {
    title: 'two simultaneous releases of one hold, one of them late, never free the next holder',
    async check(context, one, two, three) {
      const checks = range(30).map(async () => {
        const holder = await context.hold(one);
        const next = await context.queue(three, context.claim(holder.key));
        await Promise.all([one.release(holder), delayed(context.random.integer(4), () => two.release(holder))]);
        await context.granted(next, 'for the one in the queue, after two releases of the holder');
        await mustBeHeld(context, two, next.claim, 'after both releases of the holder before it');
        await mustFree(three, next.claim, 'by the next holder, whom the second release must not have touched');
      });
      await Promise.all(checks);
    },
  },
});

async function delayed<T>(turns: number, act: () => Promise<T>): Promise<T> {
  for (let count = 0; count < turns; count += 1) await turn();
  return await act();
}
