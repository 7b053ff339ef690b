import assert from 'node:assert/strict';
import { isLockError } from '@locks/core';
import type { Claim, LockProvider } from '@locks/core';
import type { Context } from '../../context/context.ts';
import { mustGrant, mustRenew, show } from '../../checks/expect.ts';
import type { Requirement } from '../../requirement.ts';
import { rules } from '../rules.ts';
import { certain, now, sleep, within } from '../../checks/time.ts';
import { firstGrant, mustBeFree, mustBeHeld, mustRise, range } from '../steps.ts';
import { callLimit, createWarm, enqueue, mustKeepOrder, settled, waitOn, warmUp } from './steps.ts';
import type { Sides } from './steps.ts';

/** A command took effect and its reply was lost: a repeat finds out (laws 1 and 2). */
export const lostReplyRequirements: readonly Requirement[] = rules({
  level: 'provider',
  about: 'connection',
  needs: ['dropReply'],
})({
  'lost-reply-of-attempt': {
    title:
      'an attempt with a lost reply is unknown, not busy and not "never sent"; a repeat is the same hold with the same token',
    when: ['network'],
    async check(context) {
      const sides = await createWarm(context);
      for (const _ of range(3)) await attemptTwice(context, sides, context.claim());
    },
  },
  'lost-reply-of-sharer': {
    title: 'a repeated attempt to share, whose reply was lost, takes one permit',
    when: ['network', 'shared'],
    async check(context) {
      const { harmed, again, other } = await createWarm(context);
      const shared = { mode: 'shared', permits: 2 } as const;
      const early = await context.hold(again, shared);
      await again.release(early);
      const claim = context.claim(early.key, shared);
      await context.faults.dropReply(harmed);
      await mustNotBeBusy(context, harmed, claim);
      await mustGrant(again, claim, 'for a repeat');
      const [second, third] = [context.claim(claim.key, shared), context.claim(claim.key, shared)];
      await mustGrant(other, second, 'for the second of two permits: the repeat took none');
      const answer = await other.tryAcquire(third);
      assert.ok(!answer.granted, 'expected busy when both permits are taken, got a grant');
      await again.release(claim);
      await mustGrant(other, third, 'for the permit that was given back');
      for (const each of [second, third]) await other.release(each);
      await context.idle(other, claim.key);
    },
  },
  'lost-reply-of-place': {
    title:
      'an attempt that took a position in the queue, and whose reply was lost, has one position, and keeps it when repeated',
    when: ['network', 'fair'],
    async check(context) {
      const { harmed, other, third } = await createWarm(context);
      const holder = await context.hold(third);
      const early = await enqueue(context, [other], holder.key, 1);
      await context.faults.dropReply(harmed);
      const lost = waitOn(context, harmed, context.claim(holder.key));
      await context.state(third, holder.key, 'two in the queue', ({ waiters }) => waiters === 2);
      const late = await enqueue(context, [other, harmed], holder.key, 2);
      await within(callLimit(context), lost.inQueue, 'the attempt to be answered when it is repeated');
      // A store may drop a waiter that it cannot reach when its turn comes.
      await warmUp(context, harmed, third);
      await context.state(third, holder.key, 'four in the queue, one place each', ({ waiters }) => waiters === 4);
      await third.release(holder);
      await mustKeepOrder(context, [...early, lost, ...late], 'after one reply was lost');
      await context.idle(other, holder.key);
    },
  },
  // A holder's command took effect and its reply was lost (laws 1 and 2).
  'lost-reply-of-renewal': {
    title: 'a renewal with a lost reply is unknown, never false; a repeat succeeds',
    when: ['network'],
    async check(context) {
      const { harmed, again, other } = await createWarm(context);
      const claim = context.claim();
      const { token } = await mustGrant(again, claim, 'on a free key');
      for (const raise of [undefined, token + 1n]) {
        await context.faults.dropReply(harmed);
        await mustNotSayFalse(context, 'a renewal whose reply is lost', harmed.renew(claim, raise));
        await mustRenew(again, claim, 'for a repeat of a renewal whose reply was lost', raise);
        await mustBeHeld(context, other, claim, 'after its renewal was repeated');
      }
      await again.release(claim);
    },
  },
  'lost-reply-of-renewal-counts': {
    title: 'a renewal with a lost reply has restarted the ttl, which ends if it is not repeated',
    when: ['network', 'ttl'],
    async check(context) {
      const { harmed, again, other } = await createWarm(context);
      const claim = context.claim(context.key(), { ttl: 3 * context.ttl });
      const start = now();
      await mustGrant(again, claim, 'on a free key');
      await context.faults.dropReply(harmed);
      const sentAt = now();
      const outcome = await settled(context, 'a renewal whose reply is lost', harmed.renew(claim));
      if ('answer' in outcome && outcome.answer === false) {
        const age = `${Math.round(now() - start)} ms after the grant`;
        assert.ok(
          now() - start >= certain(claim.ttl),
          `expected a hold of ${claim.ttl} ms to be renewed ${age}, got false`,
        );
        return;
      }
      const limit = now() + callLimit(context) + claim.ttl;
      const next = context.claim(claim.key);
      const taken = await firstGrant(context, other, next, limit);
      assert.ok(taken !== undefined, `expected the hold to end after its ttl of ${claim.ttl} ms`);
      const lasted = taken.answeredAt - sentAt;
      const seen = `another owner was granted after ${Math.round(lasted)} ms`;
      assert.ok(lasted >= certain(claim.ttl), `expected the hold to last ${claim.ttl} ms from its renewal, ${seen}`);
      await other.release(next);
    },
  },
  'lost-reply-of-release': {
    title: 'a release with a lost reply has freed the key, and does not return false; a repeat is harmless',
    when: ['network'],
    async check(context) {
      const { harmed, again, other } = await createWarm(context);
      for (const _ of range(3)) {
        const claim = context.claim();
        const { token } = await mustGrant(again, claim, 'on a free key');
        await context.faults.dropReply(harmed);
        await mustNotSayFalse(context, 'a release whose reply is lost', harmed.release(claim));
        const next = context.claim(claim.key);
        const grant = await mustGrant(other, next, 'after a release whose reply was lost');
        mustRise(context, grant.token, token, 'for the next holder');
        const freed = await again.release(claim);
        assert.equal(freed, false, 'expected a repeat of the release to return false: others hold the key');
        await mustBeHeld(context, other, next, 'after the release of the owner before it was repeated');
        await other.release(next);
      }
    },
  },
  'lost-reply-of-release-while-reconnecting': {
    title: 'a release after a cut, at any moment until the connection is restored, with a lost reply, is never false',
    when: ['network'],
    needs: ['dropReply', 'sever'],
    async check(context) {
      const { harmed, again, other } = await createWarm(context);
      for (const round of range(5)) {
        const claim = await context.hold(again);
        await context.faults.sever(harmed);
        await sleep(round * 10);
        await context.faults.dropReply(harmed);
        const what = `a release whose reply is lost, ${round * 10} ms after a cut`;
        await mustNotSayFalse(context, what, harmed.release(claim));
        // If nothing was sent, the trap is for this.
        await settled(context, 'a release that is repeated', harmed.release(claim));
        await again.release(claim);
        await context.idle(other, claim.key);
      }
    },
  },
});

async function attemptTwice(context: Context, { harmed, again, other }: Sides, claim: Claim): Promise<void> {
  const { fencing } = context.traits;
  await context.faults.dropReply(harmed);
  const first = await mustNotBeBusy(context, harmed, claim);
  const state = await context.state(other, claim.key, 'one holder', ({ holders }) => holders.length === 1);
  const [holder] = state.holders;
  assert.equal(holder?.owner, claim.owner, `expected ${claim.owner} to hold the key, got ${show(state)}`);
  const { token } = await mustGrant(again, claim, 'for a repeat of an attempt whose reply was lost');
  for (const earlier of [first, holder.token]) {
    if (earlier === undefined || fencing === 'none') continue;
    assert.equal(token, earlier, `expected the token of the first attempt, ${earlier}, for its repeat; got ${token}`);
  }
  await mustRenew(again, claim, 'by the holder');
  await again.release(claim);
  await mustBeFree(context, other, claim.key, 'after one release: the repeat was no second hold', token);
}

/**
 * An attempt on a free key whose reply is lost. Resolves to its token, if the provider found it
 * out.
 */
async function mustNotBeBusy(context: Context, provider: LockProvider, claim: Claim): Promise<bigint | undefined> {
  const outcome = await settled(context, 'an attempt whose reply is lost', provider.tryAcquire(claim));
  if ('error' in outcome) {
    const { error } = outcome;
    const wrong = isLockError(error) && error.sent === false;
    assert.ok(!wrong, 'expected an attempt whose reply was lost not to be called never sent ("sent: false")');
    return undefined;
  }
  const { answer } = outcome;
  assert.ok(answer.granted, `expected an attempt whose reply was lost to be unknown or granted, got ${show(answer)}`);
  return answer.token;
}

/** A call that takes effect: it is unknown, or returns true. */
async function mustNotSayFalse(context: Context, what: string, call: Promise<unknown>): Promise<void> {
  const outcome = await settled(context, what, call);
  const said = !('answer' in outcome) || outcome.answer;
  assert.notEqual(
    said,
    false,
    `expected ${what} to be unknown or to succeed, because it took effect; it returned false`,
  );
}
