import assert from 'node:assert/strict';
import type { Claim, LockProvider } from '@locks/core';
import type { Context } from '../../context.ts';
import { isIdle, mustExceed, mustFree, mustGrant, mustRenew, show } from '../../expect.ts';
import type { Requirement } from '../../requirement.ts';
import { now, within } from '../../time.ts';
import { certain, firstGrant, mustBeHeld, range } from '../steps.ts';
import { all, whenFair, whenRemote, whenShared, whenTtlExpires } from '../when.ts';
import { callLimit, lineUp, orderOf, persistent, settled, waitOn, warmUp } from './steps.ts';

/** A command took effect and its reply was lost: nobody knows, and a repeat finds out (laws 1 and 2). */
export const lostReplyRequirements: readonly Requirement[] = [
  {
    id: 'lost-reply-of-attempt',
    level: 'provider',
    title: 'an attempt whose reply was lost is unknown, never busy; repeated, it is the same hold with the same token',
    appliesTo: whenRemote,
    needs: ['dropReply'],
    async check(context) {
      const [one, two] = await context.createMany(2);
      await warmUp(context, one, two);
      for (const _ of range(3)) await attemptTwice(context, one, two, context.claim(context.key()));
    },
  },
  {
    id: 'lost-reply-of-sharer',
    level: 'provider',
    title: 'an attempt to share whose reply was lost and that is repeated takes one permit',
    appliesTo: all(whenRemote, whenShared),
    needs: ['dropReply'],
    async check(context) {
      const [one, two] = await context.createMany(2);
      await warmUp(context, one, two);
      const shared = { mode: 'shared', permits: 2 } as const;
      const early = context.claim(context.key(), shared);
      await mustGrant(one, early, 'on a free key');
      await one.release(early);
      const claim = context.claim(early.key, shared);
      await context.faults.dropReply(one);
      await mustNotBeBusy(context, one, claim);
      await mustGrant(persistent(context, one), claim, 'for a repeat');
      const [second, third] = [context.claim(claim.key, shared), context.claim(claim.key, shared)];
      await mustGrant(two, second, 'for the second of two permits: the repeat took none');
      const answer = await two.tryAcquire(third);
      assert.ok(!answer.granted, 'expected busy when both permits are taken, got a grant');
      await persistent(context, one).release(claim);
      await mustGrant(two, third, 'for the permit that was given back');
      for (const each of [second, third]) await mustFree(two, each, 'by a sharer');
      await context.state(two, claim.key, 'nobody holding or waiting', isIdle);
    },
  },
  {
    id: 'lost-reply-of-renewal',
    level: 'provider',
    title: 'a renewal whose reply was lost is unknown, never false; repeated, it succeeds',
    appliesTo: whenRemote,
    needs: ['dropReply'],
    async check(context) {
      const [one, two] = await context.createMany(2);
      await warmUp(context, one, two);
      const again = persistent(context, one);
      const claim = context.claim(context.key());
      const { token } = await mustGrant(one, claim, 'on a free key');
      for (const raise of [undefined, token + 1n]) {
        await context.faults.dropReply(one);
        await mustNotBeFalse(context, one, claim, raise);
        await mustRenew(again, claim, 'for a repeat of a renewal whose reply was lost', raise);
        await mustBeHeld(context, two, claim, 'after its renewal was repeated');
      }
      await again.release(claim);
    },
  },
  {
    id: 'lost-reply-of-renewal-counts',
    level: 'provider',
    title: 'a renewal whose reply was lost has restarted the ttl, which runs out when it is not repeated',
    appliesTo: all(whenRemote, whenTtlExpires),
    needs: ['dropReply'],
    async check(context) {
      const [one, two] = await context.createMany(2);
      await warmUp(context, one, two);
      const claim = context.claim(context.key(), { ttl: 3 * context.ttl });
      const start = now();
      await mustGrant(one, claim, 'on a free key');
      await context.faults.dropReply(one);
      const sentAt = now();
      // A machine that stood still for the whole ttl proves nothing.
      if (sentAt - start > claim.ttl / 2) return;
      await mustNotBeFalse(context, one, claim);
      const limit = now() + callLimit(context) + claim.ttl;
      const next = context.claim(claim.key);
      const taken = await firstGrant(context, two, next, limit);
      assert.ok(taken !== undefined, `expected the hold to end after its ttl of ${claim.ttl} ms`);
      const lasted = taken.answeredAt - sentAt;
      const seen = `another owner was granted after ${Math.round(lasted)} ms`;
      assert.ok(lasted >= certain(claim.ttl), `expected the hold to last ${claim.ttl} ms from its renewal, ${seen}`);
      await mustFree(two, next, 'by the next holder');
    },
  },
  {
    id: 'lost-reply-of-release',
    level: 'provider',
    title: 'a release whose reply was lost has freed the key; repeated, it settles and harms nobody',
    appliesTo: whenRemote,
    needs: ['dropReply'],
    async check(context) {
      const [one, two] = await context.createMany(2);
      await warmUp(context, one, two);
      for (const _ of range(3)) {
        const claim = context.claim(context.key());
        const { token } = await mustGrant(one, claim, 'on a free key');
        await context.faults.dropReply(one);
        await settled(context, 'a release whose reply is lost', one.release(claim));
        const next = context.claim(claim.key);
        const grant = await mustGrant(two, next, 'after a release whose reply was lost');
        if (context.traits.fencing !== 'none') mustExceed(grant.token, token, 'for the next holder');
        const freed = await persistent(context, one).release(claim);
        assert.equal(freed, false, 'expected a repeat of the release to answer false: others hold the key');
        await mustBeHeld(context, two, next, 'after the release of the owner before it was repeated');
        await mustFree(two, next, 'by the next holder, whom the repeat must not have touched');
      }
    },
  },
  {
    id: 'lost-reply-of-release-not-false',
    level: 'provider',
    title: 'a release that freed a hold and whose reply was lost is unknown or true, never false',
    appliesTo: whenRemote,
    needs: ['dropReply'],
    async check(context) {
      const [one, two] = await context.createMany(2);
      await warmUp(context, one, two);
      const claim = context.claim(context.key());
      await mustGrant(one, claim, 'on a free key');
      await context.faults.dropReply(one);
      const outcome = await settled(context, 'a release whose reply is lost', one.release(claim));
      const said = 'answer' in outcome ? outcome.answer : true;
      const message =
        'expected a release to be unknown or true, because it freed a hold though its reply was lost; it answered false';
      assert.equal(said, true, message);
    },
  },
  {
    id: 'lost-reply-of-place',
    level: 'provider',
    title: 'an attempt that took a place in line and whose reply was lost has one place, and keeps it when repeated',
    appliesTo: all(whenRemote, whenFair),
    needs: ['dropReply'],
    async check(context) {
      const [one, two, three] = await context.createMany(3);
      await warmUp(context, one, three);
      const holder = context.claim(context.key());
      await mustGrant(three, holder, 'on a free key');
      const early = await lineUp(context, [two], holder.key, 1);
      await context.faults.dropReply(one);
      const lost = waitOn(context, one, context.claim(holder.key));
      await context.state(three, holder.key, 'two in line', ({ waiters }) => waiters === 2);
      const late = await lineUp(context, [two, one], holder.key, 2);
      await within(callLimit(context), lost.inLine, 'the attempt to be answered when it is repeated');
      // A store may drop a waiter that it cannot reach when it is its turn.
      await warmUp(context, one, three);
      await context.state(three, holder.key, 'four in line, one place each', ({ waiters }) => waiters === 4);
      await mustFree(three, holder, 'by the holder');
      const order = (await orderOf(context, [...early, lost, ...late], 'after one reply was lost')).join(' ');
      assert.equal(order, '0 1 2 3', `expected the order of the line, 0 1 2 3; it was ${order}`);
      await context.state(two, holder.key, 'nobody holding or waiting', isIdle);
    },
  },
];

async function attemptTwice(context: Context, one: LockProvider, two: LockProvider, claim: Claim): Promise<void> {
  const { fencing } = context.traits;
  await context.faults.dropReply(one);
  const first = await mustNotBeBusy(context, one, claim);
  const state = await context.state(two, claim.key, 'one holder', ({ holders }) => holders.length === 1);
  const [holder] = state.holders;
  assert.equal(holder?.owner, claim.owner, `expected ${claim.owner} to hold the key, got ${show(state)}`);
  const again = persistent(context, one);
  const { token } = await mustGrant(again, claim, 'for a repeat of an attempt whose reply was lost');
  for (const earlier of [first, holder.token]) {
    if (earlier === undefined || fencing === 'none') continue;
    assert.equal(token, earlier, `expected the token of the first attempt, ${earlier}, for its repeat; got ${token}`);
  }
  await mustRenew(again, claim, 'by the holder');
  await again.release(claim);
  const next = context.claim(claim.key);
  const grant = await mustGrant(two, next, 'after one release: the repeat was no second hold');
  if (fencing !== 'none') mustExceed(grant.token, token, 'for the next holder');
  await mustFree(two, next, 'by the next holder');
}

/** An attempt on a free key whose reply is lost. Resolves to its token, if the provider found it out. */
async function mustNotBeBusy(context: Context, provider: LockProvider, claim: Claim): Promise<bigint | undefined> {
  const outcome = await settled(context, 'an attempt whose reply is lost', provider.tryAcquire(claim));
  if ('error' in outcome) return undefined;
  const { answer } = outcome;
  assert.ok(answer.granted, `expected an attempt whose reply was lost to be unknown or granted, got ${show(answer)}`);
  return answer.token;
}

async function mustNotBeFalse(context: Context, provider: LockProvider, claim: Claim, token?: bigint): Promise<void> {
  const outcome = await settled(context, 'a renewal whose reply is lost', provider.renew(claim, token));
  if ('answer' in outcome) {
    assert.notEqual(
      outcome.answer,
      false,
      'expected a renewal whose reply was lost to be unknown or to succeed, got false',
    );
  }
}
