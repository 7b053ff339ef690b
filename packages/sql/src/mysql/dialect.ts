import { refuseOld } from './connection/check-version.ts';
import type { MysqlConnection } from './connection/connection.ts';
import type { Dialect } from '../dialect/dialect.ts';
import type { SessionParts } from '../dialect/layout/sql-session.ts';
import { canRepeat, explain, isBroken, isInTransaction, migrationRemedy } from './connection/errors.ts';
import { withMigrationLock } from './migration-lock.ts';
import { migrations } from './migrations.ts';
import { openPool } from './clients/pool.ts';
import { urlParameters } from './clients/url-parameters.ts';
import { openSession } from './sql-session.ts';
import { createStore } from './store.ts';
import { texts } from './text-table.ts';
import { tablesOf } from './tables-of.ts';

/** MariaDB 10.6 and MySQL 8.0 or newer, through `mysql2`. */
export const mysql: Dialect = {
  name: 'mysql',
  scope: 'network',
  schemes: ['mysql:', 'mariadb:'],
  unusedOptions: ['sslmode', 'channelBinding'],
  urlParameters,
  migrations,
  transactionalDdl: false,
  fence: {
    look: 'DO 0',
    raise:
      'INSERT INTO `locks_fences` (resource, token) VALUES (?, CAST(? AS SIGNED)) ON DUPLICATE KEY UPDATE token = GREATEST(token, VALUES(token))',
    read: 'SELECT CAST(token AS CHAR) AS token FROM `locks_fences` WHERE resource = ? FOR UPDATE',
    resourceValue: (resource) => Buffer.from(resource),
  },
  canRepeat,
  isInTransaction,
  isBroken,
  serverVersion: 'SELECT VERSION() AS server',
  refuseOld,
  openPool,
  createStore,
  texts,
  openSession: (parts) => openSession(parts as SessionParts<MysqlConnection>),
  tablesOf,
  withMigrationLock,
  migrationRemedy,
  explain: (_client, error, what) => explain(error, what),
  diagnosis: async () => (await import('./diagnosis/diagnosis.ts')).diagnosis,
};
