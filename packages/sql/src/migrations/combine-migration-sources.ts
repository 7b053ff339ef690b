import { LockError } from '@locks/core/adapter';

/** A source of migrations for Knex: its `FsMigrations`, `LocksMigrationSource`, or your own. */
export interface MigrationSource<Spec, Step> {
  /** All migrations of the source, in order. Knex passes the extensions of its files. */
  getMigrations(loadExtensions: readonly string[]): Promise<Spec[]>;
  /** The name under which Knex records `migration`. */
  getMigrationName(migration: Spec): string;
  /** The functions of `migration`. */
  getMigration(migration: Spec): Promise<Step>;
}

/** A migration of one of several sources. */
export interface SourcedMigration<Step> {
  /** As its source names it. */
  readonly name: string;
  /** Returns its functions. */
  load(): Promise<Step>;
}

/**
 * All migrations of `sources` as one source, as Knex takes only one: source by source, each in its
 * own order.
 * @throws `LOCK_MISCONFIGURED` if two migrations have the same name, by which Knex records them.
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
