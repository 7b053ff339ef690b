import { isPhase, migrateSource } from '../../composites/migrate/options.ts';
import { readStatus } from '../../composites/migrate/status.ts';
import type { KnownStore, MigrationProcess, MigrationStatus } from '../../composites/migrate/status.ts';
import type { Phase } from '../../composites/migrate/phase.ts';
import { LockError, isLockError } from '../../errors/lock-error.ts';
import { misconfigured } from '../../errors/misconfigured.ts';
import { closeQuietly } from '../../locks/ending/close-quietly.ts';
import { duration } from '../../options/duration.ts';
import { describe } from '../../options/key.ts';
import type { Duration } from '../../options/option-reader.ts';
import { readOptions } from '../../options/read-options.ts';
import { systemRuntime } from '../../time/runtime.ts';
import { migration } from '../adapter-modules.ts';
import { configSources } from '../config/config-sources.ts';
import type { LocksConfig } from '../locks-config.ts';
import { readMigration } from './migration-config.ts';
import { nameOf } from './open-members.ts';
import { openProvider } from '../open-provider.ts';
import { mergeSources } from '../config/settings.ts';
import type { Backend } from '../config/settings.ts';

/** The stores are asked again after so many ms. */
const pause = 1_000;
const runtime = systemRuntime;

/** What `migrationStatus` does. */
export async function readMigrationStatus(target: string | LocksConfig | undefined): Promise<MigrationStatus> {
  return await withStores(target, (name, stores) => readStatus(name, stores, runtime));
}

/** What `waitForPhase` does. */
export async function waitForMigration(
  target: string | LocksConfig | undefined,
  phase: Phase,
  timeout: Duration,
): Promise<MigrationStatus> {
  const source = { where: 'waitForPhase', code: 'LOCK_INVALID', text: true } as const;
  if (!isPhase(phase)) {
    throw new LockError(
      'LOCK_INVALID',
      `waitForPhase: the phase must be "from", "both" or "to", not ${describe(phase)}.`,
    );
  }
  const limit = readOptions({ timeout: duration(0, 86_400_000) }, { timeout }, source).timeout ?? 0;
  return await withStores(target, async (name, stores) => {
    const until = runtime.clock.now() + limit;
    for (;;) {
      const status = await readStatus(name, stores, runtime);
      const missing = status.processes.filter(({ effective, desired }) => effective !== phase || desired !== phase);
      const silent = [status.from, status.to].filter(({ error }) => error !== undefined);
      if (missing.length === 0 && silent.length === 0) return status;
      const left = until - runtime.clock.now();
      if (left <= 0) throw notYet(phase, limit, missing, silent[0]?.error);
      await new Promise<void>((resolve) => runtime.setTimer(resolve, Math.min(pause, left), true));
    }
  });
}

function notYet(phase: Phase, limit: number, missing: readonly MigrationProcess[], cause: unknown): LockError {
  const named = missing.slice(0, 5).map(({ process, effective, desired }) => {
    return effective === desired
      ? `${process} is in "${effective}"`
      : `${process} is in "${effective}", waits for "${desired}"`;
  });
  const more = missing.length > named.length ? [`${missing.length - named.length} more`] : [];
  const silent = cause === undefined ? [] : ['a store does not answer (see the cause)'];
  const why = [...named, ...more, ...silent].join('; ');
  return new LockError('LOCK_TIMEOUT', `Not all processes are in "${phase}" after ${limit} ms: ${why}.`, { cause });
}

async function withStores<T>(
  target: string | LocksConfig | undefined,
  work: (name: string, stores: { readonly from: KnownStore; readonly to: KnownStore }) => Promise<T>,
): Promise<T> {
  const { backend } = mergeSources(await configSources(target));
  if (backend.provider !== migration) {
    throw misconfigured(migrateSource.where, 'the configuration is none of provider "migrate", so it has no status');
  }
  const { stores, options } = readMigration(backend, runtime);
  const [from, to] = (await Promise.all(stores.map((store) => openStore(store)))) as [KnownStore, KnownStore];
  try {
    return await work(options.name, { from, to });
  } finally {
    await Promise.all([from, to].map(async (store) => 'provider' in store && (await closeQuietly(store.provider))));
  }
}

async function openStore(store: Backend): Promise<KnownStore> {
  try {
    return { provider: await openProvider(store, runtime) };
  } catch (error) {
    if (isLockError(error, 'LOCK_MISCONFIGURED')) throw error;
    return { name: nameOf(store), error };
  }
}
