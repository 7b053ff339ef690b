import assert from 'node:assert/strict';
import type { Claim, LockProvider } from '@locks/core';
import type { Context } from '../../context/context.ts';
import { isIdle, mustExceed, mustGrant, mustRenew } from '../../checks/expect.ts';
import type { Requirement } from '../../requirement.ts';
import { rules } from '../rules.ts';
import { certain, now, sleep } from '../../checks/time.ts';
import { firstGrant, mustBeHeld, range } from '../steps.ts';
import { all, whenRemote, whenTtlExpires } from '../when.ts';
import { callLimit, createWarm, settled } from './steps.ts';

/** A holder's command took effect and its reply was lost (laws 1 and 2). */
export const lostReplyToHolderRequirements: readonly Requirement[] = rules({
  level: 'provider',
  about: 'connection',
  when: whenRemote,
  needs: ['dropReply'],
})({
  'lost-reply-of-renewal': {
    title: 'a renewal whose reply was lost is unknown, never false; repeated, it succeeds',
    async check(context) {
      const { harmed, again, other } = await createWarm(context);
      const claim = context.claim(context.key());
      const { token } = await mustGrant(again, claim, 'on a free key');
      for (const raise of [undefined, token + 1n]) {
        await context.faults.dropReply(harmed);
        await mustNotBeFalse(context, harmed, claim, raise);
        await mustRenew(again, claim, 'for a repeat of a renewal whose reply was lost', raise);
        await mustBeHeld(context, other, claim, 'after its renewal was repeated');
      }
      await again.release(claim);
    },
  },
  'lost-reply-of-renewal-counts': {
    title: 'a renewal whose reply was lost has restarted the ttl, which runs out when it is not repeated',
    when: all(whenRemote, whenTtlExpires),
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
    title: 'a release whose reply was lost has freed the key; repeated, it settles and does no harm',
    async check(context) {
      const { harmed, again, other } = await createWarm(context);
      for (const _ of range(3)) {
        const claim = context.claim(context.key());
        const { token } = await mustGrant(again, claim, 'on a free key');
        await context.faults.dropReply(harmed);
        await settled(context, 'a release whose reply is lost', harmed.release(claim));
        const next = context.claim(claim.key);
        const grant = await mustGrant(other, next, 'after a release whose reply was lost');
        if (context.traits.fencing !== 'none') mustExceed(grant.token, token, 'for the next holder');
        const freed = await again.release(claim);
        assert.equal(freed, false, 'expected a repeat of the release to answer false: others hold the key');
        await mustBeHeld(context, other, next, 'after the release of the owner before it was repeated');
        await other.release(next);
      }
    },
  },
  'lost-reply-of-release-not-false': {
    title: 'a release that freed a hold and whose reply was lost is unknown or true, never false',
    async check(context) {
      const { harmed, again } = await createWarm(context);
      const claim = context.claim(context.key());
      await mustGrant(again, claim, 'on a free key');
      await context.faults.dropReply(harmed);
      const outcome = await settled(context, 'a release whose reply is lost', harmed.release(claim));
      const said = 'answer' in outcome ? outcome.answer : true;
      const message =
        'expected a release to be unknown or true, because it freed a hold though its reply was lost; it answered false';
      assert.equal(said, true, message);
    },
  },
  'lost-reply-of-release-while-reconnecting': {
    title:
      'a release that is called after a cut, at any moment until it is mended, and whose reply was lost is never false',
    needs: ['dropReply', 'sever'],
    async check(context) {
      const { harmed, again, other } = await createWarm(context);
      for (const round of range(5)) {
        const claim = context.claim(context.key());
        await mustGrant(again, claim, 'on a free key');
        await context.faults.sever(harmed);
        await sleep(round * 10);
        await context.faults.dropReply(harmed);
        const what = `a release whose reply is lost, ${round * 10} ms after a cut`;
        const outcome = await settled(context, what, harmed.release(claim));
        const said = 'answer' in outcome ? outcome.answer : true;
        assert.equal(said, true, `expected ${what}, to be unknown or true, because it freed a hold; it answered false`);
        // Where nothing was sent, the trap is for this.
        await settled(context, 'a release that is repeated', harmed.release(claim));
        await again.release(claim);
        await context.state(other, claim.key, 'no holder and no waiter', isIdle);
      }
    },
  },
});

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
