import type { LocksConfig } from '@locks/core';
import {
  LockError,
  duration,
  integer,
  isLockError,
  misconfigured,
  readOptions,
  systemRuntime,
} from '@locks/core/adapter';
import type { Duration } from '@locks/core/adapter';
import { closeQuietly, describe } from '@locks/core/composite';
import { configSources, mergeSources, migration, openProvider } from '@locks/core/open';
import type { Backend } from '@locks/core/open';
import { readFleet } from '../migrate/fleet.ts';
import type { FleetFacts, KnownStore } from '../migrate/fleet.ts';
import { obstaclesTo } from '../migrate/obstacles.ts';
import { isPhaseWord, migrateSource } from '../migrate/options.ts';
import { isForced, oppositeOf, phaseOf } from '../migrate/phase.ts';
import type { End, PhaseWord } from '../migrate/phase.ts';
import { statusOf } from '../migrate/status.ts';
import type { MigrationStatus } from '../migrate/status.ts';
import { readMigration } from './migration-config.ts';
import type { MigrationStatusOptions } from './migration-status.ts';
import { nameOf } from './open-members.ts';

/** The stores are asked again after so many ms. */
const pause = 1_000;
const runtime = systemRuntime;

const readers = { processes: integer(1, 100_000) };

/** What `migrationStatus` does. */
export async function readMigrationStatus(
  target: string | LocksConfig | undefined,
  options: MigrationStatusOptions,
): Promise<MigrationStatus> {
  const { processes } = readOptions(readers, options, { where: 'migrationStatus', code: 'LOCK_INVALID' });
  return await withFleet(target, { processes }, async (read) => statusOf(await read()));
}

/** What `waitForPhase` does. */
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
  const end = phaseOf(phase);
  const gone = isForced(phase) && end !== 'both' ? oppositeOf(end) : undefined;
  return await withFleet(target, { processes, gone }, async (read) => {
    const until = runtime.clock.now() + limit;
    for (;;) {
      const facts = await read();
      const why = obstaclesTo(phase, facts);
      if (why.length === 0) return statusOf(facts);
      const left = until - runtime.clock.now();
      if (left <= 0) {
        const { from, to } = facts.stores;
        const message = `Not all processes are in "${phase}" after ${limit} ms: ${why.map(({ what }) => what).join('; ')}.`;
        throw new LockError('LOCK_TIMEOUT', message, { cause: from.error ?? to.error });
      }
      await new Promise<void>((resolve) => runtime.setTimer(resolve, Math.min(pause, left), true));
    }
  });
}

async function withFleet<T>(
  target: string | LocksConfig | undefined,
  { processes: expected, gone }: { readonly processes: number | undefined; readonly gone?: End | undefined },
  work: (read: () => Promise<FleetFacts>) => Promise<T>,
): Promise<T> {
  const { backend } = mergeSources(await configSources(target));
  if (backend.provider !== migration) {
    throw misconfigured(migrateSource.where, 'the configuration is none of provider "migrate", so it has no status');
  }
  // The phase of this process is none of the fleet's, and may be read where only that runs.
  const asked = { ...backend, options: { ...backend.options, phase: 'both' } };
  const { stores, options } = readMigration(asked, runtime);
  const { name } = options;
  const [from, to] = await Promise.all([openStore(stores[0], gone === 'from'), openStore(stores[1], gone === 'to')]);
  try {
    return await work(() => readFleet({ name, stores: { from, to }, expected, runtime }));
  } finally {
    await Promise.all([from, to].map(async (store) => 'provider' in store && (await closeQuietly(store.provider))));
  }
}

/** `gone`: by the word of an operator. Then its configuration may name what is no more. */
async function openStore(store: Backend, gone: boolean): Promise<KnownStore> {
  try {
    return { provider: await openProvider(store, runtime) };
  } catch (error) {
    if (isLockError(error, 'LOCK_MISCONFIGURED') && !gone) throw error;
    return { name: nameOf(store), error };
  }
}
