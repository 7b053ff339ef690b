import { layoutVersion } from './dialect.ts';
import type { KnexInstance } from './knex.ts';
import { checkReadable, layoutOf, runAll } from './layout.ts';
import { explainMigration } from './migration-errors.ts';
import { alone } from './migration-turn.ts';
import type { TableNames } from './names.ts';
import { readTableOptions } from './options.ts';
import type { TableOptions } from './options.ts';
import { withSession } from './session.ts';
import type { Session } from './session.ts';

/** What Knex runs. */
export interface KnexMigration {
  up(knex: KnexInstance): PromiseLike<unknown>;
  down?(knex: KnexInstance): PromiseLike<unknown>;
}

/** One step of the tables' layout, as `LocksMigrationSource` lists it. */
export interface LocksMigration {
  readonly name: string;
  /** From which layout it leads to the next. */
  readonly from: number;
}

/**
 * The migrations of the locks' tables, for `migrationSource` of Knex; beside migrations of your own with `combineMigrationSources`. A
 * step that `migrate` or the plain SQL files have taken already is noted and not taken again.
 */
export class LocksMigrationSource {
  readonly #names: TableNames;

  /** @throws `LOCK_MISCONFIGURED` for names that cannot be. */
  constructor(options: TableOptions = {}) {
    this.#names = readTableOptions(options);
  }

  async getMigrations(): Promise<LocksMigration[]> {
    const { table, schema } = this.#names;
    // Two sets of tables in one database are two histories. No name that begins with a date comes before ours.
    const prefix = `0000_${schema === undefined ? '' : `${schema}.`}${table}`;
    return Array.from({ length: layoutVersion }, (_, from) => ({
      name: `${prefix}_${`${from + 1}`.padStart(4, '0')}`,
      from,
    }));
  }

  getMigrationName({ name }: LocksMigration): string {
    return name;
  }

  async getMigration({ from }: LocksMigration): Promise<KnexMigration> {
    return {
      up: (knex) => this.#change(knex, (session) => takeStep(session, from)),
      down: (knex) => this.#change(knex, (session) => takeBack(session, from)),
    };
  }

  async #change(knex: KnexInstance, change: (session: Session) => Promise<void>): Promise<void> {
    try {
      await withSession(knex, this.#names, (session) => alone(session, () => change(session)));
    } catch (error) {
      throw explainMigration(knex, this.#names, error);
    }
  }
}

async function takeStep(session: Session, from: number): Promise<void> {
  const found = await layoutOf(session);
  if (found !== undefined) checkReadable(found, session.names);
  if ((found?.version ?? 0) === from) await runAll(session, session.kind.migrations[from]?.up ?? []);
}

async function takeBack(session: Session, from: number): Promise<void> {
  const found = await layoutOf(session);
  // What MySQL has left half done has no layout, and is done again.
  const begun = found === undefined && session.kind.name === 'mysql';
  if (begun || found?.version === from + 1) await runAll(session, session.kind.migrations[from]?.down ?? []);
}
