import { LockError, isLockError } from '@locks/core/adapter';
import type { CallName, Deadline, Runtime } from '@locks/core/adapter';
import type { Claim } from '@locks/core';
import type { Dialect } from './dialect.ts';
import type { KnexClient } from './knex.ts';
import { Lending } from './lending.ts';

/** One call: what it holds, so that its deadline can take it away. */
interface Call<Connection> {
  connection: Connection | undefined;
  /** It has had a connection. */
  served: boolean;
  /** Nobody waits for it any more. */
  over: boolean;
}

/** What to say of a call. */
export interface About {
  readonly what: CallName;
  readonly claim?: Claim | undefined;
  /** It must settle within so many ms. @default the timeout */
  readonly within?: number | undefined;
}

/**
 * Connections of a pool, each lent for one call: outside of any transaction of the pool's owner. A call settles within its deadline;
 * a connection that is then still busy is ended, so that what was sent over it takes no effect later.
 */
export class Connections<Connection> {
  readonly #lending: Lending<Connection>;
  readonly #dialect: Dialect<Connection>;
  readonly #deadline: Deadline;
  readonly #runtime: Runtime;
  readonly #timeout: number;
  readonly #greeted = new WeakSet<object>();

  constructor(client: KnexClient, dialect: Dialect<Connection>, deadline: Deadline, runtime: Runtime, timeout: number) {
    this.#lending = new Lending(client);
    this.#dialect = dialect;
    this.#deadline = deadline;
    this.#runtime = runtime;
    this.#timeout = timeout;
  }

  /**
   * What `work` resolves to, which may be called again when the database undid what it did.
   * @throws `LOCK_UNAVAILABLE` when no connection is to be had, it breaks, or time is up.
   */
  async run<T>(work: (connection: Connection) => Promise<T>, { what, claim, within }: About): Promise<T> {
    const call: Call<Connection> = { connection: undefined, served: false, over: false };
    try {
      return await this.#deadline.race(this.#attempts(call, work), what, within ?? this.#timeout);
    } catch (error) {
      const { connection, served } = call;
      call.over = true;
      this.#lending.withdraw(call);
      if (connection !== undefined) {
        this.#discard(connection, error);
        this.#lending.give(connection);
      } else if (!served && isLockError(error, 'LOCK_UNAVAILABLE')) {
        throw poolExhausted(error, this.#dialect.name);
      }
      throw isLockError(error) ? error : this.#dialect.explain(error, what, claim);
    }
  }

  async #attempts<T>(call: Call<Connection>, work: (connection: Connection) => Promise<T>): Promise<T> {
    for (let failures = 0; ; failures++) {
      const connection = await this.#checkOut(call);
      try {
        if (!this.#greeted.has(connection as object)) {
          await this.#dialect.greet(connection);
          this.#greeted.add(connection as object);
        }
        const result = await work(connection);
        this.#checkIn(call, connection);
        return result;
      } catch (error) {
        // A deadline has taken it away already.
        if (call.over) throw error;
        if (this.#dialect.isBroken(error)) this.#discard(connection, error);
        this.#checkIn(call, connection);
        if (!this.#dialect.canRepeat(error)) throw error;
      }
      await this.#pause(failures);
      if (call.over) throw new LockError('LOCK_UNAVAILABLE', `${this.#dialect.name} did not answer in time.`);
    }
  }

  async #checkOut(call: Call<Connection>): Promise<Connection> {
    const connection = await this.#lending.take(call);
    // It came in the same turn in which the call ended.
    if (call.over) {
      this.#lending.give(connection);
      throw new LockError('LOCK_UNAVAILABLE', `${this.#dialect.name}: a connection came too late.`);
    }
    call.connection = connection;
    call.served = true;
    return connection;
  }

  #checkIn(call: Call<Connection>, connection: Connection): void {
    if (call.over) return;
    call.connection = undefined;
    this.#lending.give(connection);
  }

  /** Ends it, and has the pool replace it. */
  #discard(connection: Connection, reason: unknown): void {
    // What knex itself marks a connection with whose socket has failed: its pool does not lend it again.
    Object.assign(connection as object, { __knex__disposed: reason });
    this.#dialect.discard(connection);
  }

  #pause(failures: number): Promise<void> {
    const longest = Math.min(2 ** failures, 64);
    return new Promise((resolve) => {
      this.#runtime.setTimer(resolve, longest * (0.5 + this.#runtime.random() / 2), true);
    });
  }
}

function poolExhausted(error: LockError, name: string): LockError {
  return new LockError(
    'LOCK_UNAVAILABLE',
    `${error.message} No connection of the pool became free: raise its maximum, or look for what holds its connections to ${name}.`,
    { cause: error },
  );
}
