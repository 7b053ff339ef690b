import assert from 'node:assert/strict';
import type { Lease, LockProvider } from '@locks/core';
import type { Context } from '../../context/context.ts';
import { isIdle, mustFree, mustGrant, mustReject, show } from '../../checks/expect.ts';
import { misconfigured, refused, replyLost, unanswered, unheard } from '../../checks/interference.ts';
import type { Fate, Interference } from '../../checks/interference.ts';
import type { Requirement } from '../../requirement.ts';
import { rules } from '../rules.ts';
import { inBackground, within } from '../../checks/time.ts';
import { acquireInTime, inTime } from './leasing.ts';

/** How long a closing client waits for a silent backend, in ms. */
const closeTimeout = 100;

/** A backend that does not answer, or only with errors, while callers want to continue. */
export const outageRequirements: readonly Requirement[] = rules({
  level: 'locks',
  about: 'outage',
  when: ['ttl'],
})({
  'locks-silent-backend': {
    title: 'a backend that never answers delays no caller past its wait, its signal or close, and the key becomes free',
    async check(context) {
      const { ttl } = context;
      const provider = await context.create();
      const checks = [unheard, unanswered].map(async (fate) => {
        const { locks, interference } = await context.interfere({ ttl, closeTimeout });
        const lease = await acquireInTime(context, locks, context.key(), { ttl });
        for (const operation of ['tryAcquire', 'release'] as const) interference.rule(operation, () => fate);
        void inBackground(lease.release());
        const keys = [context.key(), context.key(), context.key(), context.key(), context.key()] as const;
        const controller = new AbortController();
        const { signal } = controller;
        const [atDeadline, atAbort] = [
          [locks.acquire(keys[0], { wait: ttl / 2 }), locks.withLock(keys[1], () => 'work', { wait: ttl / 2 })],
          [locks.acquire(keys[2], { signal }), locks.tryAcquire(keys[3], { signal })],
        ];
        const atClose = inBackground(locks.acquire(keys[4]));
        for (const call of atAbort) void inBackground(call);
        const ended = atDeadline.map((call) =>
          mustReject(call, 'LOCK_UNAVAILABLE', 'when nothing was answered in time'),
        );
        await within(ttl / 2 + context.patience, Promise.all(ended), 'callers with a wait to settle at its end');
        controller.abort(new Error('the caller has changed its mind'));
        for (const call of atAbort) {
          const error = await within(context.patience, call.then(show, thrown), 'a caller to settle by its signal');
          assert.equal(error, signal.reason, `expected the signal's reason, got ${show(error)}`);
        }
        await within(closeTimeout + context.patience, locks.close(), 'close() to resolve though nothing is answered');
        await mustReject(atClose, 'LOCK_CLOSED', 'for an attempt in flight at close');
        for (const key of [lease.key, ...keys])
          await context.state(provider, key, `the key to be free after ${ttl} ms`, isIdle);
        await forget(provider, interference);
      });
      await Promise.all(checks);
    },
  },
  'locks-outage-of-renewals': {
    title: 'when no renewal gets through, the loss is reported before another owner can be granted the key',
    async check(context) {
      const { ttl } = context;
      const other = await context.create();
      const checks = [refused, unheard].map(async (fate) => {
        const { locks, interference } = await context.interfere();
        interference.rule('renew', () => fate);
        const lease = await acquireInTime(context, locks, context.key(), { ttl });
        const next = context.wait(other, context.claim(lease.key));
        await within(ttl + context.patience, next.granted, `a grant for another owner after the ttl of ${ttl} ms`);
        const told = { held: lease.held, aborted: lease.signal.aborted, remaining: lease.remaining };
        const expected = { held: false, aborted: true, remaining: 0 };
        assert.deepEqual(told, expected, 'expected the loss to be reported when another owner is granted');
        assert.equal(await lease.release(), false, 'expected release of a lost lease to return false');
        await mustFree(other, next.claim, 'by the next holder, whom a lost lease does not touch');
      });
      await Promise.all(checks);
    },
  },
  'locks-release-through-outage': {
    title: 'a rejected or refused release tells so, and is retried in the background until the key is free',
    when: [],
    async check(context, provider) {
      const checks = [refused, replyLost, misconfigured].map(async (fate) => {
        const { locks, interference } = await context.interfere();
        const key = context.key();
        const lease = await locks.acquire(key, { ttl: context.longTtl });
        interference.rule('release', ({ index }) => (index < 3 ? fate : undefined));
        const code = fate === misconfigured ? 'LOCK_MISCONFIGURED' : 'LOCK_UNAVAILABLE';
        const { cause } = await mustReject(lease.release(), code, 'for a release that was rejected');
        if (fate !== misconfigured)
          assert.ok(cause instanceof Error, `expected the error underneath as cause, got ${show(cause)}`);
        assert.equal(lease.held, false, 'expected held to be false after release');
        const what = `the key to be free, long before its ttl of ${context.longTtl} ms`;
        await context.state(provider, key, what, isIdle);
        await settledReleases(context, interference, lease);
      });
      await Promise.all(checks);
    },
  },
  'locks-release-of-downgrade': {
    title: 'a lease that is released while it is downgraded frees its key, though the downgrade reaches the store late',
    when: ['shared'],
    async check(context) {
      const { locks, interference } = await context.interfere();
      const provider = await context.create();
      const lease = await locks.acquire(context.key(), { ttl: context.longTtl });
      interference.rule('tryAcquire', () => ({ applied: context.ttl / 2 }));
      const downgraded = inBackground(lease.downgrade());
      const released = lease.release();
      await downgraded.catch(() => {});
      await within(context.ttl + context.patience, released, 'the release of a lease that is downgraded');
      await mustBeFreeFor(context, provider, lease.key);
    },
  },
  'locks-silent-release': {
    title: 'a release without an answer delays its caller, or that of withLock, not much longer than the hold can last',
    async check(context) {
      const { ttl, patience } = context;
      const { locks, interference } = await context.interfere();
      interference.rule('release', () => unheard);
      const lease = await acquireInTime(context, locks, context.key(), { ttl });
      const released = mustReject(lease.release(), 'LOCK_UNAVAILABLE', 'for a release that is never answered');
      const work = inTime(context, () => locks.withLock(context.key(), () => 'the result', { ttl }));
      await within(ttl + 2 * patience, released, 'a release that is never answered to reject when the ttl is over');
      const result = await within(ttl + 2 * patience, work, 'withLock to resolve though its release is not answered');
      assert.equal(result, 'the result', `expected the result of the work, got ${show(result)}`);
      await forget(await context.create(), interference);
    },
  },
  'locks-abort-through-outage': {
    title: 'an aborted wait leaves nothing, although its release is rejected first or its attempt is still in progress',
    when: [],
    async check(context) {
      const inQueue = [refused, misconfigured].map((fate) => abortInQueue(context, fate));
      await Promise.all([...inQueue, abortInFlight(context)]);
    },
  },
});

async function abortInQueue(context: Context, fate: Fate): Promise<void> {
  const { locks, interference } = await context.interfere();
  const provider = await context.create();
  const holder = await context.hold(provider);
  interference.rule('release', ({ index }) => (index < 3 ? fate : undefined));
  await abortAndLook(context, locks.acquire.bind(locks), holder.key, () => interference.of('tryAcquire')[0]?.answer);
  await context.state(provider, holder.key, 'the holder alone, with no waiter', ({ holders, waiters }) => {
    return waiters === 0 && holders.length === 1 && holders[0]?.owner === holder.owner;
  });
  await mustFree(provider, holder, 'by the holder');
  await mustBeFreeFor(context, provider, holder.key);
}

/** The attempt reaches the store after its caller has gone: the release must not overtake it. */
async function abortInFlight(context: Context): Promise<void> {
  const { locks, interference } = await context.interfere();
  const provider = await context.create();
  const key = context.key();
  interference.rule('tryAcquire', () => ({ applied: context.ttl / 2 }));
  await abortAndLook(context, locks.acquire.bind(locks), key, () => interference.of('tryAcquire').length);
  await context.eventually(
    'the attempt to reach the store',
    () => interference.of('tryAcquire')[0]?.appliedAt,
    Boolean,
  );
  await context.state(provider, key, `the key to be free, long before its ttl of ${context.longTtl} ms`, isIdle);
  await mustBeFreeFor(context, provider, key);
}

async function abortAndLook(
  context: Context,
  acquire: (key: string, options: { readonly signal: AbortSignal; readonly ttl: number }) => Promise<Lease>,
  key: string,
  isThere: () => unknown,
): Promise<void> {
  const controller = new AbortController();
  const wait = inBackground(acquire(key, { signal: controller.signal, ttl: context.longTtl }));
  await context.eventually('the attempt to be sent', isThere, Boolean);
  controller.abort(new Error('the caller has changed its mind'));
  const error = await within(context.patience, wait.then(show, thrown), 'an aborted wait to end');
  assert.equal(error, controller.signal.reason, `expected the signal's reason, got ${show(error)}`);
}

async function mustBeFreeFor(context: Context, provider: LockProvider, key: string): Promise<void> {
  const next = context.claim(key);
  await mustGrant(provider, next, 'at once, because the waiters that gave up have left nothing');
  await mustFree(provider, next, 'by the holder');
}

/** The retries end once the store has answered. */
async function settledReleases(context: Context, { of }: Interference, lease: Lease): Promise<void> {
  const sent = await context.eventually(
    'the release to be answered',
    () => of('release', lease.owner),
    (calls) => calls.some(({ answer }) => answer !== undefined),
  );
  assert.equal(sent.length, 4, `expected four releases, of which the last was answered; ${sent.length} were sent`);
}

/** A store may keep expired data until the next call. */
async function forget(provider: LockProvider, { of }: Interference): Promise<void> {
  await Promise.all([...new Set(of('tryAcquire').map(({ claim }) => claim))].map((claim) => provider.release(claim)));
}

function thrown(error: unknown): unknown {
  return error;
}
