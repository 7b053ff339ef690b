import assert from 'node:assert/strict';
import type { LockProvider } from '@locks/core';
import type { Context } from '../../context/context.ts';
import { mustBeBusy, mustFree, mustGrant, mustReject, mustRenew } from '../../checks/expect.ts';
import type { Requirement } from '../../requirement.ts';
import { rules } from '../rules.ts';
import { turn } from '../../checks/time.ts';
import { mustBeHeld, mustBeSame, range } from '../steps.ts';

/** A held exclusive claim, repeated as shared. */
export const downgradeRequirements: readonly Requirement[] = rules({
  level: 'provider',
  about: 'sharing',
  when: ['shared'],
})({
  'downgrade-keeps-the-hold': {
    title: 'an exclusive claim repeated as shared keeps its token and admits sharers, but no exclusive owner',
    async check(context, one, two) {
      const claim = context.claim();
      const shared = { ...claim, mode: 'shared', permits: 2 } as const;
      const { token } = await mustGrant(one, claim, 'on a free key');
      const converted = await mustGrant(one, shared, 'for a downgrade');
      mustBeSame(context, converted.token, token, 'for a downgrade');
      await mustRenew(one, shared, 'by the holder after its downgrade');
      await mustBeHeld(context, two, shared, 'after its downgrade');
      const other = context.claim(claim.key, { mode: 'shared', permits: 2 });
      await mustGrant(two, other, 'for another sharer after the downgrade');
      await mustBeBusy(
        two,
        context.claim(claim.key, { mode: 'shared', permits: 2 }),
        'for a third sharer with two permits',
      );
      await context.state(two, claim.key, 'two holders, both shared', ({ holders }) => {
        return holders.length === 2 && holders.every(({ mode }) => mode === 'shared');
      });
      await mustFree(one, shared, 'by the one that was downgraded');
      await mustFree(two, other, 'by the other sharer');
    },
  },
  'downgrade-without-a-gap': {
    title: 'no exclusive owner is granted while a hold is converted to shared',
    async check(context, one, two) {
      await Promise.all(range(20).map(() => downgradeUnderAttack(context, one, two)));
    },
  },
  'downgrade-admits-sharers': {
    title: 'sharers in the queue are woken and admitted by a downgrade, an exclusive waiter is not',
    async check(context, one, two) {
      const claim = await context.hold(one);
      // By wakes only, if there are any.
      const wait = context.traits.wake ? context.waitForWakes : context.wait;
      const sharers = [two, one, two].map((provider) => wait(provider, context.claim(claim.key, { mode: 'shared' })));
      for (const sharer of sharers) await sharer.inQueue;
      const writer = wait(two, context.claim(claim.key));
      await writer.inQueue;
      await mustGrant(one, { ...claim, mode: 'shared' }, 'for a downgrade');
      for (const sharer of sharers)
        await context.granted(sharer, 'for a sharer in the queue, after the holder was downgraded');
      assert.equal(
        writer.isGranted,
        false,
        'expected the exclusive waiter to wait while sharers hold the key, it was granted',
      );
      for (const sharer of sharers) await mustFree(sharer.provider, sharer.claim, 'by a sharer');
      await mustFree(one, { ...claim, mode: 'shared' }, 'by the one that was downgraded');
      await context.granted(writer, 'for the exclusive waiter, after the last sharer has gone');
      await mustFree(two, writer.claim, 'by the exclusive holder');
    },
  },
  'upgrade-refused': {
    title: 'a shared claim repeated as exclusive rejects with LOCK_INVALID and changes nothing',
    async check(context, one, two) {
      const shared = context.claim(context.key(), { mode: 'shared' });
      const other = context.claim(shared.key, { mode: 'shared' });
      const { token } = await mustGrant(one, shared, 'on a free key');
      for (const wake of [undefined, () => {}]) {
        const upgrade = one.tryAcquire({ ...shared, mode: 'exclusive' }, wake);
        await mustReject(upgrade, 'LOCK_INVALID', 'for a shared hold repeated as exclusive');
      }
      await mustGrant(two, other, 'for another sharer, because the refused upgrade took no position in the queue');
      const again = await mustGrant(one, shared, 'for a repeat of the shared claim');
      mustBeSame(context, again.token, token, 'after a refused upgrade');
      await mustFree(one, shared, 'by the sharer whose upgrade was refused');
      await mustFree(two, other, 'by the other sharer');
    },
  },
});

async function downgradeUnderAttack(context: Context, one: LockProvider, two: LockProvider): Promise<void> {
  const claim = context.claim();
  const shared = { ...claim, mode: 'shared' } as const;
  await mustGrant(one, claim, 'on a free key');
  let done = false;
  const attack = range(3).map(async () => {
    for (let attempt = 1; !done; attempt += 1) {
      // Bursts find a gap within one turn of the event loop; the pause between them lets the
      // conversion continue.
      if (attempt % 10 === 0) await turn();
      const attacker = context.claim(claim.key);
      const answer = await two.tryAcquire(attacker);
      assert.equal(
        answer.granted,
        false,
        'expected no exclusive grant during a downgrade; there was a gap, and another owner got in',
      );
    }
  });
  const conversion = mustGrant(one, shared, 'for a downgrade').finally(() => (done = true));
  await Promise.all([conversion, ...attack]);
  await mustBeHeld(context, two, shared, 'after its downgrade');
  await mustFree(one, shared, 'by the one that was downgraded');
}
