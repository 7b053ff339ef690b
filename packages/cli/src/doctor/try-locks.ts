import { createLocks, isLockError } from '@locks/core';
import type { LockProvider, Locks } from '@locks/core';
import { runChecks, systemRuntime } from '@locks/core/adapter';
import type { Check, Finding } from '@locks/core/adapter';
import { messageOf, span } from '@locks/core/text';
import { inLine } from '../state/in-line.ts';

/** A store, and a key that nothing else uses. */
interface Tried {
  readonly locks: Locks;
  readonly wakes: boolean;
  readonly key: string;
}

/**
 * In ms: what is tried is over by then, also if this process ends in the middle. A longer one may
 * be refused by a Redis with `restartGuard`.
 */
const ttl = 2_000;
/** In ms: a store that does not grant by then fails. */
const patience = 5_000;
/** A waiter that is told of its turn has the key sooner, in ms, unless the store is very slow. */
const soon = 500;

const mend = 'Grant the user what the message names, or correct the configuration.';

const takes: Check<Tried> = {
  name: 'locks',
  async look({ locks, key }) {
    const began = performance.now();
    try {
      const lease = await locks.acquire(`${key}/locks`, { ttl, wait: patience });
      await lease.renew();
      await lease.release();
    } catch (error) {
      const restarted = guardOf(error);
      if (restarted !== undefined) return { level: 'note', what: restarted };
      return { level: 'problem', what: `A lock could not be taken: ${messageOf(error)}`, advice: mend };
    }
    return { level: 'ok', what: `A lock was taken, renewed and given back in ${span(performance.now() - began)}.` };
  },
};

const handsOver: Check<Tried> = {
  name: 'hand-over',
  async look({ locks, wakes, key }) {
    let gap: number;
    try {
      gap = await gapOf(locks, `${key}/hand-over`);
    } catch (error) {
      return { level: 'problem', what: `A lock could not be waited for: ${messageOf(error)}`, advice: mend };
    }
    const what = `A waiter got the key ${span(gap)} after it was given back.`;
    if (gap < soon || !wakes) return { level: 'ok', what };
    const advice = 'See that messages of the store reach this process, and look at the latency.';
    return { level: 'warning', what: `${what} It was not told, and had to look.`, advice };
  },
};

/** The time from the release of `key` to the grant of the claim that waits, in ms. */
async function gapOf(locks: Locks, key: string): Promise<number> {
  const lease = await locks.acquire(key, { ttl, wait: patience });
  const waiting = locks.acquire(key, { ttl, wait: patience });
  waiting.catch(() => {});
  await inLine(locks, key);
  const began = performance.now();
  await lease.release();
  const next = await waiting;
  const gap = performance.now() - began;
  await next.release();
  return gap;
}

/** What a store says that has come back, and grants nothing for a while, as it was told to. */
function guardOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  // The innermost has the words of the store.
  return guardOf(error.cause) ?? (isLockError(error) && error.retryAfter !== undefined ? error.message : undefined);
}

/** Takes locks on keys of its own, and gives them back. */
export async function tryLocks(provider: LockProvider): Promise<readonly Finding[]> {
  const locks = createLocks(provider);
  const tried = { locks, wakes: provider.traits.wake, key: `locks-doctor/${systemRuntime.uniqueId()}` };
  try {
    const run = { backend: 'The store', within: 2 * patience, runtime: systemRuntime };
    const taken = await runChecks([takes], tried, run);
    if (taken.some(({ level }) => level !== 'ok')) return taken;
    return [...taken, ...(await runChecks([handsOver], tried, run))];
  } finally {
    await locks.close();
  }
}
