import { duration, flag, matching, readOptions } from '@locks/core/adapter';
import type { Duration, OptionReaders, OptionSource } from '@locks/core/adapter';
import { nameRule } from '../dialect/layout/names.ts';
import type { TableNames } from '../dialect/layout/names.ts';

/** The names of the tables. */
export interface TableOptions {
  /** The prefix of the names of all tables and routines. @default 'locks' */
  readonly table?: string | undefined;
  /**
   * The schema (Postgres) or database (MySQL) the tables are in; not for SQLite.
   * @default the connection's own
   */
  readonly schema?: string | undefined;
}

/** Options of `migrateTables`. */
export interface MigrateTablesOptions extends TableOptions {
  /** `false`: one table of texts, for providers with the same option. @default true */
  readonly routines?: boolean | undefined;
}

/** Options of the SQL provider. */
export interface SqlOptions extends TableOptions {
  /**
   * `false`: one table, and no stored routines. Each change of a key rewrites all of it. Waiters
   * are woken on Postgres, and poll on MariaDB and MySQL. Not for SQLite. @default true
   */
  readonly routines?: boolean | undefined;
  /**
   * Each call settles within this time, which also limits a statement on the server.
   * @default 5_000 ms
   */
  readonly timeout?: Duration | undefined;
  /**
   * How long a position in the queue lasts without a repeat; waiters repeat after a third of it.
   * @default 6_000 ms
   */
  readonly waiterTtl?: Duration | undefined;
  /**
   * How long the row of an idle key is kept; at least two ttls.
   * @default 3_600_000 ms (an hour)
   */
  readonly tokenRetention?: Duration | undefined;
  /** Periodically remove the rows of idle keys. `false`: leave it to `sweep()`. @default true */
  readonly sweep?: boolean | undefined;
  /**
   * Postgres: LISTEN and NOTIFY. MariaDB and MySQL: keep a named lock while claims wait, which
   * shows others that this process is alive. Each uses a connection outside of the pool. SQLite:
   * watch a file beside the database, which others touch. Set it to `false` behind a pooler that
   * lends a connection for each transaction.
   * @default true
   */
  readonly listen?: boolean | undefined;
  /**
   * How often a process with waiters polls if nothing notifies it; at least every `waiterTtl / 12`.
   * @default 25 ms, SQLite 5 to 100
   */
  readonly pollInterval?: Duration | undefined;
}

const name = matching(/^[A-Za-z_][A-Za-z0-9_]{0,39}$/, nameRule);

/** How the names of the tables are checked. */
const tableReaders: OptionReaders<TableOptions> = { table: name, schema: name };

/** How the options are checked. */
export const sqlReaders: OptionReaders<SqlOptions> = {
  ...tableReaders,
  routines: flag,
  timeout: duration(10, 600_000),
  waiterTtl: duration(30, 86_400_000),
  tokenRetention: duration(1_000, 31_536_000_000),
  sweep: flag,
  listen: flag,
  pollInterval: duration(1, 60_000),
};

/** Where the options of this package come from, for messages. */
export const sqlSource: OptionSource = { where: '@locks/sql', code: 'LOCK_MISCONFIGURED', text: true };

/** The options with their defaults. */
export interface ReadSqlOptions {
  readonly names: TableNames;
  readonly routines: boolean;
  readonly timeout: number;
  readonly waiterTtl: number;
  readonly tokenRetention: number;
  readonly sweep: boolean;
  readonly listen: boolean;
  /** `undefined`: the dialect's default. */
  readonly pollInterval: number | undefined;
}

/**
 * Checks `options`.
 * @throws `LOCK_MISCONFIGURED` with the option, its value and what it must be.
 */
export function readSqlOptions(options: SqlOptions): ReadSqlOptions {
  const read = readOptions(sqlReaders, options, sqlSource);
  return {
    names: namesOf(read),
    routines: read.routines ?? true,
    timeout: read.timeout ?? 5_000,
    waiterTtl: read.waiterTtl ?? 6_000,
    tokenRetention: read.tokenRetention ?? 3_600_000,
    sweep: read.sweep ?? true,
    listen: read.listen ?? true,
    pollInterval: read.pollInterval,
  };
}

export function readMigrateTablesOptions(options: MigrateTablesOptions): {
  readonly names: TableNames;
  readonly routines: boolean;
} {
  const read = readOptions<MigrateTablesOptions>({ ...tableReaders, routines: flag }, options, sqlSource);
  return { names: namesOf(read), routines: read.routines ?? true };
}

export function readTableOptions(options: TableOptions): TableNames {
  return namesOf(readOptions(tableReaders, options, sqlSource));
}

function namesOf({ table = 'locks', schema }: TableOptions): TableNames {
  return { table, schema };
}
