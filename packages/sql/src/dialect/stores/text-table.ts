import type { ReadRecord, StoredRecord } from '@locks/core/adapter';
import type { SqlClient } from '../pools/client.ts';
import type { SqlSession } from '../layout/sql-session.ts';
import type { StoreOptions } from './lock-store.ts';
import type { TableStore } from './store.ts';

export type TextTableOptions = Omit<StoreOptions, 'waiterTtl'>;

/** A change of the text under one key. */
export interface Replacement {
  readonly key: string;
  /** The version that the text must have. `undefined`: there must be no text. */
  readonly seen: string | undefined;
  readonly next: StoredRecord;
  /** The processes that must look at the key, as they name themselves. */
  readonly wakes: readonly string[];
}

/**
 * A table of texts with their versions in one database, for one pool of connections. Each method is
 * one statement over the connection that it is given, and rejects with the driver's own errors.
 */
export interface TextTable<Connection = unknown> extends TableStore<Connection> {
  /** The name of this process in the texts. */
  readonly process: string;
  /** Whether the process of this name has certainly ended. */
  readonly ended?: ((process: string) => boolean) | undefined;
  read(connection: Connection, key: string): Promise<ReadRecord>;
  /** Whether the text was written: its version was the one that was seen. */
  replace(connection: Connection, replacement: Replacement): Promise<boolean>;
  /** Several in one transaction, at once, where the database is in this process. */
  replaceAll?(connection: Connection, replacements: readonly Replacement[]): readonly boolean[];
  /** Where a process can be woken. `undefined`: it looks at the keys at times. */
  readonly listening?: TextListening<Connection> | undefined;
}

/** How a process is woken. */
export interface TextListening<Connection = unknown> {
  /**
   * Listens until the returned function is called. `heard` gets the key to look at, where a wake
   * says so.
   */
  listen(heard: (key?: string) => void, lost: (reason: unknown) => void): Promise<() => void>;
  /** Sends this process a wake, which it hears if it hears anything. */
  echo(connection: Connection): Promise<unknown>;
  /** Why the echo was not heard, and what to do. */
  readonly unheard: string;
  /** Which of `keys` have which version. Absent: each wake says its key. */
  versions?(connection: Connection, keys: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

/** One database's table of texts. */
export interface TextTableKind {
  createTable(client: SqlClient, options: TextTableOptions): TextTable;
  /** Where routines can be done without. Absent: there are none. */
  readonly instead?:
    | {
        readonly create: string;
        /** The names of the columns of the table that is there. `undefined`: there is none. */
        columnsOf(session: SqlSession): Promise<string | undefined>;
      }
    | undefined;
}
