import { LockError } from '@locks/core/adapter';
import type { Dialect, DialectOptions } from './dialect.ts';
import type { KnexClient, KnexInstance } from './knex.ts';
import type { Migration } from './migration.ts';
import type { TableNames } from './names.ts';
import { mysql } from './mysql/kind.ts';
import { postgres } from './postgres/kind.ts';
import { fileSchema } from './sqlite/driver.ts';
import { sqlite } from './sqlite/kind.ts';

/** One kind of database. */
export interface Kind {
  readonly name: 'postgres' | 'mysql' | 'sqlite';
  /** How names are quoted. */
  readonly quote: '"' | '`';
  readonly migrations: readonly Migration[];
  /** What can be done about a failure of a migration that is due to names or rights, for messages. */
  migrationRemedy(error: unknown): string | undefined;
  createDialect(client: KnexClient, options: DialectOptions): Dialect;
}

const byDriver: Readonly<Record<string, Kind>> = { pg: postgres, mysql2: mysql, 'better-sqlite3': sqlite };

/** The kind of database that `knex` talks to. @throws `LOCK_MISCONFIGURED` for anything that is not a knex of a known kind. */
export function kindOf(knex: KnexInstance): Kind {
  const client = knex?.client;
  if (typeof client?.acquireConnection !== 'function' || typeof client.releaseConnection !== 'function') {
    throw new LockError(
      'LOCK_MISCONFIGURED',
      '@locks/sql needs a knex instance: createSqlProvider(knex({ client: "pg", connection: url })).',
    );
  }
  const kind = Object.hasOwn(byDriver, client.driverName) ? byDriver[client.driverName] : undefined;
  if (kind !== undefined) return kind;
  throw new LockError(
    'LOCK_MISCONFIGURED',
    `@locks/sql works with the knex clients ${Object.keys(byDriver).join(', ')}, not with "${client.driverName}".`,
  );
}

/** Refuses a schema where there are none. @throws `LOCK_MISCONFIGURED` */
export function checkNames({ name }: Kind, { schema }: TableNames): void {
  if (name !== 'sqlite' || schema === undefined || schema === fileSchema) return;
  throw new LockError(
    'LOCK_MISCONFIGURED',
    `@locks/sql: option "schema" is "${schema}", but SQLite has no schemas; leave it out, and name the tables by option "table".`,
  );
}
