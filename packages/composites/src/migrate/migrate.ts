import type { LockProvider } from '@locks/core';
import { MigratingProvider } from './migrating-provider.ts';
import { readMigrateOptions } from './options.ts';
import type { MigrateOptions } from './options.ts';

/**
 * Two stores as one provider, while a fleet moves its locks from one to the other and goes on
 * working. In phase `both` a lock is held in both stores. A process that is to use one store alone
 * does so once no process uses the other one alone; until then it stays in `both`. `close` closes
 * both stores. `docs/migrating.md` has the steps.
 * @throws `LOCK_MISCONFIGURED` naming the option that is wrong.
 */
export function migrate(options: MigrateOptions): LockProvider {
  return new MigratingProvider(readMigrateOptions(options));
}
