import assert from 'node:assert/strict';
import { isLockError, subscribe } from '@locks/core';
import type { Claim, LockProvider } from '@locks/core';
import type { Context } from '../../context/context.ts';
import { isIdle, mustFree, mustReject, show } from '../../checks/expect.ts';
import type { Requirement } from '../../requirement.ts';
import { rules } from '../rules.ts';
import { inBackground, sleep, turn, within } from '../../checks/time.ts';
import { activeResources, mustNotGrow } from '../resources.ts';
import { pick, randomMoment, range, mustBeFree } from '../steps.ts';

/** Waiting through `createLocks`, and its end. */
export const locksWaitingRequirements: readonly Requirement[] = rules({ level: 'locks', about: 'close' })({
  'locks-timeout': {
    title: 'a wait that times out rejects with LOCK_TIMEOUT and leaves nothing in the queue',
    about: 'queue',
    async check(context) {
      const [locks, provider] = [await context.createLocks(), await context.create()];
      const holder = await context.hold(provider);
      // Long enough for the first answer, which makes it a timeout rather than an unavailable
      // backend.
      const wait = context.ttl + 300;
      const waits = range(3).map(() => locks.acquire(holder.key, { wait, ttl: context.longTtl }));
      await Promise.all(waits.map((each) => mustReject(each, 'LOCK_TIMEOUT', `after a wait of ${wait} ms`)));
      await mustLeaveNothing(context, provider, holder);
    },
  },
  'locks-abort': {
    title: "an aborted wait rejects with the signal's own reason and leaves nothing in the queue",
    about: 'queue',
    async check(context) {
      const [locks, provider] = [await context.createLocks(), await context.create()];
      const holder = await context.hold(provider);
      const controller = new AbortController();
      const reason = new Error('the caller has changed its mind');
      let waits = false;
      using _ = subscribe('locks:wait', ({ key }) => void (waits ||= key === holder.key));
      const wait = inBackground(locks.acquire(holder.key, { signal: controller.signal, ttl: context.longTtl }));
      await context.eventually('the call to wait', () => waits);
      controller.abort(reason);
      const error = await within(
        context.patience,
        wait.then(show, (thrown: unknown) => thrown),
        'an aborted wait to end',
      );
      assert.equal(error, reason, `expected the wait to reject with the signal's reason, got ${show(error)}`);
      const late = locks.acquire(holder.key, { signal: controller.signal });
      assert.equal(
        await late.then(show, (thrown: unknown) => thrown),
        reason,
        'expected a signal that was aborted before to reject with its reason',
      );
      await mustLeaveNothing(context, provider, holder);
    },
  },
  'locks-abort-at-random': {
    title: 'hundreds of waits aborted at random moments leave nothing: the next attempt is granted immediately',
    about: 'queue',
    async check(context) {
      // A busy machine needs time for hundreds of releases.
      const closeTimeout = 2 * context.patience;
      const all = [await context.createLocks({ closeTimeout }), await context.createLocks({ closeTimeout })];
      const provider = await context.create();
      const keys = range(4).map(() => context.key());
      const reason = new Error('a random moment');
      const waits = range(300).map(async (index) => {
        await randomMoment(context);
        const controller = new AbortController();
        const wait = pick(all, index).acquire(pick(keys, index >> 1), {
          signal: controller.signal,
          ttl: context.longTtl,
        });
        const outcome = inBackground(
          wait.then(
            async (lease) => void (await lease.release()),
            (error: unknown) =>
              assert.equal(
                error,
                reason,
                `expected an aborted wait to reject with the signal's reason, got ${show(error)}`,
              ),
          ),
        );
        await randomMoment(context);
        controller.abort(reason);
        await outcome;
      });
      await Promise.all(waits);
      // What the waits left is released in the background; close waits for it.
      await Promise.all(all.map((locks) => locks.close()));
      for (const key of keys) {
        await mustBeFree(context, provider, key, 'at once, after hundreds of waits were aborted');
        await context.idle(provider, key);
      }
    },
  },
  'locks-close-of-provider': {
    title: 'when a provider is closed, its waiters reject with LOCK_CLOSED immediately',
    async check(context) {
      const [holder, provider] = [await context.create(), await context.create()];
      const locks = context.locksOn(provider);
      const claim = await context.hold(holder);
      const waiting: Claim[] = [];
      using _ = subscribe('locks:wait', ({ key, owner }) => {
        if (key === claim.key) waiting.push({ ...claim, owner });
      });
      const waits = range(3).map(() => inBackground(locks.acquire(claim.key, { ttl: context.longTtl })));
      await context.eventually('three claims to wait', () => waiting.length === waits.length);
      await provider.close();
      const rejected = waits.map((wait) => mustReject(wait, 'LOCK_CLOSED', 'for a wait through a closed provider'));
      await within(context.patience, Promise.all(rejected), 'those who wait to hear that their provider was closed');
      // Their positions outlive a provider that was closed before its client.
      for (const waiter of waiting) await holder.release(waiter);
      await mustFree(holder, claim, 'by the holder');
    },
  },
  'locks-close': {
    title: 'close rejects waiters with LOCK_CLOSED, ends leases with it, frees them, and refuses later calls',
    async check(context) {
      const [locks, other, provider] = [
        await context.createLocks(),
        await context.createLocks(),
        await context.create(),
      ];
      const [held, busy] = [context.key(), context.key()];
      const lease = await locks.acquire(held, { ttl: context.longTtl });
      const { signal } = lease;
      const foreign = await other.acquire(busy, { ttl: context.longTtl });
      const wait = locks.acquire(busy, { ttl: context.longTtl });
      const rejected = inBackground(mustReject(wait, 'LOCK_CLOSED', 'for a wait when its Locks is closed'));
      await turn();
      await Promise.all([locks.close(), locks.close()]);
      await rejected;
      assert.ok(
        isLockError(signal.reason, 'LOCK_CLOSED'),
        `expected the lease's signal to abort with LOCK_CLOSED, got ${show(signal.reason)}`,
      );
      assert.equal(lease.held, false, 'expected held to be false after close');
      await context.state(provider, held, 'the key of a closed Locks to be free', isIdle);
      await context.state(provider, busy, 'the other holder alone, with no waiter', ({ holders, waiters }) => {
        return holders.length === 1 && holders[0]?.owner === foreign.owner && waiters === 0;
      });
      await mustReject(locks.acquire(held), 'LOCK_CLOSED', 'for acquire after close');
      await mustReject(locks.tryAcquire(held), 'LOCK_CLOSED', 'for tryAcquire after close');
      assert.equal(await foreign.release(), true, 'expected the lease of another Locks to be untouched by close');
    },
  },
  'locks-close-drains': {
    title: 'close waits for work under a lock, whose signal fires and which keeps its lock until it ends',
    async check(context) {
      const [locks, provider] = [await context.createLocks(), await context.create()];
      const key = context.key();
      let ended = false;
      let reason: unknown;
      let begin!: () => void;
      const begun = new Promise<void>((resolve) => (begin = resolve));
      const work = inBackground(
        locks.withLock(key, { ttl: context.longTtl }, async ({ signal }) => {
          signal.addEventListener('abort', () => void (reason = signal.reason));
          begin();
          await sleep(2 * context.ttl);
          ended = true;
        }),
      );
      await begun;
      const closed = inBackground(locks.close());
      while (!ended) {
        const claim = context.claim(key);
        const { granted } = await provider.tryAcquire(claim);
        assert.ok(!granted || ended, 'expected close to keep the lock of running work; it was free');
        if (granted) await provider.release(claim);
        await sleep(context.ttl / 10);
      }
      assert.ok(
        isLockError(reason, 'LOCK_CLOSED'),
        `expected the signal to abort with LOCK_CLOSED, got ${show(reason)}`,
      );
      await within(context.patience, closed, 'close to end after the work');
      await within(context.patience, work, 'the work to end');
    },
  },
  'locks-no-timers': {
    title: 'after close no timer or connection of the client keeps the process alive',
    async check(context) {
      // What the provider creates once, on first use, is no leak.
      await useLocks(context);
      const before = activeResources();
      for (const _ of range(2)) await useLocks(context);
      await mustNotGrow(context, before, 'after two more Locks and their providers were used and closed');
    },
  },
});

async function mustLeaveNothing(context: Context, provider: LockProvider, holder: Claim): Promise<void> {
  await context.state(provider, holder.key, 'the holder alone, with no waiter', ({ holders, waiters }) => {
    return waiters === 0 && holders.length === 1 && holders[0]?.owner === holder.owner;
  });
  await mustFree(provider, holder, 'by the holder');
  await mustBeFree(context, provider, holder.key, 'at once, because those who gave up have left the queue');
}

async function useLocks(context: Context): Promise<void> {
  const provider = await context.create();
  const [locks, other] = [context.locksOn(provider), context.locksOn(provider)];
  const key = context.key();
  await locks.acquire(key, { ttl: context.longTtl });
  const wait = other.acquire(key, { wait: context.longTtl }).catch(() => {});
  await turn();
  await Promise.all([locks.close(), other.close()]);
  await wait;
  await provider.close();
}
