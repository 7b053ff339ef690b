import type { CallName, LockError } from '@locks/core/adapter';
import type { DialectDiagnosis } from './diagnosis.ts';
import type { TextTableKind } from './stores/text-table.ts';
import type { SqlClient } from './pools/client.ts';
import type { SessionParts, SqlSession } from './layout/sql-session.ts';
import type { FoundTables } from './layout/layout.ts';
import type { LockStore, StoreOptions } from './stores/lock-store.ts';
import type { Migration } from './layout/migration.ts';
import type { TableNames } from './layout/names.ts';
import type { OwnPool, OwnPoolParts, SpecificOption } from './pools/own-pool.ts';
import type { UrlParameters } from './pools/url-parameters.ts';

/** The statements of a guard. The first binding of the others is `resourceValue(resource)`. */
export interface FenceStatements {
  /**
   * Comes first and changes nothing, so that it shows whether a transaction is open: by the
   * session's `leftOpen`, or as `raise` then answers with a row. Absent: the client has shown it.
   */
  readonly look?: string | undefined;
  /**
   * Raises the token of a resource to the second binding, unless it is higher; waits for other
   * transactions that do. Answers as `read` does, where that is absent.
   */
  readonly raise: string;
  /** Selects the resource's `token` as text, and keeps its row locked. */
  readonly read?: string | undefined;
  /** The name of a resource as the table compares it: byte for byte. */
  resourceValue(resource: string): unknown;
}

/** What lending a connection for one call needs to know of a database. */
export interface ConnectionRules {
  /** The database, for messages, and the name of the providers that use it. */
  readonly name: string;
  /**
   * Whether the same call can be sent again because the server has done nothing: a deadlock, a
   * serialization failure, a busy file.
   */
  canRepeat(error: unknown): boolean;
  /**
   * Whether nothing was done because the connection is in a transaction of its user: another
   * connection may not be.
   */
  isInTransaction(error: unknown): boolean;
  /**
   * Whether the connection must not be used again: it failed, the server ends it, or it leads to
   * one that cannot write.
   */
  isBroken(error: unknown): boolean;
}

/**
 * Everything that differs from one database to another. Each database has one, in a folder of its
 * own.
 */
export interface Dialect extends ConnectionRules {
  /** Whether processes of other hosts can use it. */
  readonly scope: 'host' | 'network';
  /** How its URLs begin, with the colon. */
  readonly schemes: readonly string[];
  /** The options of a configuration that mean nothing to it. */
  readonly unusedOptions: readonly SpecificOption[];
  /** What else its URLs may have. */
  readonly urlParameters: UrlParameters;
  /** The migrations in their order, with the default names of the tables. */
  readonly migrations: readonly Migration[];
  /** Whether a migration that fails is undone by the database. */
  readonly transactionalDdl: boolean;
  readonly fence: FenceStatements;
  /** Refuses names that it cannot have. @throws `LOCK_MISCONFIGURED` */
  checkNames?(names: TableNames): void;
  /** Selects as `server` the version of the server, or of the library of SQLite. */
  readonly serverVersion: string;
  /** Refuses one that is too old. @throws `LOCK_MISCONFIGURED` */
  refuseOld(server: unknown): void;
  /**
   * The pool that a URL and options ask for.
   * @throws `LOCK_MISCONFIGURED` for a URL that names no database, without the URL; for a driver
   * that is not installed.
   */
  openPool(parts: OwnPoolParts): Promise<OwnPool>;
  /** The tables with routines. Absent: the database has none, and uses `texts`. */
  createStore?(client: SqlClient, options: StoreOptions): LockStore;
  /** The one table of texts, whose rules are core's. */
  readonly texts: TextTableKind;
  openSession(parts: SessionParts): SqlSession;
  /** What there is of the tables. */
  tablesOf(session: SqlSession): Promise<FoundTables>;
  /**
   * What `change` resolves to, which no other process runs meanwhile. What a rejected change did is
   * undone where `transactionalDdl` is true.
   */
  withMigrationLock<T>(session: SqlSession, change: () => Promise<T>): Promise<T>;
  /** What can be done about a failed migration that the user must mend, for messages. */
  migrationRemedy(error: unknown): string | undefined;
  /** The contract's error for one of the driver or of the server. */
  explain(client: SqlClient, error: unknown, what: CallName): LockError;
  /** What `diagnose` asks of it. Loaded when it is called: few processes do. */
  diagnosis(): Promise<DialectDiagnosis>;
}
