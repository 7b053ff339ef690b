import type { MysqlConnection } from '../connection/connection.ts';
import { guardConnection } from './guard-connection.ts';
import { discard, isOver } from '../connection/session.ts';
import type { SqlClient } from '../../dialect/pools/client.ts';

/** The members that identify a pool of `mysql2`. */
export interface Mysql2Pool {
  getConnection(done: never): unknown;
  releaseConnection(connection: never): unknown;
}

/** The same for `mysql2/promise`. */
export interface Mysql2PromisePool {
  readonly pool: Mysql2Pool;
}

/** A connection of `mysql2`, such as the transaction of a guard. */
export interface Mysql2Connection {
  execute(sql: never, values: never, done: never): unknown;
  readonly threadId: number | null;
}

/** The same for `mysql2/promise`. */
export interface Mysql2PromiseConnection {
  readonly connection: Mysql2Connection;
}

/** The actual pool. Its lists have no public names. */
export interface CorePool {
  getConnection(done: (error: Error | null, connection: Lent) => void): void;
  readonly config: { readonly connectionLimit: number; readonly connectionConfig: object };
  readonly _closed?: boolean;
  readonly _connectionQueue?: { readonly length: number };
  readonly _freeConnections: { readonly length: number };
  readonly _allConnections: { readonly length: number; get(index: number): object };
}

interface Lent extends MysqlConnection {
  release(): void;
  on(event: 'error', listener: () => void): unknown;
  off(event: 'error', listener: () => void): unknown;
}

/** Each call gets a connection failure as the error of its statement. */
const ignore = (): void => {};

type ConnectionClass = new (options: { readonly config: object }) => Lent & {
  connect(done: (error: Error | null) => void): void;
};

/** The pool behind `given`; `undefined`: it is no pool of mysql2. */
export function mysql2PoolOf(given: unknown): Mysql2Pool | undefined {
  const pool = ((given as Partial<Mysql2PromisePool> | undefined)?.pool ?? given) as Partial<CorePool> | undefined;
  const { getConnection, execute, config } = (pool ?? {}) as Partial<CorePool & { execute: unknown }>;
  // The library mysql has no `execute`.
  const found =
    typeof getConnection === 'function' && typeof execute === 'function' && config?.connectionConfig !== undefined;
  return found ? (pool as unknown as Mysql2Pool) : undefined;
}

/** The connection behind `given`; `undefined`: it is no connection of mysql2. */
export function mysql2ConnectionOf(given: unknown): MysqlConnection | undefined {
  const connection = ((given as Partial<Mysql2PromiseConnection> | undefined)?.connection ?? given) as
    | Partial<Mysql2Connection>
    | undefined;
  const found = typeof connection?.execute === 'function' && 'threadId' in connection;
  return found ? (connection as unknown as MysqlConnection) : undefined;
}

/** Whether a pool of `mysql2` refused to wait: options `waitForConnections`, `queueLimit`. */
export function isMysqlPoolEmpty(error: unknown): boolean {
  return error instanceof Error && /^(?:No connections available|Queue limit reached)\.$/.test(error.message);
}

/** A pool of `mysql2`, with its callback interface. */
export function mysql2Client(given: Mysql2Pool): SqlClient<Lent> {
  const pool = given as unknown as CorePool;
  return {
    database: 'mysql',
    isTransaction: false,
    // 0 means no limit.
    max: pool.config.connectionLimit || Infinity,
    get ended() {
      return pool._closed === true;
    },
    // Its pool listens for one error. A server can cause another, which would end the process.
    acquire: () =>
      new Promise((resolve, reject) => {
        pool.getConnection((error, connection) => {
          if (error) return reject(error);
          connection.on('error', ignore);
          resolve(connection);
        });
      }),
    release(connection, broken) {
      // A destroyed connection may still emit errors.
      if (!broken) connection.off('error', ignore);
      if (broken) connection.destroy();
      else connection.release();
    },
    waiting: () => pool._connectionQueue?.length,
    gaveUp: isMysqlPoolEmpty,
    isOver,
    discard,
    async connect() {
      const { Connection } = (await import('mysql2')).default as unknown as { readonly Connection: ConnectionClass };
      const connection = new Connection({ config: pool.config.connectionConfig });
      guardConnection(connection);
      return await new Promise((resolve, reject) => {
        connection.connect((error) => (error ? reject(error) : resolve(connection)));
      });
    },
  };
}
