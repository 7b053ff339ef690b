import assert from 'node:assert/strict';
import type { Claim } from '@locks/core';
import { isIdle, mustBeBusy, mustFree, mustGrant, mustRenew } from '../../checks/expect.ts';
import type { Requirement } from '../../requirement.ts';
import { rules } from '../rules.ts';
import { holdForAWhile, pick, range } from '../steps.ts';
import { whenShared } from '../when.ts';

/** How many share a key at most. */
export const permitRequirements: readonly Requirement[] = rules({
  level: 'provider',
  about: 'sharing',
  when: whenShared,
})({
  'permits-admit-exactly': {
    title: 'n permits admit n sharers and no more, one of them after each release',
    async check(context, one, two) {
      const checks = [1, 3, 10].map(async (permits) => {
        const key = context.key();
        const sharers = range(permits + 1).map(() => context.claim(key, { mode: 'shared', permits }));
        const last = pick(sharers, permits);
        for (const [index, sharer] of sharers.slice(0, permits).entries()) {
          await mustGrant(pick([one, two], index), sharer, `for sharer ${index + 1} with ${permits} permits`);
        }
        await mustBeBusy(two, last, `for sharer ${permits + 1} with ${permits} permits`);
        await mustFree(one, pick(sharers, 0), 'by a sharer');
        await mustGrant(two, last, `for one more sharer after one of ${permits} has gone`);
        await mustBeBusy(
          one,
          context.claim(key, { mode: 'shared', permits }),
          `when all ${permits} permits are taken again`,
        );
        for (const sharer of sharers.slice(1)) await mustFree(one, sharer, 'by a sharer');
      });
      await Promise.all(checks);
    },
  },
  'permits-in-contention': {
    title: '60 waiting owners of three providers never hold more than 3 permits at a time, and all get one',
    async check(context) {
      const providers = await context.createMany(3);
      const key = context.key();
      let [inside, most] = [0, 0];
      const work = range(60).map(async (index) => {
        const waiting = context.wait(pick(providers, index), context.claim(key, { mode: 'shared', permits: 3 }));
        await waiting.granted;
        inside += 1;
        most = Math.max(most, inside);
        await holdForAWhile(context);
        inside -= 1;
        await waiting.release();
      });
      await Promise.all(work);
      assert.ok(most <= 3, `expected at most 3 holders of 3 permits at a time, there were ${most}`);
      await context.state(providers[0], key, 'no holder and no waiter', isIdle);
    },
  },
  'permits-own-number': {
    title: 'each claim goes by its own number of permits, whatever number the others have',
    async check(context, one, two) {
      const key = context.key();
      const sharer = (permits?: number): Claim =>
        context.claim(key, { mode: 'shared', ...(permits !== undefined && { permits }) });
      const [few, more, any, most] = [sharer(1), sharer(3), sharer(), sharer(4)];
      await mustGrant(one, few, 'for the one permit');
      await mustBeBusy(two, sharer(1), 'for one permit, when one shares the key');
      await mustGrant(two, more, 'for the second of three permits, beside a claim of one permit');
      await mustGrant(one, any, 'for any number of permits, beside two');
      await mustBeBusy(two, sharer(3), 'for three permits, when three share the key');
      const waiting = context.wait(two, sharer(3));
      await waiting.inLine;
      if (context.traits.fair) {
        await mustBeBusy(one, sharer(4), 'for four permits, behind a claim of three permits in line');
        await mustBeBusy(one, sharer(), 'for any number of permits, behind a claim of three permits in line');
      }
      await mustRenew(two, more, 'by the claim of three permits');
      await mustFree(one, few, 'by the claim of one permit');
      await context.granted(waiting, 'for the third of three permits');
      await mustGrant(one, most, 'for the fourth of four permits');
      await mustBeBusy(two, sharer(4), 'for four permits, when four share the key');
      for (const claim of [more, any, most]) await mustFree(two, claim, 'by a sharer');
      await waiting.release();
    },
  },
  'permits-most': {
    title: 'the highest number of permits, 2 147 483 647, is one like another',
    async check(context, one, two) {
      const most = 2 ** 31 - 1;
      const first = context.claim(context.key(), { mode: 'shared', permits: most });
      const second = context.claim(first.key, { mode: 'shared', permits: most });
      await mustGrant(one, first, 'with 2 147 483 647 permits');
      await mustGrant(two, second, 'for a second share of 2 147 483 647 permits');
      await mustRenew(two, second, 'by the second sharer');
      await mustFree(one, first, 'by the first sharer');
      await mustFree(two, second, 'by the second sharer');
    },
  },
});
