import assert from 'node:assert/strict';
import { createFencingGuard, isLockError } from '@locks/core';
import type { FencingGuard, Lease } from '@locks/core';
import { longestPlace } from '../../context/context.ts';
import type { Context } from '../../context/context.ts';
import { mustFree, show } from '../../checks/expect.ts';
import type { OtherProcess } from '../../processes/other-process.ts';
import type { LeaseElsewhere } from '../../processes/messages.ts';
import type { Requirement } from '../../requirement.ts';
import { rules } from '../rules.ts';
import { inBackground, now, sleepUntil, within } from '../../checks/time.ts';

/** Processes that stop at any point, for a while or permanently. */
export const pausedProcessesRequirements: readonly Requirement[] = rules({
  level: 'locks',
  about: 'loss',
  needs: ['processes'],
})({
  'processes-paused-holder': {
    title: 'a holder that was paused for longer than its ttl reports at its first check that the lease is lost',
    when: ['processes-meet'],
    async check(context) {
      const { other, leases } = await pauseHolder(context, 1);
      const [lease] = leases as [LeaseElsewhere];
      const look = inBackground(other.look(lease.owner));
      other.resume();
      const { held, remaining, aborted } = await within(context.patience, look, 'the process to look after its pause');
      const seen = { held, remaining, aborted };
      const expected = { held: false, remaining: 0, aborted: true };
      assert.deepEqual(seen, expected, `expected the first look after a pause to see the loss, it saw ${show(seen)}`);
    },
  },
  'processes-paused-writer': {
    title:
      'a fencing guard rejects the write of a holder after a pause as stale, although the holder does not check its lease',
    when: ['processes-meet', 'fenced'],
    async check(context) {
      const { other, leases, later } = await pauseHolder(context, 2);
      const [looks, writes] = leases as [LeaseElsewhere, LeaseElsewhere];
      // Each key protects a resource of this process; the first holders have written to it, and the
      // second ones too.
      const guard = createFencingGuard();
      for (const [index, lease] of leases.entries())
        for (const writer of [lease, later[index] as Lease]) guard.check(lease.owner, writer);
      const straight = inBackground(other.write(writes.owner));
      const look = inBackground(other.look(looks.owner));
      const afterLook = inBackground(other.write(looks.owner));
      other.resume();
      await within(context.patience, look, 'the process to look after its pause');
      mustBeStale(guard, writes.owner, await straight, 'that was sent straight away');
      mustBeStale(guard, looks.owner, await afterLook, 'that was sent after a look');
    },
  },
  'processes-lost-head': {
    title:
      'waiters behind a process that dies when it is woken, or is paused as head of the queue, are granted in bounded time',
    level: 'provider',
    about: 'wake',
    when: ['processes-meet', 'wake'],
    check: async (context) => {
      await Promise.all([headDies(context), headIsPaused(context)]);
    },
  },
});

/**
 * A process that held some keys and was paused until others had taken them and twice its validity
 * had passed.
 */
interface PausedHolder {
  readonly other: OtherProcess;
  readonly leases: readonly LeaseElsewhere[];
  /** The leases of those who took the keys, in the same order. */
  readonly later: readonly Lease[];
}

async function pauseHolder(context: Context, count: 1 | 2): Promise<PausedHolder> {
  const [locks, other] = await Promise.all([context.createLocks(), context.fork()]);
  const keys = Array.from({ length: count }, () => context.key());
  const leases = await Promise.all(keys.map((key) => other.acquire(key, context.ttl)));
  await other.pause();
  const pausedAt = now();
  const longest = Math.max(context.ttl, ...leases.map(({ remaining }) => remaining));
  const taken = Promise.all(keys.map((key) => locks.acquire(key, { ttl: context.longTtl })));
  const limit = longest + context.patience;
  const later = await within(limit, taken, 'the keys of a paused process to be taken after its ttl');
  await sleepUntil(pausedAt + 2 * longest);
  return { other, leases, later };
}

function mustBeStale(
  guard: FencingGuard,
  resource: string,
  write: Pick<LeaseElsewhere, 'token' | 'mode'>,
  which: string,
): void {
  try {
    guard.check(resource, write);
  } catch (error) {
    assert.ok(isLockError(error, 'LOCK_STALE'), `expected LOCK_STALE for a write ${which}, got ${show(error)}`);
    return;
  }
  assert.fail(`expected the guard to refuse a write with the token ${write.token} ${which}; it was accepted`);
}

async function headDies(context: Context): Promise<void> {
  const [provider, other] = await Promise.all([context.create(), context.fork()]);
  const holder = await context.hold(provider);
  await other.enqueueToDie(context.claim(holder.key, { ttl: context.ttl }));
  const next = await context.queue(provider, context.claim(holder.key));
  await mustFree(provider, holder, 'by the holder');
  await within(
    context.patience + longestPlace,
    next.granted,
    'a grant for the waiter behind one that died when it was woken',
  );
  await mustFree(provider, next.claim, 'by the waiter that was granted');
  await context.idle(provider, holder.key);
}

async function headIsPaused(context: Context): Promise<void> {
  const [provider, other] = await Promise.all([context.create(), context.fork()]);
  const holder = await context.hold(provider);
  const paused = context.claim(holder.key);
  await other.enqueue(paused);
  const next = await context.queue(provider, context.claim(holder.key));
  // An attempt on its way to the store could be granted to the paused process, for a whole ttl.
  await other.rest(paused);
  await other.pause();
  await mustFree(provider, holder, 'by the holder');
  const limit = context.patience + longestPlace;
  await within(limit, next.granted, 'a grant for the waiter behind one whose process is paused');
  other.resume();
  await mustFree(provider, next.claim, 'by the waiter that was granted');
  // Other clients may see the holder before its own process does. A claim released by force before
  // its attempt has ended takes the key again.
  await within(context.patience, other.granted(paused), 'the waiter that was paused to be served in the end');
  await context.state(provider, holder.key, 'the waiter that was paused as its holder', ({ holders }) => {
    return holders[0]?.owner === paused.owner;
  });
  await mustFree(provider, paused, 'by force');
  await context.idle(provider, holder.key);
}
