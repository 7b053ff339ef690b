export { combineMigrationSources } from './migrations/combine-migration-sources.ts';
export type { MigrationSource, SourcedMigration } from './migrations/combine-migration-sources.ts';
export { fromConfig } from './config.ts';
export { diagnose } from './diagnose.ts';
export type { SqlConfigOptions } from './options/config-options.ts';
export { createSqlProvider } from './create-provider.ts';
export { createSqlGuard, fence } from './fence.ts';
export type { SqlGuard } from './fence.ts';
export type { AnySqlClient, AnySqlTransaction } from './clients/find-client.ts';
export type {
  ExecutedValue,
  PostgresAnswer,
  PostgresExecutor,
  PostgresExecutorConnection,
  PostgresTransaction,
} from './postgres/clients/executor.ts';
export type { KnexClient, KnexInstance } from './clients/knex.ts';
export type {
  Mysql2Connection,
  Mysql2Pool,
  Mysql2PromiseConnection,
  Mysql2PromisePool,
} from './mysql/clients/mysql2.ts';
export type { PgClient, PgPool, PgPoolClient } from './postgres/clients/pg.ts';
export type {
  PostgresJsReserved,
  PostgresJsSql,
  PostgresJsTransaction,
} from './postgres/clients/postgres-js/client.ts';
export type { SqliteDatabase } from './sqlite/clients/sqlite.ts';
export { migrateTables } from './migrations/migrate-tables.ts';
export { removeTables } from './migrations/remove-tables.ts';
export { LocksMigrationSource } from './migrations/migration-source.ts';
export type { KnexMigration, LocksMigration } from './migrations/migration-source.ts';
export type { MigrateTablesOptions, SqlOptions, TableOptions } from './options/provider-options.ts';
export { sweep } from './sweep/sweep.ts';
export type { SweepOptions } from './sweep/sweep.ts';
export type { WakeMessage } from './queue/wake-reports.ts';
