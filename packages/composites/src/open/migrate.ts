import type { LockProvider } from '@locks/core';
import { LockError, errorText } from '@locks/core/adapter';
import type { AdapterConfig, Diagnosis } from '@locks/core/adapter';
import { lackingTraits } from '@locks/core/composite';
import { openProvider } from '@locks/core/open';
import { migrate } from '../migrate/migrate.ts';
import { migrationTraits, storeTitle } from '../migrate/options.ts';
import { ends, goneBy } from '../migrate/phase.ts';
import type { End } from '../migrate/phase.ts';
import { readMigration } from './migration-config.ts';
import type { MigrationConfig } from './migration-config.ts';
import { nameOf, openMembers } from './open-members.ts';

/** The adapters whose leases end with their ttl, never with a session. */
const withTtl = ['redis', 'sql', 'etcd'];

/**
 * `openLocks` for provider `migrate`: opens a migration and its stores. It is open when one of them
 * is; the other one continues to open in the background.
 * @throws `LOCK_MISCONFIGURED` naming the store with a wrong configuration; `LOCK_UNAVAILABLE` if
 * neither opened.
 */
export async function fromConfig(config: AdapterConfig): Promise<LockProvider> {
  const { runtime } = config;
  const { stores, options } = readMigration(config, runtime);
  // However it fails, an operator declares it gone.
  const gone = goneBy(typeof options.phase === 'function' ? options.phase() : options.phase);
  return await openMembers({
    members: ends.map((end) => stores[end]),
    titles: titlesOf(stores),
    need: 1,
    // A service that acts under one end needs the other store once, at its start.
    patience: 2_000,
    runtime,
    open: async (store, given) => {
      try {
        return await openProvider(store, given);
      } catch (error) {
        if (gone === undefined || store !== stores[gone]) throw error;
        throw new LockError('LOCK_UNAVAILABLE', errorText(error), { cause: error });
      }
    },
    // Stores of a migration are often of two kinds, and the late one must be admitted.
    assume: (least, { provider }) => ({
      ...least,
      expiry: withTtl.some((name) => name === provider) ? least.expiry : 'session',
      fencing: least.fencing === 'none' ? 'none' : 'clock-bounded',
    }),
    make: (providers) => migrate({ ...options, ...byEnd(providers) }),
    lacking: ({ expiry, ...promised }, members) => {
      const traits = migrationTraits(byEnd(members));
      // If each lease has a ttl, none is lost with a session: better than assumed.
      const demanded = expiry === 'session' ? promised : { ...promised, expiry };
      return [...lackingTraits(traits, demanded), ...(traits.shared ? [] : ['shared: true'])];
    },
  });
}

/** Examines both stores, for `locks doctor`. */
export async function diagnose(config: AdapterConfig): Promise<Diagnosis> {
  const { stores } = readMigration(config, config.runtime);
  return {
    findings: [],
    members: titlesOf(stores).map((title, index) => ({ title, ...stores[ends[index] ?? 'from'] })),
  };
}

function titlesOf(stores: MigrationConfig['stores']): readonly string[] {
  return ends.map((end) => storeTitle(end, nameOf(stores[end])));
}

function byEnd<T>(stores: readonly T[]): Record<End, T> {
  const [from, to] = stores as readonly [T, T];
  return { from, to };
}
