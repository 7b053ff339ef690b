import assert from 'node:assert/strict';
import type { Context } from '../../context/context.ts';
import { mustBeBusy, mustGrant, mustRenew, show } from '../../checks/expect.ts';
import type { Requirement } from '../../requirement.ts';
import { rules } from '../rules.ts';
import { sleep } from '../../checks/time.ts';
import { mustBeFree, mustBeHeld, mustRise, pick, range } from '../steps.ts';
import { createSides, enqueue, mustKeepOrder } from './steps.ts';
import type { Sides } from './steps.ts';

/** Requests that reach the backend twice: law 2. */
export const duplicateRequirements: readonly Requirement[] = rules({
  level: 'provider',
  about: 'connection',
  when: ['network'],
  needs: ['duplicate'],
})({
  'duplicate-attempt': {
    title: 'an attempt that arrives twice is one hold with one token; one release ends it',
    async check(context) {
      const { again, other } = await createDuplicating(context);
      for (const _ of range(3)) {
        const claim = context.claim();
        const { token } = await mustGrant(again, claim, 'on a free key');
        const { holders } = await context.state(other, claim.key, 'one holder', (state) => state.holders.length > 0);
        const [holder] = holders;
        assert.equal(
          holders.length,
          1,
          `expected one holder after an attempt that arrived twice, got ${show(holders)}`,
        );
        const repeat = await mustGrant(again, claim, 'for a repeat');
        for (const seen of context.traits.fencing === 'none' ? [] : [holder?.token, repeat.token]) {
          if (seen !== undefined) assert.equal(seen, token, `expected one token, ${token}, got ${seen} too`);
        }
        await mustRenew(again, claim, 'by the holder');
        await mustBeHeld(context, other, claim, 'after an attempt that arrived twice');
        await again.release(claim);
        await mustBeFree(context, other, claim.key, 'after one release', token);
      }
    },
  },
  'duplicate-sharer': {
    title: 'an attempt to share that arrives twice takes one permit, and its release frees it',
    when: ['network', 'shared'],
    async check(context) {
      const { again, other } = await createDuplicating(context);
      const key = context.key();
      const [first, second, third, fourth] = range(4).map(() => context.claim(key, { mode: 'shared', permits: 3 }));
      assert.ok(first !== undefined && second !== undefined && third !== undefined && fourth !== undefined);
      await mustGrant(again, first, 'on a free key');
      await mustGrant(again, second, 'for the second of three permits');
      await mustGrant(other, third, 'for the third of three permits: attempts that arrived twice took one each');
      await mustBeBusy(other, fourth, 'when all permits are taken');
      await again.release(first);
      await mustGrant(other, fourth, 'for the permit that was given back');
      await mustBeBusy(other, context.claim(key, { mode: 'shared', permits: 3 }), 'because one release gives one back');
      await again.release(second);
      for (const claim of [third, fourth]) await other.release(claim);
      await context.idle(other, key);
    },
  },
  'duplicate-release': {
    title: 'a release that arrives twice frees the key once and does not touch the next holder',
    async check(context) {
      const { again, other } = await createDuplicating(context);
      const checks = range(10).map(async () => {
        const holder = await context.hold(again);
        const next = await context.queue(other, context.claim(holder.key));
        await again.release(holder);
        await context.granted(next, 'for the one in the queue, after a release that arrived twice');
        await again.release(holder);
        await mustBeHeld(context, other, next.claim, 'after the release of the owner before it arrived again');
        await next.release();
      });
      await Promise.all(checks);
    },
  },
  'duplicate-place': {
    title:
      'an attempt that arrives twice takes one position in the queue: the order stays, and a claim that leaves is gone',
    when: ['network', 'fair'],
    async check(context) {
      const { again, other } = await createDuplicating(context);
      const holder = await context.hold(other);
      const waiters = await enqueue(context, [again, other], holder.key, 6);
      await context.state(other, holder.key, 'six in the queue, one place each', (state) => state.waiters === 6);
      await pick(waiters, 2).abandon();
      await context.state(other, holder.key, 'five of six left in the queue', (state) => state.waiters === 5);
      await other.release(holder);
      const stay = waiters.filter((_, index) => index !== 2);
      await mustKeepOrder(context, stay, 'though requests arrive twice');
      await context.idle(other, holder.key);
    },
  },
  'duplicate-in-contention': {
    title: '24 waiters whose requests arrive twice, some of them, count to exactly 24 and leave nothing',
    async check(context) {
      const { again, other } = await createDuplicating(context);
      const key = context.key();
      let [counter, latest] = [0, 0n];
      const work = range(24).map(async (index) => {
        // A copy may take a member of a composite after the answer was busy. It ends with its ttl.
        const claim = context.claim(key, { ttl: context.patience });
        const waiting = context.wait(pick([again, other], index), claim);
        const { token } = await waiting.granted;
        mustRise(context, token, latest, 'for a grant in contention');
        latest = token;
        const read = counter;
        await sleep(context.random.integer(4));
        counter = read + 1;
        await waiting.release();
      });
      await Promise.all(work);
      assert.equal(counter, 24, `expected the counter to reach 24, it reached ${counter}: holders overlapped`);
      await context.idle(other, key);
    },
  },
});

/** The requests of one of them arrive twice. */
async function createDuplicating(context: Context): Promise<Sides> {
  const sides = await createSides(context);
  await context.faults.duplicate(sides.harmed);
  return sides;
}
