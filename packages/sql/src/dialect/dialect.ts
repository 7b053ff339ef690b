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
   * Sent first, and changes nothing: it shows whether a transaction is open, by the session's
   * `leftOpen`, or by a row of `raise`. Absent: the client has shown it.
   */
  readonly look?: string | undefined;
  /**
   * Raises the token of a resource to the second binding, unless it is higher; waits for other
   * transactions that do. Without `read` it answers as that does.
   */
  readonly raise: string;
  /** Selects the resource's `token` as text, and keeps its row locked. */
  readonly read?: string | undefined;
  /** The name of a resource as the table compares it: bytewise. */
  resourceValue(resource: string): unknown;
}

/** What depends on the database when a connection is borrowed. */
export interface ConnectionRules {
  /** The name of the database, in messages and as the provider's name. */
  readonly name: string;
  /**
   * Whether the same call can be repeated because the server has done nothing: a deadlock, a
   * serialization failure, a busy file.
   */
  canRepeat(error: unknown): boolean;
  /**
   * Whether nothing was done because the connection is in a transaction of its user. Another
   * connection may not be.
   */
  isInTransaction(error: unknown): boolean;
  /**
   * Whether the connection must not be used again: it failed, the server ends it, or the server
   * cannot write.
   */
  isBroken(error: unknown): boolean;
}

/** Everything that differs between databases. Each has one, in a folder of its own. */
export interface Dialect extends ConnectionRules {
  /** Whether processes of other hosts can use it. */
  readonly scope: 'host' | 'network';
  /** The schemes of its URLs, with the colon. */
  readonly schemes: readonly string[];
  /** The options of a configuration that it does not use. */
  readonly unusedOptions: readonly SpecificOption[];
  /** Additional parameters of its URLs. */
  readonly urlParameters: UrlParameters;
  /** The migrations in their order, with the default names of the tables. */
  readonly migrations: readonly Migration[];
  /** Whether the database rolls a failed migration back. */
  readonly transactionalDdl: boolean;
  readonly fence: FenceStatements;
  /** Checks names. @throws `LOCK_MISCONFIGURED` for names that it does not allow. */
  checkNames?(names: TableNames): void;
  /** Selects as `server` the version of the server, or of the SQLite library. */
  readonly serverVersion: string;
  /** @throws `LOCK_MISCONFIGURED` for a version that is too old. */
  refuseOld(server: unknown): void;
  /**
   * The pool for a URL and options.
   * @throws `LOCK_MISCONFIGURED` for a URL that names no database, without quoting it; for a driver
   * that is not installed.
   */
  openPool(parts: OwnPoolParts): Promise<OwnPool>;
  /** The tables with routines. Absent: the database supports only `texts`. */
  createStore?(client: SqlClient, options: StoreOptions): LockStore;
  /** The one table of texts, with core's rules. */
  readonly texts: TextTableKind;
  openSession(parts: SessionParts): SqlSession;
  /** The existing tables. */
  tablesOf(session: SqlSession): Promise<FoundTables>;
  /**
   * The result of `change`, which no other process runs simultaneously. A rejected change is undone
   * if `transactionalDdl` is true.
   */
  withMigrationLock<T>(session: SqlSession, change: () => Promise<T>): Promise<T>;
  /** How the user can fix a failed migration, for messages. */
  migrationRemedy(error: unknown): string | undefined;
  /** The contract's error for one of the driver or of the server. */
  explain(client: SqlClient, error: unknown, what: CallName): LockError;
  /** The checks of `diagnose`. Loaded on first use, as few processes need them. */
  diagnosis(): Promise<DialectDiagnosis>;
}
