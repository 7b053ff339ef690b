import { LockError } from '@locks/core/adapter';

/**
 * What Knex takes migrations from: its `FsMigrations` for a folder of files,
 * `LocksMigrationSource`, or your own.
 */
export interface MigrationSource<Spec, Step> {
  /** All migrations of the source, in order. Knex gives the endings of its files. */
  getMigrations(loadExtensions: readonly string[]): Promise<Spec[]>;
  /** The name under which Knex notes that `migration` ran. */
  getMigrationName(migration: Spec): string;
  /** What Knex runs for `migration`. */
  getMigration(migration: Spec): Promise<Step>;
}

/** A migration of one of several sources. */
export interface SourcedMigration<Step> {
  /** As its source names it. */
  readonly name: string;
  /** Gives what Knex runs. */
  load(): Promise<Step>;
}

/**
 * One source of all migrations of `sources`, for Knex takes only one: source by source, each in its
 * own order.
 * @throws `LOCK_MISCONFIGURED` when two migrations have the same name: Knex knows by the name that
 * a migration is done.
 */
export function combineMigrationSources<Step>(
  // oxlint-disable-next-line typescript/no-explicit-any -- each source has a kind of migration of its own, which only it reads.
  ...sources: readonly MigrationSource<any, Step>[]
): MigrationSource<SourcedMigration<Step>, Step> {
  return {
    async getMigrations(loadExtensions) {
      const all: SourcedMigration<Step>[] = [];
      for (const source of sources) {
        for (const migration of await source.getMigrations(loadExtensions)) {
          all.push({ name: source.getMigrationName(migration), load: () => source.getMigration(migration) });
        }
      }
      checkDistinct(all.map(({ name }) => name));
      return all;
    },
    getMigrationName: ({ name }) => name,
    getMigration: (migration) => migration.load(),
  };
}

function checkDistinct(names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return;
  throw new LockError(
    'LOCK_MISCONFIGURED',
    `combineMigrationSources: two migrations are named "${twice}"; Knex knows them by their names, so rename one.`,
  );
}
