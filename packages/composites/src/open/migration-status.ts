import type { LocksConfig } from '@locks/core';
import { outsideContext } from '@locks/core/adapter';
import type { Duration } from '@locks/core/adapter';
import type { MigrationStatus } from '../migrate/status.ts';
import type { Phase } from '../migrate/phase.ts';

/** Options of `migrationStatus` and `waitForPhase`. */
export interface MigrationStatusOptions {
  /**
   * How many processes there are to be, from 1. One that starts, or has lost its connection, cannot
   * be seen: only the number tells that it is missing.
   * @default any number
   */
  readonly processes?: number | undefined;
}

/**
 * Who takes part in the migration that a configuration names, how far it is, and whether the next
 * step may be taken. Reads the configuration as `openLocks` does, asks both stores, leaves nothing
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
 * Waits until all processes that take part in a migration take locks under `phase`, have no lease
 * under another one, and are not on their way to another one. Locks that were taken without
 * `migrate` must be gone too: in `both` from both stores, in an end from the other store. Gives the
 * status then.
 * @throws `LOCK_TIMEOUT` after `timeout`, saying why: which processes are not there, that no
 * process takes part under this name, or that there are not as many as option `processes` says.
 */
export async function waitForPhase(
  target: string | LocksConfig | undefined,
  phase: Phase,
  timeout: Duration,
  options: MigrationStatusOptions = {},
): Promise<MigrationStatus> {
  return await outsideContext(async () => {
    const { waitForMigration } = await import('./read-migration-status.ts');
    return await waitForMigration(target, phase, timeout, options);
  });
}
