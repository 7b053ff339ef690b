import assert from 'node:assert/strict';
import type { Claim } from '@locks/core';
import type { Context } from '../../context/context.ts';
import { mustExceed, mustGrant, show } from '../../checks/expect.ts';
import type { Requirement } from '../../requirement.ts';
import { rules } from '../rules.ts';
import { within } from '../../checks/time.ts';
import { mustRise, range } from '../steps.ts';
import { mustHave, withRegisters } from '../registers.ts';
import { answered, callLimit, createSides, enqueue, mustStayIdle, orderOf, persistent, settled } from './steps.ts';

/** A backend that restarts, with its data or without. */
export const restartRequirements: readonly Requirement[] = rules({
  level: 'provider',
  about: 'restart',
  when: ['network'],
  needs: ['restart'],
})({
  'restart-exclusion': {
    title: 'after a restart a hold exists with its token, or is known to be gone: there are never two',
    async check(context) {
      const { again: one, other: two } = await createSides(context);
      const claims = range(4).map(() => context.claim());
      for (const claim of claims) {
        const { token } = await mustGrant(one, claim, 'on a free key');
        await context.faults.restart();
        const next = context.claim(claim.key);
        const answer = await two.tryAcquire(next);
        const renewal = await one.renew(claim);
        const seen = `after a restart: another owner's attempt was answered ${show(answer)}, the first one's renewal ${show(renewal)}`;
        // A session lost meanwhile has ended by the renewal's answer, and may not have when the
        // other owner asked.
        const ended = context.traits.expiry === 'session' && renewal === false && !answer.granted;
        const grant = ended ? await mustGrant(two, next, `for a repeat ${seen}`) : answer;
        assert.equal(renewal === false, grant.granted, `expected exactly one of two owners to hold the key ${seen}`);
        if (grant.granted) {
          mustRise(context, grant.token, token, `for the next owner ${seen}`);
          await two.release(next);
        } else {
          const repeat = await mustGrant(one, claim, 'for a repeat after a restart that kept the hold');
          const { fencing } = context.traits;
          // A session that was valid for a while may have been lost since: then this is another
          // hold.
          const another = context.traits.expiry === 'session' && repeat.token > token;
          if (fencing !== 'none' && !another)
            assert.equal(repeat.token, token, `expected the token ${token}, got ${repeat.token}`);
          await one.release(claim);
        }
      }
    },
  },
  'restart-in-flight': {
    title: 'calls in progress during a restart settle, and their effects end with a release',
    async check(context) {
      const { harmed, again, other } = await createSides(context);
      const held = await context.hold(again);
      const claims = range(12).map((index) => context.claim(index % 2 === 0 ? context.key() : held.key));
      const attempts = claims.map((claim, index) =>
        settled(
          context,
          'an attempt during a restart',
          harmed.tryAcquire(claim, index % 3 === 0 ? () => {} : undefined),
        ),
      );
      const underway = [...attempts, settled(context, 'a renewal during a restart', harmed.renew(held))];
      await Promise.all([
        context.faults.restart(),
        within(2 * callLimit(context), Promise.all(underway), 'all to settle'),
      ]);
      for (const claim of [...claims, held]) await again.release(claim);
      const keys = [...new Set(claims.map(({ key }) => key))];
      await mustStayIdle(context, other, keys, 'after a restart and a release of every claim', callLimit(context));
    },
  },
  'restart-waiters': {
    title: 'all waiters from before a restart are granted afterwards, one by one',
    async check(context) {
      await waitThrough(context, context.faults.restart, 'after a restart');
    },
  },
  'restart-tokens': {
    title: 'tokens after a restart exceed those before it',
    when: ['network', 'fenced'],
    async check(context) {
      await exceedAfter(context, context.faults.restart, 'after a restart');
    },
  },
  'restart-registers': {
    title: 'a register has its text after a restart that kept later writes',
    when: ['network', 'register'],
    check: async (context) =>
      await withRegisters(context, async ([writer, reader], name) => {
        const to = 'kept';
        for (const _ of range(3)) {
          await answered(context, 'a change', () => writer.register(name, { from: undefined, to }));
          const later = context.claim();
          const again = persistent(context, writer);
          await mustGrant(again, later, 'on a free key');
          await context.faults.restart();
          const kept = (await again.renew(later)) !== false;
          const text = await answered(context, 'a read', () => reader.register(name));
          if (kept) mustHave(text, to, 'after a restart that kept a hold that was granted later');
          await again.release(later);
          await answered(context, 'a change', () => writer.register(name, { from: to, to: undefined }));
        }
      }),
  },
  'empty-restart-waiters': {
    title: 'all waiters of a store that lost everything are granted, one by one',
    needs: ['restartEmpty'],
    async check(context) {
      await waitThrough(context, context.faults.restartEmpty, 'after a restart without data');
    },
  },
  'empty-restart-tokens': {
    title: 'tokens of a store that lost everything exceed those it granted before',
    when: ['network', 'clock-bounded'],
    needs: ['restartEmpty'],
    async check(context) {
      await exceedAfter(context, context.faults.restartEmpty, 'after a restart without data');
    },
  },
});

async function waitThrough(context: Context, restart: () => Promise<void>, when: string): Promise<void> {
  const { again, other, third } = await createSides(context);
  const holder = await context.hold(third);
  const waiters = await enqueue(context, [again, other], holder.key, 6);
  await restart();
  // It may have held through the restart, or not.
  await third.release(holder);
  await orderOf(context, waiters, when);
  await mustStayIdle(context, third, [holder.key], when, callLimit(context));
}

/** Each key has been granted several times; some are held while it restarts, others are free. */
async function exceedAfter(context: Context, restart: () => Promise<void>, when: string): Promise<void> {
  const { again, other } = await createSides(context);
  const latest: { readonly claim: Claim; readonly token: bigint }[] = [];
  for (const index of range(4)) {
    const key = context.key();
    for (const round of range(3)) {
      const claim = context.claim(key);
      const { token } = await mustGrant(again, claim, 'on a free key');
      if (round === 2) latest.push({ claim, token });
      if (round < 2 || index % 2 === 0) await again.release(claim);
    }
  }
  await restart();
  for (const { claim, token } of latest) {
    await again.release(claim);
    const next = context.claim(claim.key);
    const grant = await mustGrant(other, next, `on a free key ${when}`);
    mustExceed(grant.token, token, `for a grant ${when}`);
    await other.release(next);
  }
}
