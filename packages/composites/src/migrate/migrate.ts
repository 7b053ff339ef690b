import type { LockProvider } from '@locks/core';
import { MigratingProvider } from './migrating-provider.ts';
import { readMigrateOptions } from './options.ts';
import type { MigrateOptions } from './options.ts';

/**
 * Two stores as one provider, while a fleet moves its locks from one to the other and continues to
 * work. In phase `both` a lock is held in both stores. A process that is to use one store alone
 * does so when no process uses the other one alone; until then it stays in `both`. Nothing is
 * remembered in a store. `close` closes both stores. `docs/migrating.md` has the steps.
 * @throws `LOCK_MISCONFIGURED` naming the option that is wrong.
 */
export function migrate(options: MigrateOptions): LockProvider {
  return new MigratingProvider(readMigrateOptions(options));
}
