import type { PgConnection } from './connection/connection.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { createKnexSession } from '../dialect/knex-session.ts';
import type { Row } from '../dialect/knex-session.ts';
import { readLayout } from '../dialect/layout/layout.ts';
import { abandon } from './connection/cancel.ts';
import { canRepeat, explain, isBroken, isInTransaction, migrationRemedy } from './errors.ts';
import { withMigrationLock } from './migration-lock.ts';
import { migrations } from './migrations.ts';
import { plain } from './plain.ts';
import { poolConfig } from './connection/pool.ts';
import { createStore } from './store.ts';

/** Postgres 13 or newer, through `pg`. */
export const postgres: Dialect = {
  name: 'postgres',
  scope: 'network',
  driver: { client: 'pg', module: 'pg', load: () => import('pg') },
  schemes: ['postgres:', 'postgresql:'],
  unusedOptions: [],
  migrations,
  transactionalDdl: true,
  fence: {
    raise:
      'INSERT INTO "locks_fences" AS fence (resource, token) VALUES (?, ?::bigint) ON CONFLICT (resource) DO UPDATE SET token = excluded.token WHERE fence.token < excluded.token',
    read: 'SELECT token::text AS token FROM "locks_fences" WHERE resource = ? FOR UPDATE',
    resourceValue: (resource) => Buffer.from(resource),
  },
  canRepeat,
  isInTransaction,
  isBroken,
  isOver: ({ connection }: PgConnection) => !connection.stream.readable,
  discard: abandon,
  checkNames() {},
  poolConfig,
  createStore,
  processName: (id) => id,
  plain,
  openSession: (parts) =>
    createKnexSession(parts, {
      quote: '"',
      rowsOf: (response) => (response as { readonly rows?: readonly Row[] }).rows ?? [],
      // Knex gives every question mark a number, and takes the backslash away.
      literal: (sql) => sql.replaceAll('?', '\\?'),
    }),
  layoutOf: (session) =>
    readLayout(session, {
      exists: `SELECT count(*) AS found FROM pg_class WHERE oid = to_regclass('"locks_layout"')`,
      bindings: [],
      read: 'SELECT version, readable_from FROM "locks_layout" ORDER BY version DESC LIMIT 1',
    }),
  withMigrationLock,
  migrationRemedy,
  explain: (_client, error, what) => explain(error, what),
};
