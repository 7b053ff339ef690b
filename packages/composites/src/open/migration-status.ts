import type { LocksConfig } from '@locks/core';
import { outsideContext } from '@locks/core/adapter';
import type { Duration } from '@locks/core/adapter';
import type { PhaseWord } from '../migrate/phase.ts';
import type { MigrationStatus } from '../migrate/status.ts';
import type { MigrationStatusOptions } from './read-migration-status.ts';

/**
 * Who takes part in the migration that a configuration names, how far it is, and what is in the way
 * of each phase. Reads the configuration as `openLocks` does, asks both stores, leaves nothing
 * there, and takes part in nothing itself.
 * @throws `LOCK_MISCONFIGURED` unless it is the configuration of a migration.
 */
export async function migrationStatus(
  target?: string | LocksConfig,
  options: MigrationStatusOptions = {},
): Promise<MigrationStatus> {
  return await outsideContext(async () => {
    const { readMigrationStatus } = await import('./read-migration-status.ts');
    return await readMigrationStatus(target, options);
  });
}

/**
 * Waits until nothing is in the way of `phase`, as `obstacles` of the status tells: all processes
 * take locks in it, and no lock is held in one store alone, in an end also none in both. `to!` asks
 * nothing of the store `from`, which is gone. Gives the status then.
 * @throws `LOCK_TIMEOUT` after `timeout`, saying what is in the way. `result` is the last status.
 */
export async function waitForPhase(
  target: string | LocksConfig | undefined,
  phase: PhaseWord,
  timeout: Duration,
  options: MigrationStatusOptions = {},
): Promise<MigrationStatus> {
  return await outsideContext(async () => {
    const { waitForMigration } = await import('./read-migration-status.ts');
    return await waitForMigration(target, phase, timeout, options);
  });
}
