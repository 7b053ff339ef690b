import type { ReadRecord, Runtime, StoredRecord } from '@locks/core/adapter';
import type { TableNames } from '../dialect/names.ts';
import type { ListedKeys } from '../dialect/stores/listed-keys.ts';
import type { TableStore } from '../dialect/stores/store.ts';

/** What a table of texts is made of. */
export interface TextTableOptions {
  readonly names: TableNames;
  /** Whether to listen for wakes where the database can tell them. */
  readonly listen: boolean;
  /** How long the server may work on a statement, in ms: nothing may take effect later. */
  readonly timeout: number;
  readonly runtime: Runtime;
}

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
  /** At most `limit` keys with this prefix that have a text, after the key `after`, in byte order. */
  list(connection: Connection, prefix: string, after: string | undefined, limit: number): Promise<ListedKeys>;
  /** Which of `keys` have which version. */
  versions(connection: Connection, keys: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /**
   * Listens for wakes of this process until the returned function is called. `undefined`: the
   * process looks at the keys at times.
   */
  readonly listen?: ((heard: () => void, lost: (reason: unknown) => void) => Promise<() => void>) | undefined;
  /** Sends this process a wake, which it hears if it hears anything. */
  echo?(connection: Connection): Promise<void>;
}
