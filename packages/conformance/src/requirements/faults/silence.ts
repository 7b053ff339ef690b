import assert from 'node:assert/strict';
import type { Claim, LockProvider } from '@locks/core';
import { longestPlace } from '../../context/context.ts';
import type { Context } from '../../context/context.ts';
import type { Direction } from '../../faults/faults.ts';
import { mustBeBusy, mustGrant, mustRenew } from '../../checks/expect.ts';
import type { Requirement } from '../../requirement.ts';
import { rules } from '../rules.ts';
import { within } from '../../checks/time.ts';
import {
  callLimit,
  createOther,
  createSides,
  createWarm,
  enqueue,
  mustBeUnknown,
  mustStayIdle,
  persistent,
  settled,
  waitForWakes,
  warmUp,
} from './steps.ts';
import { mustBeFree } from '../steps.ts';

/** The directions in which a provider can be silently cut off. */
export const directions: readonly Direction[] = ['requests', 'replies', 'both'];

/** The backend does not answer: every call ends, and claims nothing that it cannot know. */
export const silenceRequirements: readonly Requirement[] = rules({
  level: 'provider',
  about: 'outage',
  needs: ['silence'],
})({
  'silence-is-unknown': {
    title: 'calls without an answer reject as unknown in time; after the silence the provider works again',
    when: ['network'],
    async check(context) {
      const other = await createOther(context);
      const checks = directions.map(async (direction) => {
        const provider = await context.create();
        await warmUp(context, provider, other);
        const begin = (): Promise<() => Promise<void>> => context.faults.silence(provider, direction);
        await mustNotKnow(context, provider, other, begin, `while its ${nameOf(direction)} are lost`);
      });
      await Promise.all(checks);
    },
  },
  'pause-is-unknown': {
    title: 'calls to a frozen backend reject as unknown in time; when it continues, the provider works again',
    when: ['network'],
    needs: ['pause'],
    async check(context) {
      const { harmed, other } = await createWarm(context);
      await mustNotKnow(context, harmed, other, context.faults.pause, 'while the backend is frozen');
    },
  },
  'silence-wakes': {
    title: 'a waiter that was silently cut off while the holder released is woken when the silence ends',
    when: ['network', 'wake'],
    async check(context) {
      const { harmed, other } = await createWarm(context);
      const holder = await context.hold(other);
      const waiter = waitForWakes(context, harmed, context.claim(holder.key));
      await within(callLimit(context), waiter.inQueue, 'the waiter to have its position in the queue');
      const end = await context.faults.silence(harmed, 'both');
      await other.release(holder);
      await end();
      await context.granted(waiter, 'by a wake alone, when the silence is over in which the holder released');
      await waiter.release();
    },
  },
  'silence-ends-place': {
    title: 'a position in the queue whose release was lost lapses, although its provider keeps another one on the key',
    when: ['network', 'fair', 'ttl'],
    async check(context) {
      const { harmed, again, other } = await createSides(context);
      const holder = await context.hold(other);
      const left = context.claim(holder.key);
      await mustBeBusy(again, left, 'while it is held', () => {});
      const [behind, kept] = await enqueue(context, [other, harmed], holder.key, 2);
      assert.ok(behind !== undefined && kept !== undefined);
      const end = await context.faults.silence(harmed, 'both');
      await settled(context, 'a release that is lost', harmed.release(left));
      await end();
      await other.release(holder);
      const limit = longestPlace + context.patience;
      await within(limit, behind.granted, 'a grant for the one behind a place whose release was lost');
      await behind.release();
      await context.granted(kept, 'for the one that its provider kept in the queue');
      await kept.release();
    },
  },
});

/** What a direction is about. */
export function nameOf(direction: Direction): string {
  return direction === 'both' ? 'requests and replies' : direction;
}

/**
 * A session may be valid for a while, which is an answer; a ttl can only be restarted by the store.
 */
async function mustNotBeRenewed(context: Context, provider: LockProvider, claim: Claim, when: string): Promise<void> {
  const what = `a renewal ${when}`;
  if (context.traits.expiry === 'ttl') {
    await mustBeUnknown(context, what, provider.renew(claim));
    return;
  }
  const outcome = await settled(context, what, provider.renew(claim));
  const lost = 'answer' in outcome && outcome.answer === false;
  assert.ok(!lost, `expected ${what} to be unknown or what the session tells, it was returned false`);
}

/**
 * Every call of `provider` between the beginning and the end of a fault during which it gets no
 * answer.
 */
async function mustNotKnow(
  context: Context,
  provider: LockProvider,
  other: LockProvider,
  begin: () => Promise<() => Promise<void>>,
  when: string,
): Promise<void> {
  const again = persistent(context, provider);
  const taken = await context.hold(other);
  await mustBeBusy(again, context.claim(taken.key), 'while another provider holds it');
  const [held, leaving] = [context.claim(), context.claim()];
  for (const claim of [held, leaving]) await mustGrant(again, claim, 'on a free key');
  const [free, waiting, busy]: readonly [Claim, Claim, Claim] = [
    context.claim(),
    context.claim(taken.key),
    context.claim(taken.key),
  ];
  const end = await begin();
  await Promise.all([
    mustBeUnknown(context, `an attempt on a free key ${when}`, provider.tryAcquire(free)),
    mustBeUnknown(
      context,
      `an attempt with wake ${when}`,
      provider.tryAcquire(waiting, () => {}),
    ),
    mustBeUnknown(context, `an attempt on a key that another holds ${when}`, provider.tryAcquire(busy)),
    mustNotBeRenewed(context, provider, held, when),
    mustBeUnknown(context, `a release ${when}`, provider.release(leaving)),
    mustBeUnknown(context, `an inspection ${when}`, provider.inspect(held.key)),
  ]);
  await end();
  // A session may have ended by now, and its holds with it.
  if (context.traits.expiry === 'ttl') await mustRenew(again, held, `by the holder, after calls rejected ${when}`);
  for (const claim of [free, waiting, busy, held, leaving]) await again.release(claim);
  await other.release(taken);
  const keys = [free, taken, held, leaving].map(({ key }) => key);
  await mustStayIdle(context, again, keys, `after every claim was released that rejected ${when}`, callLimit(context));
  await mustBeFree(context, again, free.key, `on a free key, after calls rejected ${when}`);
}
