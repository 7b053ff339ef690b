import type { Claim } from '@locks/core';
import type { Runtime } from '@locks/core/adapter';
import type { SqlClient } from '../../clients/client.ts';
import type { SqlSession } from '../sql-session.ts';
import type { TableNames } from '../names.ts';
import type { Store } from './store.ts';

/** What a plain store is made of. */
export interface PlainOptions {
  readonly names: TableNames;
  /** How long the server may work on a statement, in ms. */
  readonly timeout: number;
  readonly runtime: Runtime;
}

/**
 * The one table of four columns, for one pool of connections. Each change is one conditional write
 * of one row. No lock on a row outlives the write.
 */
export interface PlainStore<Connection = unknown> extends Store<Connection> {
  /** The token if the key was free or this owner's; `undefined`: another owner holds it. */
  acquire(connection: Connection, claim: Claim): Promise<bigint | undefined>;
  renew(connection: Connection, claim: Claim, token: bigint | undefined): Promise<boolean>;
  /** Whether this call freed a hold. */
  release(connection: Connection, claim: Claim): Promise<boolean>;
}

/** One database's part of the plain lock. */
export interface PlainTable {
  /** Creates the table. */
  readonly create: string;
  /** Its columns with their types, in their order, as `columnsOf` answers them. */
  readonly columns: string;
  /** The columns of the table that is there; `undefined` without one. */
  columnsOf(session: SqlSession): Promise<string | undefined>;
  createStore(client: SqlClient, options: PlainOptions): PlainStore;
}
