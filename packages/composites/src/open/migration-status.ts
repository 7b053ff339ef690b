import type { LocksConfig } from '@locks/core';
import { outsideContext } from '@locks/core/adapter';
import type { Duration } from '@locks/core/adapter';
import type { PhaseWord } from '../migrate/phase.ts';
import type { MigrationStatus } from '../migrate/status.ts';
import type { MigrationStatusOptions } from './read-migration-status.ts';

/**
 * The status of the migration in a configuration: its processes, its progress, and what blocks each
 * phase. Reads the configuration as `openLocks` does, queries both stores, and changes nothing.
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
 * Waits until `phase` has no `obstacles`: all processes take locks in it, and no lock is held in
 * one store alone, in an end also none in both. `to!` ignores the store `from`, which is gone.
 * Resolves to the status.
 * @throws `LOCK_TIMEOUT` after `timeout`, with the obstacles. `result` is the last status.
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
