import assert from 'node:assert/strict';
import { isIdle, mustBeBusy, mustFree, mustGrant, mustReject, mustRenew } from '../../checks/expect.ts';
import type { Requirement } from '../../requirement.ts';
import { rules } from '../rules.ts';
import { holdForAWhile, mustBeFree, pick, range } from '../steps.ts';
import type { Claim } from '@locks/core';

/** Shared holders. */
export const sharedRequirements: readonly Requirement[] = rules({
  level: 'provider',
  about: 'sharing',
  when: ['shared'],
})({
  'shared-together': {
    title: 'any number of sharers hold a key together; an exclusive owner excludes them and they exclude it',
    async check(context, one, two) {
      const key = context.key();
      const sharers = range(20).map(() => context.claim(key, { mode: 'shared' }));
      for (const [index, sharer] of sharers.entries())
        await mustGrant(pick([one, two], index), sharer, `next to ${index} sharers`);
      await mustBeBusy(two, context.claim(key), 'for an exclusive claim while 20 sharers hold the key');
      for (const [index, sharer] of sharers.entries()) await mustFree(pick([one, two], index), sharer, 'by a sharer');
      const exclusive = context.claim(key);
      await mustGrant(two, exclusive, 'for an exclusive claim after all sharers have gone');
      for (const permits of [undefined, 1, 5]) {
        const changes = permits === undefined ? {} : { permits };
        await mustBeBusy(
          one,
          context.claim(key, { mode: 'shared', ...changes }),
          'for a sharer while the key is held exclusively',
        );
      }
      await mustFree(two, exclusive, 'by the exclusive holder');
      await context.idle(one, key);
    },
  },
  'shared-excludes-writers': {
    title: 'readers and writers in contention never overlap with a writer',
    async check(context) {
      const providers = await context.createMany(3);
      const key = context.key();
      const inside = { exclusive: 0, shared: 0 };
      const work = range(60).map(async (index) => {
        const mode = context.random.integer(3) === 0 ? 'exclusive' : 'shared';
        const waiting = context.wait(pick(providers, index), context.claim(key, { mode }));
        await waiting.granted;
        const met = `${inside.exclusive} exclusive and ${inside.shared} shared holders inside`;
        const alone = inside.exclusive === 0 && (mode === 'shared' || inside.shared === 0);
        inside[mode] += 1;
        await holdForAWhile(context);
        inside[mode] -= 1;
        await waiting.release();
        assert.ok(alone, `expected a writer to be alone; a holder in ${mode} mode entered with ${met}`);
      });
      await Promise.all(work);
    },
  },
  'shared-refused': {
    title: 'a provider that declares shared: false rejects shared claims with LOCK_INVALID',
    when: ['not-shared'],
    async check(context, provider) {
      const key = context.key();
      for (const changes of [{}, { permits: 3 }]) {
        const attempt = provider.tryAcquire(context.claim(key, { mode: 'shared', ...changes }));
        await mustReject(
          attempt,
          'LOCK_INVALID',
          'for a shared claim, because the traits say shared: false (if it can, it should declare it)',
        );
      }
      await mustBeFree(context, provider, key, 'for an exclusive claim after a refused one');
    },
  },
  // The most sharers of a key.
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
    title: '60 waiting owners of three providers never hold more than 3 permits simultaneously, and all get one',
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
    title: 'each claim uses its own number of permits, whatever number the others have',
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
      const waiting = await context.queue(two, sharer(3));
      if (context.traits.fair) {
        await mustBeBusy(one, sharer(4), 'for four permits, behind a claim of three permits in the queue');
        await mustBeBusy(one, sharer(), 'for any number of permits, behind a claim of three permits in the queue');
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
});
