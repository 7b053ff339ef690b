import type { MysqlConnection } from './connection/connection.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { createKnexSession } from '../dialect/knex-session.ts';
import type { Row } from '../dialect/knex-session.ts';
import { readLayout } from '../dialect/layout/layout.ts';
import { canRepeat, explain, isBroken, isInTransaction, migrationRemedy } from './errors.ts';
import { withMigrationLock } from './migration-lock.ts';
import { migrations } from './migrations.ts';
import { plain } from './plain.ts';
import { poolConfig } from './connection/pool.ts';
import { discard } from './connection/session.ts';
import { createStore } from './store.ts';

/** MariaDB 10.6 and MySQL 8.0 or newer, through `mysql2`. */
export const mysql: Dialect = {
  name: 'mysql',
  scope: 'network',
  driver: { client: 'mysql2', module: 'mysql2', load: () => import('mysql2') },
  schemes: ['mysql:', 'mariadb:'],
  unusedOptions: ['sslmode', 'applicationName'],
  migrations,
  transactionalDdl: false,
  fence: {
    raise:
      'INSERT INTO `locks_fences` (resource, token) VALUES (?, CAST(? AS SIGNED)) ON DUPLICATE KEY UPDATE token = GREATEST(token, VALUES(token))',
    read: 'SELECT CAST(token AS CHAR) AS token FROM `locks_fences` WHERE resource = ? FOR UPDATE',
    resourceValue: (resource) => Buffer.from(resource),
  },
  canRepeat,
  isInTransaction,
  isBroken,
  isOver: ({ stream }: MysqlConnection) => stream?.readable === false,
  discard,
  checkNames() {},
  poolConfig,
  createStore,
  processName: (id) => id,
  plain,
  openSession: (parts) => createKnexSession(parts, { quote: '`', rowsOf }),
  layoutOf: (session) =>
    readLayout(session, {
      exists:
        'SELECT count(*) AS found FROM information_schema.tables WHERE table_schema = COALESCE(?, DATABASE()) AND table_name = ?',
      bindings: [session.names.schema ?? null, `${session.names.table}_layout`],
      read: 'SELECT version, readable_from FROM `locks_layout` ORDER BY version DESC LIMIT 1',
    }),
  withMigrationLock,
  migrationRemedy,
  explain: (_client, error, what) => explain(error, what),
};

/** mysql2 answers with rows and fields, or with a header and no fields. */
function rowsOf(response: unknown): readonly Row[] {
  const [rows] = response as readonly unknown[];
  return Array.isArray(rows) ? (rows as readonly Row[]) : [];
}
