import assert from 'node:assert/strict';
import type { Claim, LockProvider } from '@locks/core';
import type { Context } from '../../context/context.ts';
import {
  isIdle,
  mustBeBusy,
  mustFree,
  mustFreeNothing,
  mustGrant,
  mustReject,
  mustRenew,
} from '../../checks/expect.ts';
import type { Requirement } from '../../requirement.ts';
import { now, sleep } from '../../checks/time.ts';
import { holdForAWhile, pick, range } from '../steps.ts';
import { all, whenFair, whenResizes, whenShared } from '../when.ts';

/** How many share a key at most. */
export const permitRequirements: readonly Requirement[] = [
  {
    id: 'permits-admit-exactly',
    level: 'provider',
    title: 'n permits admit n sharers and no more, one of them after each release',
    appliesTo: whenShared,
    async check(context) {
      const [one, two] = await context.createMany(2);
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
  {
    id: 'permits-in-contention',
    level: 'provider',
    title: '60 waiting owners of three providers never hold more than 3 permits at a time, and all get one',
    appliesTo: whenShared,
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
  {
    id: 'permits-mismatch-refused',
    level: 'provider',
    title:
      'another number of permits rejects with LOCK_INVALID, naming both, while an owner shares the key or waits to',
    appliesTo: whenShared,
    async check(context) {
      const [one, two] = await context.createMany(2);
      const held = context.claim(context.key(), { mode: 'shared', permits: 23 });
      await mustGrant(one, held, 'on a free key');
      await refusesOtherNumber(context, two, held.key, 'while a sharer with 23 permits holds the key');
      await mustFree(one, held, 'by the sharer');

      const holder = context.claim(context.key());
      await mustGrant(one, holder, 'on a free key');
      const waiter = context.wait(two, context.claim(holder.key, { mode: 'shared', permits: 23 }));
      await waiter.inLine;
      if (context.traits.fair)
        await refusesOtherNumber(context, one, holder.key, 'while a sharer with 23 permits is in line');
      await mustFree(one, holder, 'by the exclusive holder');
      await context.granted(waiter, 'for the sharer in line');
      await mustFree(two, waiter.claim, 'by the sharer');
    },
  },
  {
    id: 'permits-fixed-in-line',
    level: 'provider',
    title: 'the number of permits stays fixed for as long as a sharer waits, however many others wait beside it',
    appliesTo: all(whenShared, whenFair),
    async check(context) {
      const [one, two] = await context.createMany(2);
      const holder = context.claim(context.key());
      await mustGrant(one, holder, 'on a free key');
      const waiters = range(20).map(() => context.wait(two, context.claim(holder.key)));
      waiters.push(context.wait(two, context.claim(holder.key, { mode: 'shared', permits: 23 })));
      for (const waiter of waiters) await waiter.inLine;
      // Longer than a place lasts in most stores.
      const end = now() + Math.min(10 * context.ttl, 4_000);
      while (now() < end) {
        await refusesOtherNumber(context, one, holder.key, 'while a sharer with 23 permits is in line');
        await sleep(context.ttl / 4);
      }
      await mustFree(one, holder, 'by the exclusive holder');
      const done = waiters.map(async (waiter) => {
        await context.granted(waiter, 'for each in line');
        await mustFree(two, waiter.claim, 'by a waiter that was granted');
      });
      await Promise.all(done);
    },
  },
  {
    id: 'permits-most',
    level: 'provider',
    title: 'the highest number of permits, 2 147 483 647, is one like another',
    appliesTo: whenShared,
    async check(context) {
      const [one, two] = await context.createMany(2);
      const most = 2 ** 31 - 1;
      const first = context.claim(context.key(), { mode: 'shared', permits: most });
      const second = context.claim(first.key, { mode: 'shared', permits: most });
      await mustGrant(one, first, 'with 2 147 483 647 permits');
      await mustGrant(two, second, 'for a second share of 2 147 483 647 permits');
      await refusesOtherNumber(context, one, first.key, 'while sharers with 2 147 483 647 permits hold it', most);
      await mustRenew(two, second, 'by the second sharer');
      await mustFree(one, first, 'by the first sharer');
      await mustFree(two, second, 'by the second sharer');
      if (!context.traits.resize) return;
      const resized = context.claim(first.key, { mode: 'shared', permits: most, resize: true });
      await mustGrant(one, resized, 'with 2 147 483 647 permits and resize');
      await mustFree(one, resized, 'by the sharer with resize');
    },
  },
  {
    id: 'permits-resize',
    level: 'provider',
    title: 'a claim with resize goes by its own number of permits, and neither is refused for it nor fixes it',
    appliesTo: all(whenShared, whenResizes),
    async check(context) {
      const [one, two] = await context.createMany(2);
      const key = context.key();
      const plain = (permits: number): Claim => context.claim(key, { mode: 'shared', permits });
      const resized = (permits: number): Claim => context.claim(key, { mode: 'shared', permits, resize: true });
      const [old, first, second] = [plain(1), resized(3), resized(3)];
      await mustGrant(one, old, 'for the one permit');
      await mustGrant(two, first, 'for the second of three permits, beside a claim of one permit');
      await mustGrant(one, second, 'for the third of three permits');
      await mustBeBusy(two, resized(3), 'for a fourth share, of three permits');
      await mustBeBusy(two, plain(1), 'for a claim of one permit, beside claims of three with resize');
      const waiting = context.wait(two, resized(3));
      await waiting.inLine;
      await mustRenew(one, second, 'by a claim with resize');
      await mustFree(one, old, 'by the claim of one permit');
      await context.granted(waiting, 'for the third of three permits');
      await mustFree(two, first, 'by the first claim with resize');
      await mustFree(one, second, 'by the second claim with resize');
      const other = plain(23);
      await mustGrant(one, other, 'with 23 permits, as a claim with resize fixes none');
      await refusesOtherNumber(context, two, key, 'while a claim without resize has 23 permits');
      await mustFree(one, other, 'by the claim with 23 permits');
      await waiting.release();
    },
  },
  {
    id: 'permits-fixed-beside-resize',
    level: 'provider',
    title:
      'beside claims with resize, a number of permits is fixed while a claim without it shares or waits, and no longer',
    appliesTo: all(whenShared, whenResizes),
    async check(context) {
      const [one, two] = await context.createMany(2);
      const key = context.key();
      const plain = (permits: number): Claim => context.claim(key, { mode: 'shared', permits });
      const [resized, late] = [5, 6].map((permits) => context.claim(key, { mode: 'shared', permits, resize: true }));
      const [few, waiter, next] = [plain(3), plain(1), plain(23)];
      await mustGrant(one, resized as Claim, 'for the first of five permits, with resize');
      await mustGrant(two, few, 'for the second of three permits, as a claim with resize fixes none');
      await mustFree(two, few, 'by the claim of three permits');
      await mustBeBusy(two, waiter, 'for one permit, when the claim of three is gone', () => {});
      await mustFreeNothing(two, waiter, 'by a waiter');
      await mustGrant(one, next, 'for the second of 23 permits, when no other claim without resize is there');
      await mustGrant(two, late as Claim, 'for the third of six permits, with resize');
      await refusesOtherNumber(
        context,
        two,
        key,
        'while a claim without resize has 23 permits, beside a later one with it',
      );
      for (const claim of [resized as Claim, next, late as Claim]) await mustFree(one, claim, 'by each of the sharers');
    },
  },
  {
    id: 'permits-forgotten',
    level: 'provider',
    title: 'when no claim shares a key or waits to, any number of permits is fine',
    appliesTo: whenShared,
    async check(context) {
      const [one, two] = await context.createMany(2);
      const key = context.key();
      const numbers = [2, 7, undefined, 1] as const;
      for (const [index, permits] of numbers.entries()) {
        const changes = permits === undefined ? {} : { permits };
        const sharer = context.claim(key, { mode: 'shared', ...changes });
        await mustGrant(
          pick([one, two], index),
          sharer,
          `with ${permits ?? 'unlimited'} permits, when no claim shares the key any more`,
        );
        await mustFree(pick([one, two], index), sharer, 'by the sharer');
      }
    },
  },
];

/** `fixed`: the number of permits that the key has. */
async function refusesOtherNumber(
  context: Context,
  provider: LockProvider,
  key: string,
  when: string,
  fixed = 23,
): Promise<void> {
  for (const wake of [undefined, () => {}]) {
    const attempt = provider.tryAcquire(context.claim(key, { mode: 'shared', permits: 47 }), wake);
    const { message } = await mustReject(attempt, 'LOCK_INVALID', `for 47 permits ${when}`);
    const told = [`${fixed}`, '47'].every((each) => new RegExp(String.raw`(?<!\d)${each}(?!\d)`).test(message));
    assert.ok(
      told,
      `expected the message to name both numbers of permits, ${fixed} and 47, got ${JSON.stringify(message)}`,
    );
  }
  const unlimited = provider.tryAcquire(context.claim(key, { mode: 'shared' }));
  await mustReject(unlimited, 'LOCK_INVALID', `for unlimited permits ${when}`);
}
