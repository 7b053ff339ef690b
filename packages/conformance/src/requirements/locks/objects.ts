import assert from 'node:assert/strict';
import { mustReject } from '../../checks/expect.ts';
import type { Requirement } from '../../requirement.ts';
import { rules } from '../rules.ts';
import { inBackground, sleep, within } from '../../checks/time.ts';
import { holdForAWhile, pick, range } from '../steps.ts';

/** The lock objects with this provider. */
export const objectsRequirements: readonly Requirement[] = rules({ level: 'locks', about: 'object', when: ['shared'] })(
  {
    'locks-downgrade': {
      title: 'a downgraded writer admits readers, keeps its token, and excludes writers as long as it is held',
      async check(context) {
        const [one, two] = [await context.createLocks(), await context.createLocks()];
        const key = context.key();
        const ttl = 4 * context.ttl;
        const lease = await one.readWriteLock(key).write.acquire({ ttl });
        const { token } = lease;
        const waiting = inBackground(two.readWriteLock(key).read.acquire({ ttl: context.longTtl }));
        await lease.downgrade();
        const reader = await within(context.patience, waiting, 'a lease for the reader after the downgrade');
        assert.deepEqual(
          [lease.mode, lease.token],
          ['shared', token],
          'expected a shared lease with the token of before',
        );
        const writer = two.readWriteLock(key).write;
        assert.equal(await writer.tryAcquire(), null, 'expected no writer next to the one that was downgraded');
        const provider = await context.create();
        await context.state(provider, key, 'two holders, both shared', ({ holders }) => {
          return holders.length === 2 && holders.every(({ mode }) => mode === 'shared');
        });
        assert.equal(await reader.release(), true, 'expected release to return true');
        await sleep(1.25 * ttl);
        assert.ok(lease.held, 'expected the lease that was downgraded to be renewed');
        assert.equal(
          await writer.tryAcquire(),
          null,
          'expected no writer while the lease that was downgraded is renewed',
        );
        assert.equal(await lease.release(), true, 'expected release to return true');
        await context.idle(provider, key, 'at the end');
      },
    },
    'locks-read-write-lock': {
      title: 'with three clients, readers of a key work together, and each of its writers alone',
      async check(context) {
        const all = await Promise.all(range(3).map(() => context.createLocks({ ttl: context.longTtl })));
        const key = context.key();
        let [readers, writers, together] = [0, 0, 0];
        const work = range(36).map((index) => {
          const { read, write } = pick(all, index).readWriteLock(key);
          if (index % 6 === 5) {
            return write.withLock(async () => {
              writers += 1;
              await holdForAWhile(context);
              assert.deepEqual(
                [readers, writers],
                [0, 1],
                `expected a writer alone, beside it were [readers, writers]`,
              );
              writers -= 1;
            });
          }
          return read.withLock(async () => {
            readers += 1;
            together = Math.max(together, readers);
            // A slow store needs a while for the grant of the next reader.
            for (let look = 0; look < 100 && together === 1; look += 1) await sleep(5);
            await holdForAWhile(context);
            assert.equal(writers, 0, 'expected no writer beside readers');
            readers -= 1;
          });
        });
        await Promise.all(work);
        assert.ok(together > 1, 'expected readers to work together, they came one after the other');
      },
    },
    'locks-multi-lock': {
      title: 'calls that want several keys get all of them or none, and never wait in a circle',
      when: [],
      async check(context) {
        const all = await Promise.all(range(3).map(() => context.createLocks({ ttl: context.longTtl })));
        const keys = range(3).map(() => context.key());
        const inside = new Set<string>();
        const work = range(18).map((index) => {
          const wanted = index % 2 === 0 ? keys.slice(index % 3) : keys.toReversed().slice(index % 3);
          return pick(all, index)
            .multiLock(wanted)
            .withLock(async (lease) => {
              const taken = wanted.filter((key) => inside.has(key));
              assert.deepEqual(taken, [], 'expected each of the keys to have one holder, these had another');
              for (const key of wanted) inside.add(key);
              await holdForAWhile(context);
              assert.ok(lease.held, 'expected all keys to be held');
              for (const key of wanted) inside.delete(key);
            });
        });
        await within(2 * context.patience, Promise.all(work), 'an end of all calls');
        const [first, second, third] = keys as [string, string, string];
        const [one, two] = all as [(typeof all)[0], (typeof all)[0]];
        const sorted = [first, second, third].toSorted();
        const last = await one.acquire(sorted[2] as string);
        for (const wait of [0, 50])
          assert.equal(
            await two.multiLock(keys).tryAcquire({ wait }),
            null,
            'expected null while one of the keys is held',
          );
        assert.equal(await last.release(), true, 'expected release to return true');
        const provider = await context.create();
        for (const key of keys) await context.idle(provider, key, 'at the end');
      },
    },
    'locks-multi-lock-loss': {
      title:
        'several keys are lost together when one of them is, with the result of the work, and the others become free',
      about: 'loss',
      when: [],
      async check(context) {
        const [locks, provider] = [await context.createLocks({ ttl: context.longTtl }), await context.create()];
        const keys = range(3).map(() => context.key());
        for (const gone of keys) {
          const work = locks.multiLock(keys).withLock(async (lease) => {
            const { holders } = await context.state(
              provider,
              gone,
              'one holder',
              (state) => state.holders.length === 1,
            );
            const { owner, mode } = holders[0] as (typeof holders)[0];
            const freed = await provider.release({ key: gone, owner, mode, ttl: context.ttl });
            assert.equal(freed, true, 'expected a forced release to return true');
            await mustReject(lease.renew(), 'LOCK_LOST', 'for renew when one of the keys is lost');
            assert.deepEqual(
              [lease.held, lease.signal.aborted],
              [false, true],
              'expected the lease of all keys to end',
            );
            return gone;
          });
          const error = await mustReject(work, 'LOCK_LOST', 'for withLock when one of the keys was lost');
          assert.equal(error.result, gone, 'expected the error to carry the result of the work');
          for (const key of keys) await context.idle(provider, key, 'at the end');
        }
      },
    },
    'locks-take': {
      title:
        'calls that take several permits get all of them or none, never wait in a circle, and never exceed the number',
      async check(context) {
        const all = await Promise.all(range(3).map(() => context.createLocks({ ttl: context.longTtl })));
        const key = context.key();
        let inUse = 0;
        const work = range(18).map((index) => {
          const count = 1 + (index % 3);
          const permits = pick(all, index >> 1)
            .semaphore(key, 4)
            .take(count);
          return permits.withLock(async (lease) => {
            inUse += count;
            assert.ok(inUse <= 4, `expected at most 4 permits in use, there were ${inUse}`);
            await holdForAWhile(context);
            assert.ok(lease.held, 'expected all permits to be held');
            inUse -= count;
          });
        });
        await within(2 * context.patience, inBackground(Promise.all(work)), 'an end of all calls');
        const [one, two] = all as [(typeof all)[0], (typeof all)[0]];
        const others = two.semaphore(key, 4);
        const lease = await one.semaphore(key, 4).take(3).acquire();
        assert.equal(await others.take(2).tryAcquire(), null, 'expected null while one permit is free, of two');
        const provider = await context.create();
        await context.state(provider, key, 'three permits in use', ({ holders }) => holders.length === 3);
        const last = await others.take(1).tryAcquire();
        assert.ok(last !== null, 'expected the last permit to be free for a call that takes one');
        assert.deepEqual([await lease.release(), await last.release()], [true, true], 'expected both to be released');
        await context.idle(provider, key, 'at the end');
      },
    },
  },
);
