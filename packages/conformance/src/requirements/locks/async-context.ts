import { AsyncLocalStorage } from 'node:async_hooks';
import assert from 'node:assert/strict';
import type { Lease, Locks } from '@locks/core';
import { show } from '../../checks/expect.ts';
import type { Requirement } from '../../requirement.ts';
import { rules } from '../rules.ts';
import { within } from '../../checks/time.ts';

const flow = new AsyncLocalStorage<string>();

/**
 * No flow runs a listener of another in its own asynchronous context: there it could join what that
 * flow holds.
 */
export const asyncContextRequirements: readonly Requirement[] = rules({ level: 'locks', about: 'lease' })({
  'locks-outside-context': {
    title:
      "the loss of a lease is told outside of other flows' asynchronous contexts: a listener joins no reentrant lock",
    async check(context) {
      const locks = await context.createLocks();
      const held = context.key();
      const { longTtl, ttl } = context;
      const lease = await locks.acquire(context.key(), { ttl: longTtl, maxHold: ttl });
      const told = new Promise<Seen>((resolve) =>
        lease.signal.addEventListener('abort', () => resolve(look(locks, held, longTtl)), { once: true }),
      );
      const other = async (): Promise<void> => {
        // Due first: what serves both leases is started, and started again, in this flow.
        await locks.acquire(context.key(), { ttl: longTtl, maxHold: ttl / 2 });
        const seen = await within(ttl + context.patience, told, `a lease to be lost at its maxHold of ${ttl} ms`);
        assert.deepEqual(
          seen,
          { flow: undefined, joined: false },
          `expected the listener in no flow, and not to join a lock that another flow holds, got ${show(seen)}`,
        );
      };
      await flow.run('another', () => locks.withLock(held, other, { ttl: longTtl, reentrant: true }));
    },
  },
});

/** What a listener finds. */
interface Seen {
  readonly flow: string | undefined;
  readonly joined: boolean;
}

async function look(locks: Locks, held: string, ttl: number): Promise<Seen> {
  const found = flow.getStore();
  const lease: Lease | null = await locks.tryAcquire(held, { ttl, reentrant: true });
  await lease?.release();
  return { flow: found, joined: lease !== null };
}
