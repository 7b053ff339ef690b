import { LockFactory } from '@verrou/core';
import { ttl } from './party.ts';
import type { Party, RetryOptions } from './party.ts';

type Store = ConstructorParameters<typeof LockFactory>[0];

/** Ms between attempts: "retry: { delay }" of `acquire` by default, without a limit of attempts. */
const documentedDelay = 250;

/** verrou with one of its stores. */
export function createVerrouParty(store: Store, { retryDelay = documentedDelay }: RetryOptions): Party {
  const factory = new LockFactory(store, { retry: { delay: retryDelay } });
  return {
    async acquire(key) {
      const lock = factory.createLock(key, ttl);
      if (!(await lock.acquire())) throw new Error('verrou did not acquire the lock');
      return lock;
    },
  };
}
