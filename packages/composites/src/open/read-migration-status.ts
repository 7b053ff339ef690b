import type { LockProvider, LocksConfig } from '@locks/core';
import {
  LockError,
  duration,
  integer,
  isLockError,
  misconfigured,
  pause,
  readOptions,
  systemRuntime as runtime,
} from '@locks/core/adapter';
import type { Duration } from '@locks/core/adapter';
import { closeQuietly, describe } from '@locks/core/composite';
import { configSources, mergeSources, migration, openProvider } from '@locks/core/open';
import { migrateSource } from '../migrate/options.ts';
import { goneBy, isPhaseWord } from '../migrate/phase.ts';
import type { End, PhaseWord } from '../migrate/phase.ts';
import { readStatus } from '../migrate/read-status.ts';
import type { AskedStore } from '../migrate/read-status.ts';
import type { MigrationStatus } from '../migrate/status.ts';
import { readMigration } from './migration-config.ts';
import { nameOf } from './open-members.ts';

/** Options of `migrationStatus` and `waitForPhase`. */
export interface MigrationStatusOptions {
  /**
   * The expected number of processes, from 1. One that starts, or has lost its connection, is
   * invisible: only the number reveals that it is missing.
   * @default any number
   */
  readonly processes?: number | undefined;
}

/** In ms: when the stores are asked again. */
const longestPause = 1_000;

const readers = { processes: integer(1, 100_000) };

export async function readMigrationStatus(
  target: string | LocksConfig | undefined,
  options: MigrationStatusOptions,
): Promise<MigrationStatus> {
  const { processes } = readOptions(readers, options, { where: 'migrationStatus', code: 'LOCK_INVALID' });
  return await withFleet(target, { processes }, (read) => read());
}

export async function waitForMigration(
  target: string | LocksConfig | undefined,
  phase: PhaseWord,
  timeout: Duration,
  options: MigrationStatusOptions,
): Promise<MigrationStatus> {
  const source = { where: 'waitForPhase', code: 'LOCK_INVALID', text: true } as const;
  if (!isPhaseWord(phase)) {
    throw new LockError(
      'LOCK_INVALID',
      `waitForPhase: the phase must be "from", "both", "to", "from!" or "to!", not ${describe(phase)}.`,
    );
  }
  const limit = readOptions({ timeout: duration(0, 86_400_000) }, { timeout }, source).timeout ?? 0;
  const { processes } = readOptions(readers, options, source);
  return await withFleet(target, { processes, gone: goneBy(phase) }, async (read) => {
    const until = runtime.clock.now() + limit;
    for (;;) {
      const status = await read();
      const why = status.obstacles[phase];
      if (why.length === 0) return status;
      const left = until - runtime.clock.now();
      if (left <= 0) {
        const message = `Not all processes are in "${phase}" after ${limit} ms: ${why.map(({ what }) => what).join('; ')}.`;
        const cause = status.from.error ?? status.to.error;
        throw new LockError('LOCK_TIMEOUT', message, { cause, result: status });
      }
      await pause(runtime, Math.min(longestPause, left));
    }
  });
}

async function withFleet<T>(
  target: string | LocksConfig | undefined,
  { processes: expected, gone }: { readonly processes: number | undefined; readonly gone?: End | undefined },
  work: (read: () => Promise<MigrationStatus>) => Promise<T>,
): Promise<T> {
  const { backend } = mergeSources(await configSources(target));
  if (backend.provider !== migration) {
    throw misconfigured(migrateSource.where, 'the configuration is none of provider "migrate", so it has no status');
  }
  // The phase of this process is not the fleet's, and may be readable only in the fleet.
  const asked = { ...backend, options: { ...backend.options, phase: 'both' } };
  const { stores, options } = readMigration(asked, runtime);
  const { name } = options;
  const opened: LockProvider[] = [];
  /** One declared gone may be misconfigured: it names what no longer exists. */
  const open = async (end: End): Promise<AskedStore> => {
    try {
      const provider = await openProvider(stores[end], runtime);
      opened.push(provider);
      return provider;
    } catch (error) {
      if (isLockError(error, 'LOCK_MISCONFIGURED') && gone !== end) throw error;
      return { name: nameOf(stores[end]), inspect: () => Promise.reject(error) };
    }
  };
  const opening = [open('from'), open('to')] as const;
  try {
    const [from, to] = await Promise.all(opening);
    return await work(() => readStatus({ name, stores: { from, to }, expected, runtime }));
  } finally {
    await Promise.allSettled(opening);
    await Promise.all(opened.map(closeQuietly));
  }
}
