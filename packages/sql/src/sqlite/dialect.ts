import { refuseOld } from './connection/check-version.ts';
import type { Dialect } from '../dialect/dialect.ts';
import type { SessionParts } from '../dialect/layout/sql-session.ts';
import { readTables } from '../dialect/layout/layout.ts';
import type { Database } from './connection/connection.ts';
import { explain, isBroken, isBusy, isInTransaction, migrationRemedy } from './connection/errors.ts';
import { withMigrationLock } from './migration-lock.ts';
import { migrations } from './migrations.ts';
import { checkNoSchema, openPool } from './clients/pool.ts';
import { openSession } from './sql-session.ts';
import { statements } from './statements.ts';
import { createTextTable, pathOf } from './text-table.ts';

/** A column that each table has since the present layout. */
const columns = {
  '': 'keep_for',
  _fences: 'resource',
  _host: 'boot',
  _layout: 'readable_from',
};

/**
 * SQLite 3.35 or newer: from a URL through `libsql`, else through the caller's `better-sqlite3`.
 */
export const sqlite: Dialect = {
  name: 'sqlite',
  scope: 'host',
  schemes: ['sqlite:'],
  unusedOptions: ['host', 'username', 'password', 'tls', 'sslmode', 'channelBinding', 'applicationName'],
  urlParameters: {},
  migrations,
  transactionalDdl: true,
  fence: {
    raise:
      'INSERT INTO "locks_fences" AS fence (resource, token) VALUES (?, CAST(? AS INTEGER)) ON CONFLICT (resource) DO UPDATE SET token = excluded.token WHERE fence.token < excluded.token',
    read: 'SELECT CAST(token AS TEXT) AS token FROM "locks_fences" WHERE resource = ?',
    // SQLite compares texts byte for byte.
    resourceValue: (resource) => resource,
  },
  canRepeat: isBusy,
  isInTransaction,
  isBroken,
  checkNames: checkNoSchema,
  serverVersion: 'SELECT sqlite_version() AS server',
  refuseOld,
  openPool,
  texts: { createTable: createTextTable },
  openSession: (parts) => openSession(parts as SessionParts<Database>),
  async tablesOf(session) {
    const found = new Map<string, boolean>();
    for (const [rest, column] of Object.entries(columns)) {
      // In each attached file.
      const has = 'SELECT count(*) AS found FROM pragma_table_info(?) WHERE name = ?';
      const [row] = await session.rows(has, `${session.names.table}${rest}`, column);
      found.set(rest, Number(row?.['found']) > 0);
    }
    return await readTables(session, found, statements.readLayout);
  },
  withMigrationLock,
  migrationRemedy,
  explain: (client, error, what) => explain(error, pathOf(client), what),
  diagnosis: async () => (await import('./diagnosis/diagnosis.ts')).diagnosis,
};
