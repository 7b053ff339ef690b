import assert from 'node:assert/strict';
import type { Locks } from '@locks/core';
import { isIdle, mustReject } from '../../checks/expect.ts';
import { inBackground, within } from '../../checks/time.ts';
import type { Context } from '../../context/context.ts';
import type { Requirement } from '../../requirement.ts';
import { rules } from '../rules.ts';
import { whenShared } from '../when.ts';

/** A call inside of another that would wait for it. */
interface Nested {
  readonly when: string;
  call(locks: Locks, key: string): Promise<unknown>;
}

/** Each must be refused at once, with the key, and must leave nothing in line. */
async function mustRefuse(context: Context, locks: Locks, nested: readonly Nested[]): Promise<void> {
  const provider = await context.create();
  for (const { when, call } of nested) {
    const key = context.key();
    const error = await within(
      context.patience,
      inBackground(mustReject(call(locks, key), 'LOCK_DEADLOCK', when)),
      `a refusal ${when}`,
    );
    assert.equal(error.key, key, `expected the key in the error ${when}`);
    await context.state(provider, key, `no holder and no waiter ${when}`, isIdle);
  }
}

/** Calls of one asynchronous context that would wait for themselves. */
export const deadlocksRequirements: readonly Requirement[] = rules({ level: 'locks', about: 'object' })({
  'locks-deadlock': {
    title: 'a call that would wait for what its own asynchronous context holds is refused, and no other one',
    async check(context) {
      const locks = await context.createLocks({ ttl: context.longTtl, findDeadlocks: true });
      await mustRefuse(context, locks, [
        {
          when: 'for a mutex inside of itself',
          call: (all, key) => all.mutex(key).withLock(() => all.mutex(key).withLock(() => 1)),
        },
        {
          when: 'for a key of a multi-lock',
          call: (all, key) => all.multiLock([key, context.key()]).withLock(() => all.acquire(key)),
        },
      ]);
      const key = context.key();
      const work = [1, 2, 3].map((each) => locks.withLock(key, () => locks.withLock(context.key(), () => each)));
      const done = await within(context.patience, inBackground(Promise.all(work)), 'an end of calls of other contexts');
      assert.deepEqual(done, [1, 2, 3], 'expected the results of all calls');
    },
  },
  'locks-deadlock-shared': {
    title: 'a writer inside of its own reader is refused; a permit is while the context itself has all of them',
    when: whenShared,
    async check(context) {
      const options = { ttl: context.longTtl, findDeadlocks: true };
      const [locks, others] = [await context.createLocks(options), await context.createLocks(options)];
      await mustRefuse(context, locks, [
        {
          when: 'for a writer inside of a reader',
          call(all, key) {
            const { read, write } = all.readWriteLock(key);
            return read.withLock(() => write.withLock(() => 1));
          },
        },
        {
          when: 'for a third permit of two',
          call(all, key) {
            const permit = all.semaphore(key, 2);
            return permit.withLock(() => permit.withLock(() => permit.withLock(() => 1)));
          },
        },
      ]);
      const key = context.key();
      const lease = await others.semaphore(key, 2).acquire();
      const permit = locks.semaphore(key, 2);
      const waiting = inBackground(permit.withLock(() => permit.withLock(() => 'both')));
      const provider = await context.create();
      if (context.traits.fair) await context.state(provider, key, 'the call in line', ({ waiters }) => waiters === 1);
      await lease.release();
      const got = await within(context.patience, waiting, 'the permit that another gave back');
      assert.equal(got, 'both', 'expected a call that waits for another holder to wait');
    },
  },
});
