import { knexClient } from '../clients/knex.ts';
import type { KnexInstance } from '../clients/knex.ts';
import { layoutVersion } from '../dialect/layout/layout.ts';
import type { TableNames } from '../dialect/layout/names.ts';
import { readTableOptions } from '../options/provider-options.ts';
import type { TableOptions } from '../options/provider-options.ts';
import { changeLayout, stepsBack, stepsTo } from './change-layout.ts';

/** The functions of a migration for Knex. */
export interface KnexMigration {
  /** Migrates the layout one step. */
  up(knex: KnexInstance): PromiseLike<unknown>;
  /** Reverts the step. */
  down?(knex: KnexInstance): PromiseLike<unknown>;
}

/** One step of the tables' layout, as `LocksMigrationSource` lists it. */
export interface LocksMigration {
  /** The name under which Knex records it. */
  readonly name: string;
  /** The layout from which it leads to the next. */
  readonly from: number;
}

/**
 * The migrations of the locks' tables, for `migrationSource` of Knex; beside migrations of your own
 * with `combineMigrationSources`. A step already made by `migrateTables` or the plain SQL files is
 * recorded, and not repeated.
 */
export class LocksMigrationSource {
  readonly #names: TableNames;

  /** @throws `LOCK_MISCONFIGURED` for invalid names. */
  constructor(options: TableOptions = {}) {
    this.#names = readTableOptions(options);
  }

  /** The steps to the present layout, in order. */
  async getMigrations(): Promise<LocksMigration[]> {
    const { table, schema } = this.#names;
    // Two sets of tables in one database are two histories. Ours sort before names that begin with a
    // date.
    const prefix = `0000_${schema === undefined ? '' : `${schema}.`}${table}`;
    return Array.from({ length: layoutVersion }, (_, from) => ({
      name: `${prefix}_${`${from + 1}`.padStart(4, '0')}`,
      from,
    }));
  }

  /** The name under which Knex records the step. */
  getMigrationName({ name }: LocksMigration): string {
    return name;
  }

  /** The functions of the step. */
  async getMigration({ from }: LocksMigration): Promise<KnexMigration> {
    const names = this.#names;
    return {
      up: (knex) => changeLayout(knexClient(knex), names, (found, dialect) => stepsTo(from + 1, found, names, dialect)),
      down: (knex) => changeLayout(knexClient(knex), names, (found, dialect) => stepsBack(from, found, dialect)),
    };
  }
}
