import assert from 'node:assert/strict';
import { isIdle, mustBeBusy, mustGrant, mustRenew, show } from '../../checks/expect.ts';
import type { Requirement } from '../../requirement.ts';
import { rules } from '../rules.ts';
import { inBackground, sleep, within } from '../../checks/time.ts';
import { modesOf, mustBeFree, mustBeHeld, mustBeSame, pick, range } from '../steps.ts';
import {
  callLimit,
  createSides,
  createWarm,
  enqueue,
  mustKeepOrder,
  mustStayIdle,
  settled,
  waitForWakes,
  warmUp,
} from './steps.ts';

/** A cut connection is restored, and nothing is lost with it. */
export const severRequirements: readonly Requirement[] = rules({
  level: 'provider',
  about: 'connection',
  when: ['network'],
  needs: ['sever'],
})({
  'sever-calls-work-again': {
    title: 'after its connections were cut, unused or in use, every call of a provider works again',
    async check(context) {
      const { harmed, again, other } = await createSides(context);
      const holder = await context.hold(other);
      for (const round of range(3)) {
        await context.faults.sever(harmed);
        await mustBeBusy(again, context.claim(holder.key), `while another provider holds it, after cut ${round + 1}`);
        const claim = context.claim();
        await mustGrant(again, claim, `on a free key, after cut ${round + 1}`);
        await mustRenew(again, claim, `by the holder, after cut ${round + 1}`);
        await context.faults.sever(harmed);
        await again.release(claim);
        await context.state(other, claim.key, `no holder after a release that followed cut ${round + 1}`, isIdle);
      }
      await mustBeHeld(context, again, holder, 'after the connections of another provider were cut');
      await other.release(holder);
    },
  },
  'sever-in-flight': {
    title: 'calls in progress when their connection is cut settle; after a repeat, each attempt is one hold',
    async check(context) {
      const { harmed, again, other } = await createSides(context);
      const claims = range(12).map(() => context.claim());
      const attempts = claims.map((claim) =>
        inBackground(settled(context, 'an attempt that was under way', harmed.tryAcquire(claim))),
      );
      await context.faults.sever(harmed);
      const outcomes = await Promise.all(attempts);
      for (const [index, claim] of claims.entries()) {
        const outcome = pick(outcomes, index);
        const when = `for a repeat, after the first attempt came to ${show(outcome)}`;
        const { token } = await mustGrant(again, claim, when);
        if ('answer' in outcome) {
          assert.ok(outcome.answer.granted, `expected no busy answer on a free key, got ${show(outcome.answer)}`);
          mustBeSame(context, token, outcome.answer.token, when);
        }
        await mustBeHeld(context, other, claim, 'after its attempt was repeated');
        await again.release(claim);
        await mustBeFree(context, other, claim.key, 'after one release: a repeated attempt is no second hold');
      }
      const keys = claims.map(({ key }) => key);
      await mustStayIdle(context, other, keys, 'after a release of every claim', context.patience);
    },
  },
  'sever-keeps-hold': {
    title: 'a hold survives a cut: others are busy, a repeat has the same token, it can be renewed and released',
    async check(context) {
      const { harmed, again, other } = await createSides(context);
      const modes = modesOf(context);
      for (const mode of modes) {
        const claim = context.claim(context.key(), { mode });
        const { token } = await mustGrant(again, claim, 'on a free key');
        await context.faults.sever(harmed);
        await mustBeHeld(context, other, claim, 'while its connection is cut');
        const repeat = await mustGrant(again, claim, 'for a repeat after a cut');
        mustBeSame(context, repeat.token, token, 'for a repeat after a cut');
        await context.faults.sever(harmed);
        await mustRenew(again, claim, 'by the holder after a cut');
        await mustBeHeld(context, other, claim, 'after it was renewed');
        await again.release(claim);
        await mustBeFree(context, other, claim.key, 'after the release', token);
      }
    },
  },
  'sever-keeps-place': {
    title: 'a position in the queue survives a cut: one position each, and the order stays',
    when: ['network', 'fair'],
    async check(context) {
      const { harmed, other, third } = await createWarm(context);
      const holder = await context.hold(third);
      const waiters = await enqueue(context, [harmed, other], holder.key, 5);
      for (const _ of range(2)) {
        await context.faults.sever(harmed);
        // A store may drop a waiter that it cannot reach when its turn comes; a reconnected one is
        // not dropped.
        await warmUp(context, harmed, third);
      }
      await context.state(third, holder.key, 'five in the queue, as before the cut', (state) => state.waiters === 5);
      await third.release(holder);
      await mustKeepOrder(context, waiters, 'after the connections of three of them were cut');
      await context.idle(third, holder.key);
    },
  },
  'sever-own-order': {
    title: 'waiters of one process whose connections are cut as the holder releases keep their order',
    when: ['network', 'fair'],
    async check(context) {
      const { harmed, third } = await createWarm(context);
      for (const _ of range(3)) {
        const holder = await context.hold(third);
        const waiters = await enqueue(context, [harmed], holder.key, 5);
        await context.faults.sever(harmed);
        await third.release(holder);
        await mustKeepOrder(context, waiters, 'after their connections were cut');
      }
    },
  },
  'sever-wakes': {
    title: 'a waiter whose connection is cut before, during or after the release by the holder is woken',
    when: ['network', 'wake'],
    async check(context) {
      const { harmed, other } = await createWarm(context);
      const holders = range(9).map(() => context.claim());
      for (const holder of holders) await mustGrant(other, holder, 'on a free key');
      const waiters = holders.map(({ key }) => waitForWakes(context, harmed, context.claim(key)));
      for (const waiter of waiters)
        await within(callLimit(context), waiter.inQueue, 'a waiter to have its position in the queue');
      const releaseSome = (part: number) =>
        Promise.all(holders.slice(part * 3, part * 3 + 3).map((holder) => other.release(holder)));
      await releaseSome(0);
      await Promise.all([context.faults.sever(harmed), releaseSome(1)]);
      await releaseSome(2);
      for (const [index, waiter] of waiters.entries()) {
        const moment = pick(['just before', 'during', 'just after'], Math.floor(index / 3));
        await context.granted(waiter, `by a wake alone, when the holder released ${moment} the cut`);
      }
      for (const waiter of waiters) await waiter.release();
    },
  },
  'sever-again-and-again': {
    title: 'two providers increment a non-atomic counter to exactly 24 while the connections of one are repeatedly cut',
    async check(context) {
      const { harmed, again, other } = await createSides(context);
      const key = context.key();
      let [counter, done] = [0, 0];
      const work = range(24).map(async (index) => {
        const waiting = context.wait(pick([again, other], index), context.claim(key));
        await waiting.granted;
        const read = counter;
        await sleep(context.random.integer(8));
        counter = read + 1;
        await waiting.release();
        done += 1;
      });
      const finished = inBackground(Promise.all(work));
      for (let cuts = 0; cuts < 6 && done < work.length; cuts += 1) {
        await context.faults.sever(harmed);
        await sleep(context.random.integer(context.ttl / 4));
      }
      await within(callLimit(context) + context.patience, finished, 'all 24 waiters to be served after the last cut');
      assert.equal(counter, 24, `expected the counter to reach 24, it reached ${counter}: holders overlapped`);
      await context.idle(other, key);
    },
  },
});
