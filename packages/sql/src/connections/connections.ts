import { LockError, isLockError, longestTrusted, pause, socketsHeard } from '@locks/core/adapter';
import type { CallName, Deadline, Runtime } from '@locks/core/adapter';
import type { Claim } from '@locks/core';
import type { SqlClient } from '../dialect/pools/client.ts';
import type { ConnectionRules } from '../dialect/dialect.ts';
import type { TableStore } from '../dialect/stores/store.ts';
import { PoolQueue } from './pool-queue.ts';

/** A call in progress, which its deadline can interrupt. */
interface Call<Connection> {
  connection: Connection | undefined;
  /** The pool was asked for a connection. */
  waiting: boolean;
  /** Part of its work may have been sent. */
  sent: boolean;
  /** Its caller has been answered. */
  over: boolean;
  readonly first: boolean;
}

/** How messages name a call. */
export interface About {
  readonly what: CallName;
  readonly claim?: Pick<Claim, 'key'> | undefined;
  /** Time limit in ms. @default the timeout */
  readonly within?: number | undefined;
  /**
   * For calls of holders, and rare ones: they get a connection before the calls of waiters. Behind
   * a thousand of these, the holder's lease would expire. @default false
   */
  readonly first?: boolean | undefined;
}

export interface ConnectionsParts<Connection> {
  readonly client: SqlClient<Connection>;
  readonly dialect: ConnectionRules;
  readonly store: TableStore<Connection>;
  readonly deadline: Deadline;
  readonly runtime: Runtime;
  /** How long a call may take, in ms. */
  readonly timeout: number;
}

/**
 * Connections of a pool, each borrowed for one call, outside of any transaction of the pool's
 * owner. A call settles within its deadline. A connection that is still busy then is ended, so that
 * its statement takes no effect later.
 */
export class Connections<Connection> {
  readonly #parts: ConnectionsParts<Connection>;
  readonly #queue: PoolQueue<Connection>;
  readonly #checked = new WeakSet<object>();
  /** When each was last returned, in ms of the clock. */
  readonly #usedAt = new WeakMap<object, number>();

  constructor(parts: ConnectionsParts<Connection>) {
    this.#parts = parts;
    this.#queue = new PoolQueue(parts.client, parts.runtime);
  }

  /**
   * Resolves to the result of `work`, which is called again if the database undid it.
   * @throws `LOCK_UNAVAILABLE` if no connection is available, it breaks, or the time ends.
   */
  async run<T>(work: (connection: Connection) => Promise<T>, about: About): Promise<T> {
    const { what, within, first = false } = about;
    const call: Call<Connection> = { connection: undefined, waiting: false, sent: false, over: false, first };
    try {
      return await this.#parts.deadline.race(this.#attempts(call, work), what, within ?? this.#parts.timeout);
    } catch (error) {
      call.over = true;
      this.#queue.withdraw(call);
      const explained = this.#explain(error, call, about);
      if (call.connection !== undefined) {
        this.#queue.discard(call.connection);
        this.#queue.give(call.connection);
      }
      throw explained;
    } finally {
      // SQLite answers synchronously.
      const due = this.#parts.runtime.yieldIfDue?.(this.#parts.runtime.clock.now());
      if (due !== undefined) await due;
    }
  }

  /**
   * The synchronous result of `work`, over an idle connection. `undefined`: there is none, or the
   * database undid the work: use `run`.
   */
  runNow<T>(work: (connection: Connection) => T, about: About): T | undefined {
    const connection = this.#queue.spare();
    if (connection === undefined) return undefined;
    try {
      return this.#checked.has(connection as object) ? work(connection) : undefined;
    } catch (error) {
      const { dialect, store } = this.#parts;
      if (dialect.canRepeat(error) || dialect.isInTransaction(error)) return undefined;
      if (dialect.isBroken(error)) this.#queue.discard(connection);
      throw store.explain(error, about.what, about.claim);
    } finally {
      this.#queue.give(connection);
    }
  }

  async #attempts<T>(call: Call<Connection>, work: (connection: Connection) => Promise<T>): Promise<T> {
    const most = this.#parts.client.max;
    for (let failures = 0, refused = 0; ; failures++) {
      const connection = await this.#checkOut(call);
      try {
        if (!this.#checked.has(connection as object)) {
          this.#parts.client.check?.(connection);
          await this.#parts.store.checkConnection(connection);
          this.#checked.add(connection as object);
        }
        call.sent = true;
        const result = await work(connection);
        this.#checkIn(call, connection);
        return result;
      } catch (error) {
        // A deadline has interrupted it already.
        if (call.over) throw error;
        const inTransaction = this.#parts.dialect.isInTransaction(error);
        if (inTransaction || this.#parts.dialect.isBroken(error)) this.#queue.discard(connection);
        this.#checkIn(call, connection);
        // Each existing connection of the pool may be in a transaction; their replacements are not.
        if (inTransaction && refused++ < most) continue;
        if (!this.#parts.dialect.canRepeat(error)) throw error;
        // The database has undone it.
        call.sent = false;
      }
      await this.#pause(failures);
      if (call.over) throw new LockError('LOCK_UNAVAILABLE', `${this.#parts.dialect.name} did not answer in time.`);
    }
  }

  /**
   * A connection that is not known to be closed. The server may have closed some while this process
   * was paused.
   */
  async #checkOut(call: Call<Connection>): Promise<Connection> {
    for (;;) {
      const connection = await this.#take(call);
      if (this.#parts.client.isOver === undefined) return connection;
      const idle = this.#parts.runtime.clock.now() - (this.#usedAt.get(connection as object) ?? -Infinity);
      if (idle < longestTrusted) return connection;
      await socketsHeard();
      if (call.over) throw new LockError('LOCK_UNAVAILABLE', `${this.#parts.dialect.name} did not answer in time.`);
      if (!this.#queue.isBroken(connection) && !this.#parts.client.isOver(connection)) return connection;
      this.#queue.discard(connection);
      this.#checkIn(call, connection);
    }
  }

  async #take(call: Call<Connection>): Promise<Connection> {
    call.waiting = true;
    let connection: Connection;
    try {
      connection = await this.#queue.take(call, call.first);
    } finally {
      call.waiting = false;
    }
    // It came in the same turn in which the call ended.
    if (call.over) {
      this.#queue.give(connection);
      throw new LockError('LOCK_UNAVAILABLE', `${this.#parts.dialect.name}: a connection came too late.`);
    }
    call.connection = connection;
    return connection;
  }

  #checkIn(call: Call<Connection>, connection: Connection): void {
    if (call.over) return;
    call.connection = undefined;
    if (this.#parts.client.isOver !== undefined)
      this.#usedAt.set(connection as object, this.#parts.runtime.clock.now());
    this.#queue.give(connection);
  }

  /** The contract's error for the end of a call. */
  #explain(error: unknown, { waiting, sent }: Call<Connection>, { what, claim }: About): LockError {
    const refusal = waiting ? this.#queue.refusal : undefined;
    const reason = refusal ?? error;
    const explained = isLockError(reason) ? reason : this.#parts.store.explain(reason, what, claim);
    if (sent || explained.code !== 'LOCK_UNAVAILABLE') return explained;
    const { message, cause, key } = explained;
    const why = waiting && refusal === undefined ? ` ${this.#whyNone()}` : '';
    return new LockError('LOCK_UNAVAILABLE', `${message}${why}`, {
      cause: cause ?? reason,
      sent: false,
      ...(key === undefined ? {} : { key }),
    });
  }

  /** Why the pool lent no connection in time. */
  #whyNone(): string {
    const { name } = this.#parts.dialect;
    return this.#queue.isOpening
      ? `A connection to ${name} was still being opened: check that it answers.`
      : `No connection of the pool became free: raise its maximum, or find what keeps its connections to ${name}.`;
  }

  #pause(failures: number): Promise<void> {
    const longest = Math.min(2 ** failures, 64);
    return pause(this.#parts.runtime, longest * (0.5 + this.#parts.runtime.random() / 2));
  }
}
