import { createLocks, isLockError } from '@locks/core';
import type { LockProvider, LockState, Locks } from '@locks/core';
import { runChecks, systemRuntime } from '@locks/core/adapter';
import type { Check, Finding } from '@locks/core/adapter';
import { messageOf, printable, span } from '@locks/core/text';
import { inQueue, sortedKeys, statesOf } from '../state/states-of.ts';

/** A store in use, and a key that nothing else uses. */
interface Used {
  readonly provider: LockProvider;
  readonly locks: Locks;
  readonly key: string;
  /** A lock was taken. */
  granted: boolean;
}

/**
 * In ms: test locks expire by then even if this process crashes. A Redis with `restartGuard` may
 * refuse a longer ttl.
 */
const ttl = 2_000;
/** In ms: a store that has not granted by then has failed. */
const patience = 5_000;
/** In ms: a notified waiter has the key sooner, unless the store is very slow. */
const soon = 500;
/** More would name more keys in the finding. Fewer would hide how widespread the mistake is. */
const mostNamed = 3;
/** In ms. With less, a slow answer counts as a difference. With more, tokens may fall unnoticed. */
const tolerated = 1_000;

const mend = 'Grant the user what the message names, or correct the configuration.';

const takes: Check<Used> = {
  name: 'locks',
  async look(used) {
    const { locks, key } = used;
    const began = performance.now();
    try {
      const lease = await locks.acquire(`${key}/locks`, { ttl, wait: patience });
      await lease.renew();
      await lease.release();
    } catch (error) {
      const restarted = guardOf(error);
      if (restarted !== undefined) return { level: 'note', what: restarted };
      return { level: 'problem', what: `A lock could not be acquired: ${messageOf(error)}`, advice: mend };
    }
    used.granted = true;
    return { level: 'ok', what: `A lock was acquired, renewed and released in ${span(performance.now() - began)}.` };
  },
};

const handsOver: Check<Used> = {
  name: 'hand-over',
  async look({ provider, locks, key, granted }) {
    if (!granted) return undefined;
    let gap: number;
    try {
      gap = await gapOf(locks, `${key}/hand-over`);
    } catch (error) {
      return { level: 'problem', what: `A lock could not be waited for: ${messageOf(error)}`, advice: mend };
    }
    const what = `A waiter got the key ${span(gap)} after its release.`;
    if (gap < soon || !provider.traits.wake) return { level: 'ok', what };
    const advice = 'Check that notifications of the store reach this process, and check the latency.';
    return { level: 'warning', what: `${what} It was not notified, and had to poll.`, advice };
  },
};

/** The time from the release of `key` to the grant of the claim that waits, in ms. */
async function gapOf(locks: Locks, key: string): Promise<number> {
  const lease = await locks.acquire(key, { ttl, wait: patience });
  const waiting = locks.acquire(key, { ttl, wait: patience });
  waiting.catch(() => {});
  await inQueue(locks, key);
  const began = performance.now();
  await lease.release();
  const next = await waiting;
  const gap = performance.now() - began;
  await next.release();
  return gap;
}

/** The refusal of a store that came back and grants nothing for a while, as configured. */
function guardOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  // The innermost error has the words of the store.
  return guardOf(error.cause) ?? (isLockError(error) && error.retryAfter !== undefined ? error.message : undefined);
}

const permits: Check<Used> = {
  name: 'permits',
  async look({ provider, locks }) {
    if (provider.list === undefined || !provider.traits.shared) return undefined;
    const states = await statesOf(locks, await sortedKeys(locks, ''));
    const differing = states.filter((state) => numbersOf(state).length > 1);
    if (differing.length === 0) return { level: 'ok', what: 'No key is requested with different numbers of permits.' };
    const named = differing
      .slice(0, mostNamed)
      .map((state) => `${printable(state.key)} (${numbersOf(state).join(', ')})`);
    const more = differing.length > mostNamed ? `, and ${differing.length - mostNamed} more` : '';
    return {
      level: 'warning',
      what: `Keys are requested with different numbers of permits: ${named.join(', ')}${more}.`,
      advice: 'Give all processes the same number. While a deploy changes it, wait until the old processes have ended.',
    };
  },
};

/** The different numbers of permits among the holders and waiters of a key, ascending. */
function numbersOf({ holders, queue = [] }: LockState): readonly number[] {
  return [...new Set([...holders, ...queue].flatMap((claim) => claim.permits ?? []))].toSorted((a, b) => a - b);
}

const clock: Check<Used> = {
  name: 'clock',
  async look({ provider }) {
    if (provider.time === undefined) return undefined;
    const before = Date.now();
    const there = await provider.time();
    const off = there - (before + Date.now()) / 2;
    if (Math.abs(off) < tolerated) return { level: 'ok', what: 'The clocks of the store and of this host agree.' };
    return {
      level: 'note',
      what: `The clock of the store is ${span(Math.abs(off))} ${off > 0 ? 'ahead of' : 'behind'} that of this host.`,
      advice: 'Synchronise the clocks: in a migration, tokens of a store whose clock is behind may be lower.',
    };
  },
};

/**
 * Uses a store, on keys of its own, until a problem is found. `whole`: locks are taken, not only
 * from one member. A `composite` has the clocks of its members.
 */
export async function checkInUse(
  provider: LockProvider,
  { whole, composite }: { readonly whole: boolean; readonly composite: boolean },
): Promise<readonly Finding[]> {
  const locks = createLocks(provider);
  const used = { provider, locks, key: `locks-doctor/${systemRuntime.uniqueId()}`, granted: false };
  const findings: Finding[] = [];
  try {
    for (const check of [...(whole ? [takes, handsOver, permits] : []), ...(composite ? [] : [clock])]) {
      const run = { backend: 'The store', within: 2 * patience, runtime: systemRuntime };
      findings.push(...(await runChecks([check], used, run)));
      if (findings.some(({ level }) => level === 'problem')) break;
    }
    return findings;
  } finally {
    await locks.close();
  }
}
