import assert from 'node:assert/strict';
import { isIdle, mustReject, mustTake } from '../../checks/expect.ts';
import type { Requirement } from '../../requirement.ts';
import { rules } from '../rules.ts';
import { inBackground, turn, within } from '../../checks/time.ts';
import { holdForAWhile, mustRise, pick, range } from '../steps.ts';
import type { Locks } from '@locks/core';
import type { Context } from '../../context/context.ts';

/** A call inside of another that would wait for it. */
interface Nested {
  readonly when: string;
  call(locks: Locks, key: string): Promise<unknown>;
}

/** Each must be rejected immediately, with the key, and must leave nothing in the queue. */
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

/** What `createLocks` guarantees with this provider. */
export const leasesRequirements: readonly Requirement[] = rules({ level: 'locks', about: 'lease' })({
  'locks-counter': {
    title:
      '60 calls of withLock, by three clients, increment a non-atomic counter to exactly 60, with tokens that increase',
    async check(context) {
      const all = await Promise.all(range(3).map(() => context.createLocks({ ttl: context.longTtl })));
      const key = context.key();
      let counter = 0;
      let latest = -1n;
      const work = range(60).map((index) =>
        pick(all, index).withLock(key, async (lease) => {
          mustRise(context, lease.token, latest, 'for a lease in contention');
          latest = lease.token;
          assert.ok(lease.held, `expected lease.held within withLock, ${lease.remaining} ms remained`);
          const read = counter;
          await holdForAWhile(context);
          counter = read + 1;
          return index;
        }),
      );
      const results = await Promise.all(work);
      assert.deepEqual(results, range(60), 'expected withLock to resolve to what the work resolves to');
      assert.equal(
        counter,
        60,
        `expected the counter to reach 60 under the lock, it reached ${counter}: holders overlapped`,
      );
      const provider = await context.create();
      await context.idle(provider, key, 'after withLock');
    },
  },
  'locks-try': {
    title: 'tryAcquire resolves to null while another owner holds the key, and to a lease after its release',
    async check(context) {
      const [one, two] = [await context.createLocks(), await context.createLocks()];
      const key = context.key();
      const lease = await one.acquire(key, { ttl: context.longTtl });
      assert.equal(
        await two.tryAcquire(key),
        null,
        'expected tryAcquire to resolve to null while another Locks holds the key',
      );
      assert.equal(
        await one.tryAcquire(key),
        null,
        'expected tryAcquire to resolve to null for the same Locks too: it is not reentrant',
      );
      assert.equal(await lease.release(), true, 'expected release to return true');
      assert.equal(lease.held, false, 'expected held to be false after release');
      const next = await mustTake(two, key, 'at once after the release');
      assert.equal(await next.release(), true, 'expected release to return true');
    },
  },
  'locks-reentrant': {
    title: 'the same asynchronous context takes a key again with the same token, and the last to end releases',
    async check(context) {
      const [one, two] = [
        await context.createLocks({ reentrant: true, ttl: context.longTtl }),
        await context.createLocks(),
      ];
      const key = context.key();
      await one.withLock(key, async (outer) => {
        await one.withLock(key, async (inner) => {
          await turn();
          assert.equal(inner.token, outer.token, 'expected the inner scope to have the token of the outer one');
        });
        assert.ok(outer.held, 'expected the outer scope to hold the key after the inner one has ended');
        assert.equal(await two.tryAcquire(key), null, 'expected the key to be held after the inner scope has ended');
      });
      const next = await mustTake(two, key, 'after the outer scope has ended');
      await next.release();
    },
  },
  'locks-shared': {
    title: 'shared leases hold together, up to their permits, and exclude exclusive ones',
    when: ['shared'],
    async check(context) {
      const [one, two] = [
        await context.createLocks({ ttl: context.longTtl }),
        await context.createLocks({ ttl: context.longTtl }),
      ];
      const key = context.key();
      const options = { mode: 'shared', permits: 2 } as const;
      const [first, second] = [await one.acquire(key, options), await two.acquire(key, options)];
      assert.equal(await one.tryAcquire(key, options), null, 'expected no third lease with two permits');
      assert.equal(await two.tryAcquire(key), null, 'expected no exclusive lease next to shared ones');
      const third = inBackground(one.acquire(key, options));
      assert.equal(await first.release(), true, 'expected release to return true');
      const lease = await third;
      assert.ok(lease.held && second.held, 'expected both shared leases to be held');
      assert.equal(lease.mode, 'shared', `expected a lease in shared mode, got ${lease.mode}`);
      for (const held of [lease, second]) assert.equal(await held.release(), true, 'expected release to return true');
    },
  },
  // Calls of one asynchronous context that would wait for themselves.
  'locks-deadlock': {
    title: 'a call that would wait for what its own asynchronous context holds is rejected, and no other one',
    about: 'object',
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
    title: 'a writer inside of its own reader is rejected; so is a permit while the context itself holds all of them',
    about: 'object',
    when: ['shared'],
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
      if (context.traits.fair)
        await context.state(provider, key, 'the call in the queue', ({ waiters }) => waiters === 1);
      await lease.release();
      const got = await within(context.patience, waiting, 'the permit that another gave back');
      assert.equal(got, 'both', 'expected a call that waits for another holder to wait');
    },
  },
});
