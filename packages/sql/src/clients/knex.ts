import { misconfigured } from '@locks/core/adapter';
import { discard as discardMysql, isOver as isMysqlOver } from '../mysql/connection/session.ts';
import { abandon, isOver as isPgOver } from '../postgres/connection/cancel.ts';
import { discard as discardSqlite } from '../sqlite/connection/connection.ts';
import { checkLibrary } from '../postgres/clients/check-library.ts';
import type { SqlClient } from '../dialect/pools/client.ts';
import { isMysqlPoolEmpty } from '../mysql/clients/mysql2.ts';
import { isPgPoolEmpty } from '../postgres/clients/pg.ts';

/**
 * The members used of a knex instance, so that several majors fit. It is never destroyed, and its
 * configuration is not changed.
 */
export interface KnexInstance {
  readonly client: KnexClient;
  /** Only transactions have it. */
  readonly isTransaction?: boolean | undefined;
  /** For a transaction: whether it is over. Its connection is another's then. */
  isCompleted?(): boolean;
}

/** The members of knex that lend connections of its pool. */
export interface KnexClient {
  /** `pg`, `mysql2`, `better-sqlite3`, … */
  readonly driverName: string;
  /** Of the pool; rejects after the pool's own timeout, a minute by default. */
  acquireConnection(): Promise<unknown>;
  releaseConnection(connection: unknown): Promise<unknown>;
  /** knex's own pool reports its waiters and its maximum; a pool passed to knex may not. */
  readonly pool?:
    | {
        readonly max?: number;
        readonly destroyed?: boolean;
        numPendingAcquires?(): number;
        numPendingCreates?(): number;
      }
    | undefined;
  /** Of SQLite. */
  readonly connectionSettings?: { readonly filename?: unknown } | undefined;
  /** `connectionPool`: one created elsewhere. */
  readonly config?: { readonly connectionPool?: unknown } | undefined;
  /** Outside of the pool. */
  acquireRawConnection(): Promise<unknown>;
}

/** How knex marks a connection that its pool must not lend again. */
interface Marked {
  __knex__disposed?: unknown;
}

type Driver<Connection> = Pick<SqlClient<Connection>, 'database' | 'discard' | 'isOver' | 'check' | 'gaveUp'>;

/** The drivers by knex's names; `gaveUp` is for a pool of that driver. */
const drivers: Readonly<Record<string, Driver<never>>> = {
  pg: { database: 'postgres', discard: abandon, isOver: isPgOver, check: checkLibrary, gaveUp: isPgPoolEmpty },
  mysql2: { database: 'mysql', discard: discardMysql, isOver: isMysqlOver, gaveUp: isMysqlPoolEmpty },
  'better-sqlite3': { database: 'sqlite', discard: discardSqlite },
};

export function isKnex(given: unknown): given is KnexInstance {
  const client = (given as Partial<KnexInstance> | undefined)?.client;
  return typeof client?.acquireConnection === 'function' && typeof client.releaseConnection === 'function';
}

/** @throws `LOCK_MISCONFIGURED` for a driver that this package does not know. */
export function knexClient({ client, isTransaction }: KnexInstance): SqlClient<object> {
  const driver = drivers[client.driverName];
  if (driver === undefined) {
    const known = Object.keys(drivers).join(', ');
    throw misconfigured('@locks/sql', `it works with the knex clients ${known}, not with "${client.driverName}"`);
  }
  const filename = client.connectionSettings?.filename;
  return {
    ...(driver as Driver<object>),
    isTransaction: isTransaction === true,
    file: typeof filename === 'string' ? filename : undefined,
    get max() {
      return client.pool?.max ?? usualMaximum;
    },
    // A destroyed knex has no pool, and a transaction never had one.
    get ended() {
      return isTransaction !== true && (client.pool === undefined || client.pool.destroyed === true);
    },
    acquire: async () => (await client.acquireConnection()) as object,
    release(connection, broken) {
      if (broken) (connection as Marked).__knex__disposed ??= 'ended by @locks/sql';
      void client.releaseConnection(connection);
    },
    waiting: () => client.pool?.numPendingAcquires?.(),
    opening: () => (client.pool?.numPendingCreates?.() ?? 0) > 0,
    gaveUp: (error) => (error as Error | undefined)?.name === 'KnexTimeoutError' || driver.gaveUp?.(error) === true,
    isBroken: (connection) => Boolean((connection as Marked).__knex__disposed),
    async connect() {
      // Knex would connect without settings, to wherever that leads.
      if (client.config?.connectionPool !== undefined) {
        throw new Error('knex was given a pool, and does not know how to connect beside it');
      }
      return (await client.acquireRawConnection()) as object;
    },
  };
}

/**
 * The assumed size of a pool that does not report its maximum. A lower number opens connections
 * more slowly.
 */
const usualMaximum = 10;
