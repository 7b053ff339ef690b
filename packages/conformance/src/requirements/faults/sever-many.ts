import assert from 'node:assert/strict';
import { isLockError } from '@locks/core';
import type { Requirement } from '../../requirement.ts';
import { rules } from '../rules.ts';
import { isIdle, mustGrant, show } from '../../checks/expect.ts';
import { inBackground, turn, within } from '../../checks/time.ts';
import { pick, range } from '../steps.ts';
import { createHarmed } from './locks-steps.ts';
import { callLimit, createOther, createSides, mustStayIdle, settled } from './steps.ts';

/** More calls than any client sends simultaneously are in progress when their connection is cut. */
export const severManyRequirements: readonly Requirement[] = rules({
  level: 'provider',
  about: 'connection',
  when: ['network'],
  needs: ['sever'],
})({
  'sever-many-in-flight': {
    title: 'of 600 releases in progress when their connection is cut, each settles; after a repeat, each key is free',
    async check(context) {
      const { harmed, again, other } = await createSides(context);
      const claims = range(600).map(() => context.claim(context.key(), { ttl: 60_000 }));
      await inTurns(claims, (claim) => again.tryAcquire(claim));
      const releases = claims.map((claim) =>
        inBackground(settled(context, 'a release that was under way', harmed.release(claim))),
      );
      await context.faults.sever(harmed);
      await Promise.all(releases);
      await inTurns(claims, (claim) => again.release(claim));
      const states = await inTurns(claims, ({ key }) => other.inspect(key));
      const held = states.filter((state) => !isIdle(state)).length;
      assert.equal(held, 0, `expected each of 600 keys to be free after a repeated release; ${held} are held`);
    },
  },
  'sever-many-attempts': {
    title:
      'of 600 attempts in progress when their connection is cut, each settles; after a release, no queue contains their claims',
    async check(context) {
      const { harmed, again, other } = await createSides(context);
      const holders = range(60).map(() => context.claim());
      // Half of the keys are held: their claims wait in the queue.
      for (const holder of holders.slice(30)) await mustGrant(other, holder, 'on a free key');
      const claims = range(600).map((index) => context.claim(pick(holders, index).key, { ttl: 60_000 }));
      const attempts = claims.map((claim) =>
        inBackground(
          settled(
            context,
            'an attempt that was under way',
            harmed.tryAcquire(claim, () => {}),
          ),
        ),
      );
      await context.faults.sever(harmed);
      await Promise.all(attempts);
      await inTurns([...claims, ...holders], (claim) => again.release(claim));
      const keys = holders.map(({ key }) => key);
      await mustStayIdle(context, other, keys, 'after each of 600 attempts was released', callLimit(context));
    },
  },
  'locks-sever-aborts': {
    title: 'of 600 waits aborted while their connection is cut, each rejects, and no queue keeps a claim',
    level: 'locks',
    async check(context) {
      const options = { ttl: 4 * context.ttl, closeTimeout: callLimit(context) };
      const { provider, locks } = await createHarmed(context, options);
      const other = await createOther(context);
      const holders = range(4).map(() => context.claim());
      for (const holder of holders) await mustGrant(other, holder, 'on a free key');
      const reason = new Error('not wanted any more');
      const abort = new AbortController();
      const waits = range(600).map(async (index) => {
        const wait = locks.acquire(pick(holders, index).key, { signal: abort.signal });
        const error: unknown = await wait.then(
          () => 'a lease',
          (rejection: unknown) => rejection,
        );
        const sound = error === reason || isLockError(error, 'LOCK_UNAVAILABLE');
        assert.ok(sound, `expected an aborted wait to reject with the reason, got ${show(error)}`);
      });
      const rejected = inBackground(Promise.all(waits));
      for (let turns = context.random.integer(20); turns > 0; turns -= 1) await turn();
      const cut = context.faults.sever(provider);
      abort.abort(reason);
      await cut;
      await context.faults.sever(provider);
      await within(callLimit(context), rejected, 'each of 600 aborted waits to reject');
      for (const holder of holders) await other.release(holder);
      // An attempt whose answer was lost may take effect until its ttl ends.
      await within(2 * callLimit(context), locks.close(), 'close() to resolve when each claim was given up');
      const keys = holders.map(({ key }) => key);
      await mustStayIdle(context, other, keys, 'after 600 waits were aborted', context.patience);
    },
  },
});

/** Some at a time: all together would last longer than a call may on a busy machine. */
async function inTurns<T, R>(all: readonly T[], call: (one: T) => Promise<R>): Promise<readonly R[]> {
  const answers: R[] = [];
  while (answers.length < all.length) {
    const some = all.slice(answers.length, answers.length + 20);
    answers.push(...(await Promise.all(some.map(call))));
  }
  return answers;
}
