import type { ReadRecord, StoredRecord } from '@locks/core/adapter';
import type { SqlClient } from '../pools/client.ts';
import type { SqlSession } from '../layout/sql-session.ts';
import type { StoreOptions } from './lock-store.ts';
import type { TableStore } from './store.ts';

export type TextTableOptions = Omit<StoreOptions, 'waiterTtl'>;

/** A change of the text under one key. */
export interface Replacement {
  readonly key: string;
  /** The expected version. `undefined`: no text. */
  readonly seen: string | undefined;
  readonly next: StoredRecord;
  /** The processes that must read the key, by their names. */
  readonly wakes: readonly string[];
}

/**
 * A table of versioned texts in one database, for one pool. Each method is one statement over the
 * passed connection, and rejects with the driver's own errors.
 */
export interface TextTable<Connection = unknown> extends TableStore<Connection> {
  /** The name of this process in the texts. */
  readonly process: string;
  /** Whether the process of this name has certainly ended. */
  readonly ended?: ((process: string) => boolean) | undefined;
  read(connection: Connection, key: string): Promise<ReadRecord>;
  /** Whether the text was written: its version was `seen`. */
  replace(connection: Connection, replacement: Replacement): Promise<boolean>;
  /** Several in one transaction, synchronously, if the database is in this process. */
  replaceAll?(connection: Connection, replacements: readonly Replacement[]): readonly boolean[];
  /** How a process is woken. `undefined`: it polls. */
  readonly listening?: TextListening<Connection> | undefined;
}

/** How a process is woken. */
export interface TextListening<Connection = unknown> {
  /**
   * Listens until the returned function is called. `heard` gets the key to read, if the wake names
   * it.
   */
  listen(heard: (key?: string) => void, lost: (reason: unknown) => void): Promise<() => void>;
  /** Sends this process a wake, to prove that its listener works. */
  echo(connection: Connection): Promise<unknown>;
  /** Why the echo was not received, and what to do. */
  readonly unheard: string;
  /** The versions of `keys`. Absent: each wake names its key. */
  versions?(connection: Connection, keys: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

/** One database's table of texts. */
export interface TextTableKind {
  createTable(client: SqlClient, options: TextTableOptions): TextTable;
  /** For databases where routines are optional. Absent: there are none. */
  readonly instead?:
    | {
        readonly create: string;
        /** The names of the columns of the existing table. `undefined`: no table. */
        columnsOf(session: SqlSession): Promise<string | undefined>;
      }
    | undefined;
}
