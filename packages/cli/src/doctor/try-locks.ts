import { createLocks, isLockError } from '@locks/core';
import type { LockProvider, Locks } from '@locks/core';
import { runChecks, systemRuntime } from '@locks/core/adapter';
import type { Check, Finding } from '@locks/core/adapter';
import { messageOf } from '../failure.ts';
import { span } from '../output/spans.ts';
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

const checks: readonly Check<Tried>[] = [
  {
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
        const advice = 'Grant the user what the message names, or correct the configuration.';
        return { level: 'problem', what: `A lock could not be taken: ${messageOf(error)}`, advice };
      }
      return { level: 'ok', what: `A lock was taken, renewed and given back in ${span(performance.now() - began)}.` };
    },
  },
  {
    name: 'hand-over',
    async look({ locks, wakes, key }) {
      const lease = await locks.acquire(`${key}/hand-over`, { ttl, wait: patience });
      const waiting = locks.acquire(lease.key, { ttl, wait: patience });
      waiting.catch(() => {});
      await inLine(locks, lease.key);
      const began = performance.now();
      await lease.release();
      const next = await waiting;
      const gap = performance.now() - began;
      await next.release();
      const what = `A waiter got the key ${span(gap)} after it was given back.`;
      if (gap < soon || !wakes) return { level: 'ok', what };
      return {
        level: 'warning',
        what: `${what} It was not told, and had to look.`,
        advice: 'Grant the user what messages need: channels in Redis, LISTEN without a pooler in Postgres.',
      };
    },
  },
];

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
    return await runChecks(checks, tried, { backend: 'The store', within: 2 * patience, runtime: systemRuntime });
  } finally {
    await locks.close();
  }
}
