import { knexClient } from '../clients/knex.ts';
import type { KnexInstance } from '../clients/knex.ts';
import { layoutVersion } from '../dialect/layout/layout.ts';
import type { TableNames } from '../dialect/layout/names.ts';
import { readTableOptions } from '../options/provider-options.ts';
import type { TableOptions } from '../options/provider-options.ts';
import { changeLayout, stepsBack, stepsTo } from './change-layout.ts';

/** What Knex runs. */
export interface KnexMigration {
  /** Takes the layout one step further. */
  up(knex: KnexInstance): PromiseLike<unknown>;
  /** Takes the step back. */
  down?(knex: KnexInstance): PromiseLike<unknown>;
}

/** One step of the tables' layout, as `LocksMigrationSource` lists it. */
export interface LocksMigration {
  /** The name under which Knex notes that it ran. */
  readonly name: string;
  /** From which layout it leads to the next. */
  readonly from: number;
}

/**
 * The migrations of the locks' tables, for `migrationSource` of Knex; beside migrations of your own
 * with `combineMigrationSources`. A step that `migrateTables` or the plain SQL files have taken already
 * is noted and not taken again.
 */
export class LocksMigrationSource {
  readonly #names: TableNames;

  /** @throws `LOCK_MISCONFIGURED` for names that cannot be. */
  constructor(options: TableOptions = {}) {
    this.#names = readTableOptions(options);
  }

  /** The steps to the present layout, in order. */
  async getMigrations(): Promise<LocksMigration[]> {
    const { table, schema } = this.#names;
    // Two sets of tables in one database are two histories. No name that begins with a date comes
    // before ours.
    const prefix = `0000_${schema === undefined ? '' : `${schema}.`}${table}`;
    return Array.from({ length: layoutVersion }, (_, from) => ({
      name: `${prefix}_${`${from + 1}`.padStart(4, '0')}`,
      from,
    }));
  }

  /** The name under which Knex notes that the step ran. */
  getMigrationName({ name }: LocksMigration): string {
    return name;
  }

  /** What Knex runs for the step. */
  async getMigration({ from }: LocksMigration): Promise<KnexMigration> {
    const names = this.#names;
    return {
      up: (knex) => changeLayout(knexClient(knex), names, (found, dialect) => stepsTo(from + 1, found, names, dialect)),
      down: (knex) => changeLayout(knexClient(knex), names, (found, dialect) => stepsBack(from, found, dialect)),
    };
  }
}
