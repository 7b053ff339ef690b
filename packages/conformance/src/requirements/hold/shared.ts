import assert from 'node:assert/strict';
import { isIdle, mustBeBusy, mustFree, mustGrant, mustReject } from '../../checks/expect.ts';
import type { Requirement } from '../../requirement.ts';
import { rules } from '../rules.ts';
import { holdForAWhile, pick, range } from '../steps.ts';
import { whenNotShared, whenShared } from '../when.ts';

/** Shared holders. */
export const sharedRequirements: readonly Requirement[] = rules({
  level: 'provider',
  about: 'sharing',
  when: whenShared,
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
      await context.state(one, key, 'no holder and no waiter', isIdle);
    },
  },
  'shared-excludes-writers': {
    title: 'readers and writers that come and go in contention never meet a writer inside',
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
    when: whenNotShared,
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
      const exclusive = context.claim(key);
      await mustGrant(provider, exclusive, 'for an exclusive claim after a refused one');
      await mustFree(provider, exclusive, 'by the holder');
    },
  },
});
