import { createLocks } from '@locks/core';
import type { LockProvider, Locks, LocksOptions } from '@locks/core';
import { onTestFinished } from 'vitest';
import { createSqlProvider } from '../../src/index.ts';
import type { AnySqlClient, SqlOptions } from '../../src/index.ts';

/** A provider over a client of the caller's, and its locks. */
export interface Party {
  readonly provider: LockProvider;
  readonly locks: Locks;
}

/** They end with the test, before the client does. */
export function locksOver(client: AnySqlClient, options: SqlOptions = {}, defaults: LocksOptions = {}): Party {
  return locksOf(createSqlProvider(client, options), defaults);
}

/** The same for a provider. */
export function locksOf(provider: LockProvider, defaults: LocksOptions): Party {
  const locks = createLocks(provider, defaults);
  onTestFinished(async () => {
    await locks.close();
    await provider.close();
  });
  return { provider, locks };
}
