import type { LockProvider } from '@locks/core';
import type { Context } from '../../context/context.ts';
import { isIdle, mustFree, mustGrant } from '../../checks/expect.ts';
import type { Requirement } from '../../requirement.ts';
import { rules } from '../rules.ts';
import { inBackground, sleep } from '../../checks/time.ts';
import { pick, randomMoment, range } from '../steps.ts';
import { whenShared } from '../when.ts';

/** A waiter gets the key in the end, or leaves nothing. */
export const waitingRequirements: readonly Requirement[] = rules({ level: 'provider', about: 'queue' })({
  'waiting-ends-with-a-grant': {
    title: 'waiters that heed wake and retryAfter are all granted, one after the other',
    async check(context) {
      const providers = await context.createMany(3);
      const key = context.key();
      const holder = context.claim(key);
      await mustGrant(providers[0], holder, 'on a free key');
      const waiters = range(9).map((index) => context.wait(pick(providers, index), context.claim(key)));
      for (const waiter of waiters) await waiter.inLine;
      await mustFree(providers[0], holder, 'by the holder');
      const done = waiters.map(async (waiter) => {
        await waiter.granted;
        await mustFree(waiter.provider, waiter.claim, 'by a waiter that was granted');
      });
      await Promise.all(done);
      await context.state(providers[1], key, 'no holder and no waiter', isIdle);
    },
  },
  'abandon-leaves-nothing': {
    title: 'hundreds of waiters that give up at random moments leave nothing: the next attempt is granted at once',
    async check(context) {
      const providers = await context.createMany(2);
      await Promise.all(range(6).map(() => giveUpAtRandom(context, providers, 50, () => ({}))));
    },
  },
  'abandon-leaves-nothing-shared': {
    title: 'the same with a mix of exclusive and shared claims',
    when: whenShared,
    async check(context) {
      const providers = await context.createMany(2);
      const mixed = (): { readonly mode?: 'shared'; readonly permits?: number } =>
        context.random.integer(3) === 0 ? {} : { mode: 'shared', permits: 3 };
      await Promise.all(range(6).map(() => giveUpAtRandom(context, providers, 50, mixed)));
    },
  },
  'abandoned-waiter-does-not-block': {
    title: 'a waiter that gives up, wherever it stands, does not keep the others from being granted',
    async check(context, one, two) {
      const checks = range(4).map(async (leaver) => {
        const key = context.key();
        const holder = context.claim(key);
        await mustGrant(one, holder, 'on a free key');
        const waiters = range(4).map((index) => context.wait(index % 2 === 0 ? two : one, context.claim(key)));
        for (const waiter of waiters) await waiter.inLine;
        const order = `waiter ${leaver + 1} of 4 has given up`;
        await pick(waiters, leaver).abandon();
        await mustFree(one, holder, 'by the holder');
        const others = waiters.filter((_, index) => index !== leaver);
        const done = others.map(async (waiter) => {
          await context.granted(waiter, `for each of the others, after ${order} and the holder released`);
          await mustFree(waiter.provider, waiter.claim, 'by a waiter that was granted');
        });
        await Promise.all(done);
        await context.state(two, key, `no holder and no waiter after ${order}`, isIdle);
      });
      await Promise.all(checks);
    },
  },
});

/** Waiters come and go on one key; a few are granted in between. Then the key must be as before. */
async function giveUpAtRandom(
  context: Context,
  providers: readonly LockProvider[],
  count: number,
  changes: () => { readonly mode?: 'shared'; readonly permits?: number },
): Promise<void> {
  const key = context.key();
  const first = pick(providers, 0);
  const holder = context.claim(key);
  await mustGrant(first, holder, 'on a free key');
  const comeAndGo = range(count).map(async (index) => {
    await randomMoment(context);
    const waiter = context.wait(pick(providers, index), context.claim(key, changes()));
    await randomMoment(context);
    await waiter.abandon();
  });
  const gone = inBackground(Promise.all(comeAndGo));
  await sleep(context.random.integer(20));
  await mustFree(first, holder, 'by the holder');
  await gone;
  const next = context.claim(key);
  const last = pick(providers, 1);
  await mustGrant(
    last,
    next,
    `at once, after ${count} waiters gave up at random moments and all of them were released`,
  );
  await context.state(
    first,
    key,
    'one holder and no waiter',
    (state) => state.holders.length === 1 && state.waiters === 0,
  );
  await mustFree(last, next, 'by the holder');
  await context.state(first, key, 'no holder and no waiter', isIdle);
}
