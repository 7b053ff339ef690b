import { refuseOld } from './connection/check-version.ts';
import type { PgConnection } from './connection/connection.ts';
import type { Dialect } from '../dialect/dialect.ts';
import type { SessionParts } from '../dialect/layout/sql-session.ts';
import { readTables } from '../dialect/layout/layout.ts';
import { canRepeat, explain, isBroken, isInTransaction, migrationRemedy } from './connection/errors.ts';
import { withMigrationLock } from './migration-lock.ts';
import { migrations } from './migrations.ts';
import { openPool } from './clients/pool.ts';
import { urlParameters } from './clients/url-parameters.ts';
import { openSession } from './sql-session.ts';
import { statements } from './statements.ts';
import { createStore } from './store.ts';
import { texts } from './text-table.ts';

/** Postgres 13 or newer, through `pg`. */
export const postgres: Dialect = {
  name: 'postgres',
  scope: 'network',
  schemes: ['postgres:', 'postgresql:'],
  unusedOptions: [],
  urlParameters,
  migrations,
  transactionalDdl: true,
  fence: {
    // Outside of a transaction the setting ends with the statement.
    look: `SELECT set_config('locks.fence', 'open', true)`,
    raise: `INSERT INTO "locks_fences" AS fence (resource, token) SELECT ?::bytea, ?::bigint WHERE current_setting('locks.fence', true) = 'open' ON CONFLICT (resource) DO UPDATE SET token = greatest(fence.token, excluded.token) RETURNING token::text AS token`,
    resourceValue: (resource) => Buffer.from(resource),
  },
  canRepeat,
  isInTransaction,
  isBroken,
  serverVersion: "SELECT current_setting('server_version_num') AS server",
  refuseOld,
  openPool,
  createStore,
  texts,
  openSession: (parts) => openSession(parts as SessionParts<PgConnection>),
  async tablesOf(session) {
    const rows = await session.rows(statements.objects);
    const found = new Map(rows.map(({ rest, found: there }) => [String(rest), there === 't']));
    return await readTables(session, found, statements.readLayout);
  },
  withMigrationLock,
  migrationRemedy,
  explain: (_client, error, what) => explain(error, what),
  diagnosis: async () => (await import('./diagnosis/diagnosis.ts')).diagnosis,
};
