import type { MigrationStatus } from '../../composites/migrate/status.ts';
import type { LocksConfig } from '../locks-config.ts';
import { outsideContext } from '../../time/outside-context.ts';
import type { Duration } from '../../options/option-reader.ts';
import type { Phase } from '../../composites/migrate/phase.ts';

/**
 * Who takes part in the migration that a configuration names, and how far it is. Reads the
 * configuration as `openLocks` does, asks both stores, and takes part in nothing itself.
 * @throws `LOCK_MISCONFIGURED` unless it is the configuration of a migration.
 */
export async function migrationStatus(target?: string | LocksConfig): Promise<MigrationStatus> {
  return await outsideContext(async () => {
    const { readMigrationStatus } = await import('./read-migration-status.ts');
    return await readMigrationStatus(target);
  });
}

/**
 * Waits until all processes that take part in a migration take locks under `phase`, have no lease
 * under another one, and are not on their way to another one. Gives the status then.
 * @throws `LOCK_TIMEOUT` after `timeout`, naming the processes that do not.
 */
export async function waitForPhase(
  target: string | LocksConfig | undefined,
  phase: Phase,
  timeout: Duration,
): Promise<MigrationStatus> {
  return await outsideContext(async () => {
    const { waitForMigration } = await import('./read-migration-status.ts');
    return await waitForMigration(target, phase, timeout);
  });
}
