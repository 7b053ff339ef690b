import type { CallName, LockError, Runtime } from '@locks/core/adapter';
import type { PlainTable } from './stores/plain-store.ts';
import type { KnexClient } from './knex.ts';
import type { KnexSession, SessionParts } from './knex-session.ts';
import type { Layout } from './layout/layout.ts';
import type { LockStore, StoreOptions } from './stores/lock-store.ts';
import type { Migration } from './layout/migration.ts';
import type { TableNames } from './names.ts';
import type { ConnectionOptions, Driver, PoolConfig, SpecificOption } from './pools/pool-config.ts';

/** The statements of a guard. Their first binding is `resourceValue(resource)`. */
export interface FenceStatements {
  /**
   * Raises the token of a resource to the second binding, unless it is higher; waits for other
   * transactions that do.
   */
  readonly raise: string;
  /** Selects the resource's `token` as text, and keeps its row locked. */
  readonly read: string;
  /** The name of a resource as the table compares it: byte for byte. */
  resourceValue(resource: string): unknown;
}

/** What lending a connection for one call needs to know of a database. */
export interface ConnectionRules<Connection = unknown> {
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
  /** Whether the connection must not be used again. */
  isBroken(error: unknown): boolean;
  /** Whether its server has ended the connection, as far as is known. Absent: it has no server. */
  isOver?(connection: Connection): boolean;
  /**
   * Ends the connection now: what it is still doing is given up, on the server too where that is
   * possible.
   */
  discard(connection: Connection): void;
}

/**
 * Everything that differs from one database to another. Each database has one, in a folder of its
 * own.
 */
export interface Dialect extends ConnectionRules {
  /** Whether processes of other hosts can use it. */
  readonly scope: 'host' | 'network';
  /** What knex calls its client of this database, and where the driver comes from. */
  readonly driver: Driver;
  /** How its URLs begin, with the colon. */
  readonly schemes: readonly string[];
  /** The options of a configuration that mean nothing to it. */
  readonly unusedOptions: readonly SpecificOption[];
  /** The migrations in their order, with the default names of the tables. */
  readonly migrations: readonly Migration[];
  /** Whether a migration that fails is undone by the database. */
  readonly transactionalDdl: boolean;
  readonly fence: FenceStatements;
  /** Refuses names that it cannot have. @throws `LOCK_MISCONFIGURED` */
  checkNames(names: TableNames): void;
  /**
   * The pool that `url` and the options ask for.
   * @throws `LOCK_MISCONFIGURED` for a URL that names no database; the message does not contain the
   * URL.
   */
  poolConfig(url: string, options: ConnectionOptions, names: TableNames, runtime: Runtime): PoolConfig;
  createStore(client: KnexClient, options: StoreOptions): LockStore;
  /** What the tables call a process with this id, which no other process has. */
  processName(id: string): string;
  /** The one table of `routines: false`. */
  readonly plain: PlainTable;
  openSession(parts: SessionParts): KnexSession;
  /**
   * The layout of the tables; `undefined` without tables, and where a migration was not finished.
   */
  layoutOf(session: KnexSession): Promise<Layout | undefined>;
  /**
   * What `change` resolves to, which no other process runs meanwhile. What a rejected change did is
   * undone where `transactionalDdl` is true.
   */
  withMigrationLock<T>(session: KnexSession, change: () => Promise<T>): Promise<T>;
  /** What can be done about a failed migration that the user must mend, for messages. */
  migrationRemedy(error: unknown): string | undefined;
  /** The contract's error for one of the driver or of the server. */
  explain(client: KnexClient, error: unknown, what: CallName): LockError;
}
