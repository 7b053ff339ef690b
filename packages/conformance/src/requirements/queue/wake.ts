import assert from 'node:assert/strict';
import type { Claim, LockProvider } from '@locks/core';
import type { Context } from '../../context/context.ts';
import { expectAnswer, mustBeBusy, mustFree, mustFreeNothing, mustGrant } from '../../checks/expect.ts';
import type { Requirement } from '../../requirement.ts';
import { rules } from '../rules.ts';
import { inBackground, turn } from '../../checks/time.ts';
import { collectGarbage } from '../resources.ts';
import { pick, range } from '../steps.ts';

/** `wake` is called when another attempt is worthwhile. */
export const wakeRequirements: readonly Requirement[] = rules({ level: 'provider', about: 'wake', when: ['wake'] })({
  'wake-after-release': {
    title: 'a waiter is woken when the holder releases, in this process or by force from elsewhere',
    async check(context, one, two, three) {
      const checks = [one, two, three].map(async (releaser) => {
        const [holder, waiter] = pair(context);
        let wakes = 0;
        await mustGrant(one, holder, 'on a free key');
        await mustBeBusy(two, waiter, 'while it is held', () => (wakes += 1));
        await mustFree(releaser, holder, 'by the holder or by force');
        await context.eventually('the waiter to be woken after a release', () => wakes > 0);
        await mustGrant(two, waiter, 'for the waiter, when it tries again after its wake');
        await mustFree(two, waiter, 'by the waiter that was granted');
        await mustFreeNothing(one, holder, 'by the holder, when its hold was released before');
      });
      await Promise.all(checks);
    },
  },
  'wake-in-flight': {
    title: 'a release between the send of an attempt and its busy answer wakes the waiter',
    async check(context, one, two) {
      const checks = range(60).map(async (round) => {
        const [holder, waiter] = pair(context);
        let wakes = 0;
        await mustGrant(one, holder, 'on a free key');
        const attempt = inBackground(two.tryAcquire(waiter, () => (wakes += 1)));
        for (let turns = round % 4; turns > 0; turns -= 1) await turn();
        const [answer] = await Promise.all([attempt, one.release(holder)]);
        expectAnswer(answer, 'for an attempt at the moment of a release');
        if (!answer.granted) {
          const what = 'a waiter whose attempt was busy to be woken by the release that came at the same moment';
          await context.eventually(what, () => wakes > 0);
        }
        await two.release(waiter);
      });
      await Promise.all(checks);
    },
  },
  'wake-never-synchronous': {
    title: 'wake is never called within a call to the provider',
    async check(context, provider) {
      const [holder, waiter] = pair(context);
      const last = context.claim(holder.key);
      let calling = '';
      const caught: string[] = [];
      const onWake = (): void => void (calling !== '' && caught.push(calling));
      const during = <T>(call: string, act: () => T): T => {
        calling = call;
        try {
          return act();
        } finally {
          calling = '';
        }
      };
      await during('tryAcquire', () => mustGrant(provider, holder, 'on a free key'));
      await during('tryAcquire', () => mustBeBusy(provider, waiter, 'while it is held', onWake));
      await during('tryAcquire', () => mustBeBusy(provider, last, 'while it is held', onWake));
      await during('renew', () => provider.renew(holder));
      await during('release', () => mustFree(provider, holder, 'by the holder'));
      await during('inspect', () => provider.inspect(holder.key));
      await during('tryAcquire', () => provider.tryAcquire(waiter, onWake));
      for (const claim of [waiter, last]) await during('release', () => provider.release(claim));
      assert.deepEqual(
        caught,
        [],
        `expected wake never to be called synchronously, it was within: ${caught.join(', ')}`,
      );
    },
  },
  'wake-latest-callback': {
    title: 'the latest callback of an owner counts, also after a repeat without one',
    async check(context, one, two) {
      const checks = [true, false].map(async (repeatsWithout) => {
        const [holder, waiter] = pair(context);
        let wakes = 0;
        await mustGrant(one, holder, 'on a free key');
        await mustBeBusy(two, waiter, 'while it is held', () => {});
        await mustBeBusy(two, waiter, 'while it is held', () => (wakes += 1));
        if (repeatsWithout) await mustBeBusy(two, waiter, 'while it is held');
        await mustFree(one, holder, 'by the holder');
        const what = `the latest callback to be called after a release${repeatsWithout ? ', though the last repeat came without one' : ''}`;
        await context.eventually(what, () => wakes > 0);
        await two.release(waiter);
      });
      await Promise.all(checks);
    },
  },
  'wake-ends-with-release': {
    title: 'a released claim is not woken by later events',
    async check(context, one, two) {
      const [holder, waiter] = pair(context);
      const witness = context.claim(holder.key);
      let [wakes, seen] = [0, 0];
      await mustGrant(one, holder, 'on a free key');
      await mustBeBusy(two, waiter, 'while it is held', () => (wakes += 1));
      await mustFreeNothing(two, waiter, 'by a waiter');
      await turn();
      wakes = 0;
      await mustBeBusy(two, witness, 'while it is held', () => (seen += 1));
      await mustFree(one, holder, 'by the holder');
      await context.eventually('another waiter to be woken after a release', () => seen > 0);
      await turn();
      assert.equal(wakes, 0, `expected no wake for a claim that was released before, got ${wakes}`);
      await two.release(witness);
    },
  },
  'wake-forgotten': {
    title: 'a provider keeps nothing of a released waiter: its callback can be collected',
    async check(context, one, two) {
      const holders = range(20).map(() => context.claim());
      for (const holder of holders) await mustGrant(one, holder, 'on a free key');
      const waiters = [...holders, ...holders].map(({ key }) => context.claim(key));
      const callbacks = await Promise.all(waiters.map((waiter) => waitWithCallback(two, waiter)));
      for (const waiter of waiters) await mustFreeNothing(two, waiter, 'by a waiter');
      const kept = (): number => {
        collectGarbage();
        return callbacks.filter((callback) => callback.deref() !== undefined).length;
      };
      // The last calls of a client may be referred to until the next ones.
      const some = waiters.length / 10;
      const what = `the callbacks of ${waiters.length} claims that were released not to be kept`;
      await context.eventually(what, kept, (count) => count <= some);
      for (const holder of holders) await mustFree(one, holder, 'by the holder');
    },
  },
  'wake-after-head-leaves': {
    title:
      'when the first in the queue gives up instead of taking its turn, it frees nothing, and the next one is woken',
    when: ['wake', 'fair'],
    async check(context, one, two, three) {
      const checks = [false, true].map(async (repeatsWithout) => {
        const [holder, head] = pair(context);
        const next = context.claim(holder.key);
        let wakes = 0;
        await mustGrant(one, holder, 'on a free key');
        await mustBeBusy(two, head, 'while it is held', () => {});
        if (repeatsWithout) await mustBeBusy(two, head, 'while it is held');
        await mustBeBusy(three, next, 'while it is held', () => (wakes += 1));
        await mustFree(one, holder, 'by the holder');
        wakes = 0;
        // The store may have granted it the key, but no attempt has returned that.
        const repeat = repeatsWithout ? ', and whose last attempt came without wake' : '';
        await mustFreeNothing(two, head, `by the first in the queue, which was not granted yet${repeat}`);
        await context.eventually('the next in the queue to be woken after the first one gave up', () => wakes > 0);
        await mustGrant(three, next, 'for the next in the queue after its wake');
        await mustFree(three, next, 'by the holder');
      });
      await Promise.all(checks);
    },
  },
  'wake-chain': {
    title: 'ten waiters of three providers are all granted by wakes only',
    async check(context) {
      const providers = await context.createMany(3);
      const holder = await context.hold(providers[0]);
      const waiters = range(10).map((index) => context.waitForWakes(pick(providers, index), context.claim(holder.key)));
      for (const waiter of waiters) await waiter.inQueue;
      await mustFree(providers[0], holder, 'by the holder');
      const done = waiters.map(async (waiter) => {
        await context.granted(waiter, 'for each of ten waiters that try again only when woken');
        await mustFree(waiter.provider, waiter.claim, 'by a waiter that was granted');
      });
      await Promise.all(done);
    },
  },
  'wake-admits-sharers': {
    title: 'when an exclusive holder releases, sharers next to each other in the queue are all woken and granted',
    when: ['wake', 'shared'],
    async check(context, one, two, three) {
      const holder = await context.hold(one);
      const sharers = [two, three, two, three].map((provider) => {
        const claim = context.claim(holder.key, { mode: 'shared' });
        return context.waitForWakes(provider, claim);
      });
      for (const sharer of sharers) await sharer.inQueue;
      await mustFree(one, holder, 'by the exclusive holder');
      for (const sharer of sharers)
        await context.granted(sharer, 'for each of four sharers in the queue, while the others still hold');
      for (const sharer of sharers) await mustFree(sharer.provider, sharer.claim, 'by a sharer');
    },
  },
});

/** Referenced only by the provider after its answer. */
async function waitWithCallback(provider: LockProvider, claim: Claim): Promise<WeakRef<() => void>> {
  const wake = (): void => {};
  await mustBeBusy(provider, claim, 'while it is held', wake);
  return new WeakRef(wake);
}

function pair(context: Context): readonly [Claim, Claim] {
  const holder = context.claim();
  return [holder, context.claim(holder.key)];
}
