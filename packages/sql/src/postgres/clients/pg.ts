import { abandon, isOver } from '../connection/cancel.ts';
import { checkLibrary } from './check-library.ts';
import { guardClient } from './guard-client.ts';
import type { PgSession } from '../connection/connection.ts';
import type { SqlClient } from '../../dialect/pools/client.ts';

/** The members used of a `Pool` of `pg`. */
export interface PgPool {
  connect(callback: (error: Error | undefined, connection: PgPoolClient | undefined) => void): void;
  readonly totalCount: number;
  readonly waitingCount: number;
  readonly options: { readonly max?: number | undefined };
  readonly ending: boolean;
  /** The class of its connections. */
  readonly Client?: new (options: never) => object;
}

/** A connection lent by a `Pool` of `pg`, such as the transaction of a guard. */
export interface PgPoolClient extends PgClient {
  release(destroy?: boolean): void;
}

/** The members that identify a `Client` of `pg`. */
export interface PgClient {
  query(text: string): Promise<unknown>;
  readonly connection?: unknown;
}

interface Lent extends PgSession {
  release(destroy: boolean): void;
  off(event: 'error', listener: () => void): unknown;
}

/** Each call gets a connection failure as the error of its statement. */
const ignore = (): void => {};

export function isPgPool(given: unknown): given is PgPool {
  const { connect, totalCount, Client } = (given ?? {}) as Partial<PgPool>;
  return typeof connect === 'function' && typeof totalCount === 'number' && typeof Client === 'function';
}

export function isPgClient(given: unknown): given is PgClient {
  const { connection, query } = (given ?? {}) as Partial<PgClient>;
  return (
    typeof query === 'function' &&
    typeof (connection as Partial<NodeJS.EventEmitter>)?.on === 'function' &&
    'processID' in (given as object)
  );
}

/** Whether a `Pool` of `pg` reached its time limit. */
export function isPgPoolEmpty(error: unknown): boolean {
  return error instanceof Error && error.message === 'timeout exceeded when trying to connect';
}

export function pgClient(pool: PgPool): SqlClient<Lent> {
  return {
    database: 'postgres',
    isTransaction: false,
    max: pool.options.max ?? 10,
    get ended() {
      return pool.ending;
    },
    // Its pool listens only to idle ones, and an error without a listener ends the process. It may
    // arrive with the packet that made the connection ready: a promise would be too late.
    acquire: () =>
      new Promise((resolve, reject) => {
        pool.connect((error, lent) => {
          const connection = lent as Lent | undefined;
          connection?.on('error', ignore);
          if (connection === undefined) reject(error ?? new Error('the pool gave no connection'));
          else resolve(connection);
        });
      }),
    release(connection, broken) {
      connection.release(broken);
      connection.off('error', ignore);
    },
    waiting: () => pool.waitingCount,
    gaveUp: isPgPoolEmpty,
    check: checkLibrary,
    isOver,
    discard: abandon,
    async connect() {
      const { Client } = pool as unknown as {
        readonly Client: new (options: object) => Lent & { connect(): Promise<unknown> };
      };
      const connection = new Client(pool.options);
      guardClient(connection);
      await connection.connect();
      return connection;
    },
  };
}
