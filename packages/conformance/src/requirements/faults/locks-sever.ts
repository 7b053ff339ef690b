import assert from 'node:assert/strict';
import { isIdle } from '../../checks/expect.ts';
import type { Requirement } from '../../requirement.ts';
import { rules } from '../rules.ts';
import { inBackground, sleep, within } from '../../checks/time.ts';
import { pick, range } from '../steps.ts';
import { whenRemote } from '../when.ts';
import { createHarmed, mustGetFree, mustKeep } from './locks-steps.ts';
import { callLimit, createOther, warmUp } from './steps.ts';

/** Users of `createLocks` do not notice that a connection was cut. */
export const locksSeverRequirements: readonly Requirement[] = rules({
  level: 'locks',
  about: 'connection',
  when: whenRemote,
  needs: ['sever'],
})({
  'locks-sever-lease': {
    title: 'a lease is held across a cut: renewals go on, and no other owner gets in',
    async check(context) {
      const { provider, locks } = await createHarmed(context);
      const other = await createOther(context);
      const ttl = 4 * context.ttl;
      const lease = await locks.acquire(context.key(), { ttl });
      await context.faults.sever(provider);
      await mustKeep(context, lease, other, ttl / 2, 'after its connection was cut');
      await context.faults.sever(provider);
      await mustKeep(context, lease, other, 0.75 * ttl, 'after its connection was cut for the second time');
      await mustGetFree(context, lease, other, 'after two cuts');
    },
  },
  'locks-sever-release': {
    title: 'a release before, while or after the connection is cut frees the key, if need be in the background',
    async check(context) {
      const { provider, locks } = await createHarmed(context, { ttl: context.longTtl });
      const other = await createOther(context);
      await warmUp(context, provider, other);
      const leases = await Promise.all(range(3).map(() => locks.acquire(context.key())));
      const [before, meanwhile, after] = leases.map((lease) => async (when: string) => {
        await mustGetFree(context, lease, other, when);
      });
      const first = inBackground(before?.('just before its connection is cut') ?? Promise.resolve());
      const cut = context.faults.sever(provider);
      const second = inBackground(meanwhile?.('while its connection is cut') ?? Promise.resolve());
      await cut;
      await after?.('just after its connection was cut');
      await Promise.all([first, second]);
    },
  },
  'locks-sever-waiters': {
    title: 'withLock of two Locks counts to exactly 16 while the connections of one are cut again and again',
    async check(context) {
      const { provider, locks } = await createHarmed(context, { ttl: context.longTtl });
      const others = await context.createLocks({ ttl: context.longTtl });
      const observer = await createOther(context);
      const key = context.key();
      let [counter, done] = [0, 0];
      const work = range(16).map((index) =>
        pick([locks, others], index).withLock(key, async (lease) => {
          const read = counter;
          await sleep(context.random.integer(8));
          assert.ok(lease.held, 'expected the lease to be held within withLock, though connections are cut');
          counter = read + 1;
          done += 1;
        }),
      );
      const finished = inBackground(Promise.all(work));
      for (let cuts = 0; cuts < 6 && done < work.length; cuts += 1) {
        await context.faults.sever(provider);
        await sleep(context.random.integer(context.ttl / 4));
      }
      await within(callLimit(context) + context.patience, finished, 'all 16 to be served after the last cut');
      assert.equal(counter, 16, `expected the counter to reach 16, it reached ${counter}: holders overlapped`);
      await context.state(observer, key, 'no holder and no waiter after the last withLock', isIdle);
    },
  },
});
