import assert from 'node:assert/strict';
import { isLockError } from '@locks/core';
import type { AcquireOptions, Lease, LockProvider, Locks, LocksOptions } from '@locks/core';
import type { Context } from '../../context/context.ts';
import { isIdle, mustReject, show } from '../../checks/expect.ts';
import { inBackground, now, sleep, standstill, turn, within } from '../../checks/time.ts';
import { mustBeHeld, pick, range } from '../steps.ts';
import { callLimit, createOther, mustStayIdle, settled, warmUp } from './steps.ts';

/** `createLocks` on a provider that will have a fault. It does not wait long for its close. */
export async function createHarmed(
  context: Context,
  options: LocksOptions = {},
): Promise<{ readonly provider: LockProvider; readonly locks: Locks }> {
  const provider = await context.create();
  return { provider, locks: context.locksOn(provider, { closeTimeout: context.ttl, ...options }) };
}

/** A lease, with retries while the store cannot be reached. */
export async function acquireAtLast(
  context: Context,
  locks: Locks,
  key: string,
  options: AcquireOptions,
): Promise<Lease> {
  for (const until = now() + context.patience; ;) {
    try {
      return await within(callLimit(context) + context.patience, locks.acquire(key, options), `a lease on ${key}`);
    } catch (error) {
      if (!isLockError(error, 'LOCK_UNAVAILABLE') || now() >= until) throw error;
      await sleep(20);
    }
  }
}

/**
 * `lease` must be held for another `duration` ms, and `other` must not be granted its key. If this
 * process was suspended for longer than renewals can survive, losing it was right.
 */
export async function mustKeep(
  context: Context,
  lease: Lease,
  other: LockProvider,
  duration: number,
  when: string,
): Promise<void> {
  const validity = lease.remaining;
  const intruder = context.claim(lease.key);
  const pause = context.ttl / 20;
  const stood = standstill();
  for (const until = now() + duration; now() < until && lease.held; stood(pause)) {
    const answer = await other.tryAcquire(intruder);
    assert.ok(!answer.granted || !lease.held, `expected no other owner to be granted while the lease is held, ${when}`);
    if (answer.granted) await other.release(intruder);
    await sleep(pause);
  }
  if (!lease.held && stood() > validity / 4) return;
  const why = lease.held ? '' : show(lease.signal.reason);
  assert.ok(lease.held, `expected the lease to be held for ${Math.round(duration)} ms ${when}; it was lost: ${why}`);
}

/**
 * `lease` is released, immediately or in the background if its release is unknown at first: long
 * before its ttl `other` sees no holder, and late requests do not harm the next holder.
 */
export async function mustGetFree(context: Context, lease: Lease, other: LockProvider, when: string): Promise<void> {
  const outcome = await settled(context, `release ${when}`, lease.release());
  assert.equal(lease.held, false, `expected held to be false after release ${when}`);
  if ('error' in outcome) {
    const { error } = outcome;
    assert.ok(
      isLockError(error, 'LOCK_UNAVAILABLE'),
      `expected LOCK_UNAVAILABLE for a release ${when}, got ${show(error)}`,
    );
  }
  const seen = 'error' in outcome ? 'rejected' : `answered ${outcome.answer}`;
  const limit = callLimit(context);
  const claim = context.claim(lease.key);
  const next = context.wait(other, claim);
  await within(limit, next.granted, `the key to be free after a release ${when}, which ${seen}, long before its ttl`);
  const until = now() + context.ttl / 2;
  for (; now() < until; await sleep(context.ttl / 10)) {
    await mustBeHeld(context, other, claim, `though the release of the owner before it may be repeated, ${when}`);
  }
  await next.release();
  await context.state(other, lease.key, `no holder and no waiter after a release ${when}`, isIdle);
}

/** Releases `lease`: immediately, or in the background if its release is unknown at first. */
export async function giveBack(context: Context, lease: Lease): Promise<void> {
  await settled(context, 'release', lease.release());
}

/** When `lease` has ended, which must be within `limit` ms. */
export async function lossWithin(limit: number, lease: Lease, when: string): Promise<void> {
  const lost = new Promise<void>((resolve) => {
    if (lease.signal.aborted) resolve();
    else lease.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await within(limit, lost, `the signal of the lease to fire ${when}`);
  mustBeLost(lease, when);
}

/** `lease` must report its loss in every way. */
export function mustBeLost(lease: Lease, when: string): void {
  const told = { held: lease.held, aborted: lease.signal.aborted, remaining: lease.remaining };
  const expected = { held: false, aborted: true, remaining: 0 };
  assert.deepEqual(told, expected, `expected the lease to have ended ${when}, it reported ${show(told)}`);
  const reason: unknown = lease.signal.reason;
  assert.ok(
    isLockError(reason, 'LOCK_LOST'),
    `expected the signal's reason to be LOCK_LOST ${when}, got ${show(reason)}`,
  );
}

/**
 * Callers of `locks` between the beginning and the end of a fault during which it gets no answer.
 * All of them settle in time, and afterwards nothing is left of them, as `other` sees it, and
 * `locks` works again.
 */
export async function mustGetAway(
  context: Context,
  locks: Locks,
  other: LockProvider,
  begin: () => Promise<() => Promise<void>>,
  when: string,
): Promise<void> {
  const { ttl, longTtl, patience } = context;
  const held = await context.hold(other);
  const reason = new Error('the caller has changed its mind');
  const [early, late] = [new AbortController(), new AbortController()];
  const inQueue = inBackground(locks.acquire(held.key, { signal: early.signal, ttl: longTtl }));
  const { fair } = context.traits;
  await context.state(other, held.key, 'a waiter, if waiters are counted', ({ waiters }) => waiters === 1 || !fair);
  const keys = range(3).map(() => context.key()) as [string, string, string];
  const end = await begin();
  const wait = Math.ceil(ttl / 2);
  const attempt = inBackground(locks.acquire(keys[0], { signal: late.signal, ttl }));
  const calls = [
    unavailable(locks.acquire(keys[1], { wait, ttl }), wait + patience, `a wait of ${wait} ms ${when}`),
    unavailable(locks.tryAcquire(keys[2], { ttl }), callLimit(context), `tryAcquire on a free key ${when}`),
    // Nothing can be left of it, and with this ttl a grant that no store made would not have
    // expired yet.
    unavailable(locks.tryAcquire(held.key, { ttl: longTtl }), callLimit(context), `tryAcquire on a held key ${when}`),
  ];
  await turn();
  for (const controller of [early, late]) controller.abort(reason);
  for (const aborted of [inQueue, attempt]) {
    const error = await within(
      patience,
      aborted.then(show, (thrown: unknown) => thrown),
      `an aborted wait to end ${when}`,
    );
    assert.equal(
      error,
      reason,
      `expected an aborted wait to reject with the signal's reason ${when}, got ${show(error)}`,
    );
  }
  await Promise.all(calls);
  await end();
  await other.release(held);
  const limit = ttl + callLimit(context);
  await mustStayIdle(context, other, [...keys, held.key], `after calls that ended ${when}`, limit);
  const lease = await acquireAtLast(context, locks, keys[0], { ttl: longTtl });
  await giveBack(context, lease);
}

/**
 * Callers must learn that the state is unknown; `null` or a timeout would mean that others hold it.
 */
async function unavailable(call: Promise<unknown>, limit: number, what: string): Promise<void> {
  await within(limit, mustReject(call, 'LOCK_UNAVAILABLE', `for ${what}`), `${what} to end`);
}

/**
 * A queue of users of `withLock`, in a known order where the provider is fair; resolves to their
 * results.
 */
export async function enqueueLocks(
  context: Context,
  all: readonly Locks[],
  observer: LockProvider,
  key: string,
  length: number,
): Promise<{ readonly order: readonly number[]; readonly served: Promise<unknown> }> {
  const order: number[] = [];
  const served: Promise<void>[] = [];
  for (let index = 0; index < length; index += 1) {
    served.push(inBackground(pick(all, index).withLock(key, () => void order.push(index), { ttl: context.longTtl })));
    await context.state(
      observer,
      key,
      `${index + 1} in the queue`,
      ({ waiters }) => waiters > index || !context.traits.fair,
    );
  }
  return { order, served: inBackground(Promise.all(served)) };
}

/** All users of `withLock` who waited before `fault` are granted afterwards. */
export async function serveThrough(
  context: Context,
  fault: () => Promise<void>,
  when: string,
  inOrder = false,
): Promise<void> {
  const all = [await createHarmed(context), await createHarmed(context)];
  const other = await createOther(context);
  for (const { provider } of all) await warmUp(context, provider, other);
  const holder = await context.hold(other);
  const locks = all.map((one) => one.locks);
  const { order, served } = await enqueueLocks(context, locks, other, holder.key, 6);
  await fault();
  await other.release(holder);
  await within(callLimit(context) + context.patience, served, `all six to be served ${when}`);
  const seen = inOrder ? order : order.toSorted((left, right) => left - right);
  assert.deepEqual(seen, range(6), `expected each of six to be served once ${when}, it was ${order.join(' ')}`);
  await mustStayIdle(context, other, [holder.key], when, callLimit(context));
}
