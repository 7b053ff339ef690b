import assert from 'node:assert/strict';
import { isLockError } from '@locks/core';
import type { Claim, LockProvider } from '@locks/core';
import type { Context } from '../../context/context.ts';
import { isIdle, mustExceed, mustGrant, mustRenew, show } from '../../checks/expect.ts';
import type { Requirement } from '../../requirement.ts';
import { rules } from '../rules.ts';
import { within } from '../../checks/time.ts';
import { range } from '../steps.ts';
import { all, whenFair, whenRemote, whenShared } from '../when.ts';
import { callLimit, createWarm, lineUp, orderOf, settled, waitOn, warmUp } from './steps.ts';
import type { Sides } from './steps.ts';

/** A command took effect and its reply was lost: a repeat finds out (laws 1 and 2). */
export const lostReplyRequirements: readonly Requirement[] = rules({
  level: 'provider',
  about: 'connection',
  needs: ['dropReply'],
})({
  'lost-reply-of-attempt': {
    title:
      'an attempt whose reply was lost is unknown, not busy and not never sent; a repeat is the same hold with the same token',
    when: whenRemote,
    async check(context) {
      const sides = await createWarm(context);
      for (const _ of range(3)) await attemptTwice(context, sides, context.claim(context.key()));
    },
  },
  'lost-reply-of-sharer': {
    title: 'an attempt to share whose reply was lost and that is repeated takes one permit',
    when: all(whenRemote, whenShared),
    async check(context) {
      const { harmed, again, other } = await createWarm(context);
      const shared = { mode: 'shared', permits: 2 } as const;
      const early = context.claim(context.key(), shared);
      await mustGrant(again, early, 'on a free key');
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
      await context.state(other, claim.key, 'no holder and no waiter', isIdle);
    },
  },
  'lost-reply-of-place': {
    title: 'an attempt that took a place in line and whose reply was lost has one place, and keeps it when repeated',
    when: all(whenRemote, whenFair),
    async check(context) {
      const { harmed, other, third } = await createWarm(context);
      const holder = context.claim(context.key());
      await mustGrant(third, holder, 'on a free key');
      const early = await lineUp(context, [other], holder.key, 1);
      await context.faults.dropReply(harmed);
      const lost = waitOn(context, harmed, context.claim(holder.key));
      await context.state(third, holder.key, 'two in line', ({ waiters }) => waiters === 2);
      const late = await lineUp(context, [other, harmed], holder.key, 2);
      await within(callLimit(context), lost.inLine, 'the attempt to be answered when it is repeated');
      // A store may drop a waiter that it cannot reach when it is its turn.
      await warmUp(context, harmed, third);
      await context.state(third, holder.key, 'four in line, one place each', ({ waiters }) => waiters === 4);
      await third.release(holder);
      const order = (await orderOf(context, [...early, lost, ...late], 'after one reply was lost')).join(' ');
      assert.equal(order, '0 1 2 3', `expected the order of the line, 0 1 2 3; it was ${order}`);
      await context.state(other, holder.key, 'no holder and no waiter', isIdle);
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
  const next = context.claim(claim.key);
  const grant = await mustGrant(other, next, 'after one release: the repeat was no second hold');
  if (fencing !== 'none') mustExceed(grant.token, token, 'for the next holder');
  await other.release(next);
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
