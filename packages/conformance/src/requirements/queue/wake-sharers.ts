import type { Requirement } from '../../requirement.ts';
import { rules } from '../rules.ts';
import type { Waiting } from '../../checks/waiting.ts';
import { mustBeBusy, mustFree, mustFreeNothing, mustGrant } from '../../checks/expect.ts';
import { pick, range } from '../steps.ts';

/** `wake` is called for those who may share a held key. */
export const wakeSharersRequirements: readonly Requirement[] = rules({
  level: 'provider',
  about: 'wake',
  when: ['wake', 'shared'],
})({
  'wake-after-share': {
    title: 'a waiter is woken by the release of one of several permits, and an exclusive one by that of the last',
    async check(context, one, two, three) {
      const key = context.key();
      const permits = { mode: 'shared', permits: 2 } as const;
      const holders = range(2).map(() => context.claim(key, permits));
      for (const holder of holders) await mustGrant(one, holder, 'for one of two permits');
      const next: Waiting[] = [];
      for (const [index, holder] of holders.entries()) {
        const waiting = context.waitForWakes(pick([two, one], index), context.claim(key, permits));
        next.push(waiting);
        await waiting.inQueue;
        await mustFree(pick([one, three], index), holder, 'by a sharer, or by force');
        await context.granted(waiting, 'for the waiter, by a wake after the release of one of two permits');
      }
      const writer = context.waitForWakes(three, context.claim(key));
      await writer.inQueue;
      for (const { claim, provider } of next) await mustFree(provider, claim, 'by a sharer');
      await context.granted(writer, 'for an exclusive waiter, by a wake after the last share');
      await mustFree(three, writer.claim, 'by the exclusive holder');
    },
  },
  'wake-behind-a-leaver': {
    title: 'when an exclusive waiter gives up, sharers behind it are woken, as others share the key',
    when: ['wake', 'shared', 'fair'],
    async check(context, one, two, three) {
      const holder = context.claim(context.key(), { mode: 'shared' });
      const writer = context.claim(holder.key);
      await mustGrant(one, holder, 'on a free key');
      await mustBeBusy(two, writer, 'while a sharer holds the key', () => {});
      const sharers = [two, three].map((provider) =>
        context.waitForWakes(provider, context.claim(holder.key, { mode: 'shared' })),
      );
      for (const sharer of sharers) await sharer.inQueue;
      await mustFreeNothing(two, writer, 'by an exclusive waiter');
      for (const sharer of sharers) {
        await context.granted(sharer, 'for each of two sharers, by wakes after the exclusive waiter gave up');
        await mustFree(sharer.provider, sharer.claim, 'by a sharer');
      }
      await mustFree(one, holder, 'by the first sharer');
    },
  },
});
