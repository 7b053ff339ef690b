import { LockError, outsideContext } from '@locks/core/adapter';
import type { SqlClient } from '../clients/client.ts';

/** A call that waits for a connection. */
interface Borrower<Connection> {
  readonly resolve: (connection: Connection) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Borrows connections from a pool. Going through the pool may cost a client more than the rest of a
 * statement. So a connection that a call gives back goes to the next call that waits. Without one
 * it stays here until the end of this turn of the event loop. If others wait at the pool, they get
 * it at once.
 */
export class PoolQueue<Connection> {
  readonly #client: SqlClient<Connection>;
  /** By call. First come, first served. */
  readonly #waiting = new Map<object, Borrower<Connection>>();
  /** Those of them that go before the others, and some that do not wait any more. */
  readonly #first = new Set<object>();
  /** Given back in this turn of the event loop. */
  readonly #spare: Connection[] = [];
  /** They must not be lent again. */
  readonly #broken = new WeakSet<object>();
  /** How many the pool has been asked for and has not given. */
  #asked = 0;
  #flushing = false;

  constructor(client: SqlClient<Connection>) {
    this.#client = client;
  }

  /**
   * A connection for `call` alone, until it is given back. Rejects with the pool's own error. With
   * `first` the call goes before those without.
   * @throws `LOCK_CLOSED` once the pool was ended.
   */
  async take(call: object, first = false): Promise<Connection> {
    if (this.#client.ended) throw ended();
    for (let spare = this.#spare.pop(); spare !== undefined; spare = this.#spare.pop()) {
      if (!this.isBroken(spare)) return spare;
      this.#release(spare);
    }
    return await new Promise((resolve, reject) => {
      this.#waiting.set(call, { resolve, reject });
      if (first) this.#first.add(call);
      this.#ask();
    });
  }

  /** Ends the wait of `call`, if it still waits: its `take` never settles. */
  withdraw(call: object): void {
    this.#waiting.delete(call);
  }

  /** Ends `connection`, and has the pool replace it once it is given back. */
  discard(connection: Connection): void {
    this.#broken.add(connection as object);
    this.#client.discard(connection);
  }

  /** Whether `connection` must not be used again. */
  isBroken(connection: Connection): boolean {
    return this.#broken.has(connection as object) || this.#client.isBroken?.(connection) === true;
  }

  give(connection: Connection): void {
    if (this.isBroken(connection) || this.#othersWait()) {
      this.#release(connection);
      return;
    }
    const next = this.#next();
    if (next !== undefined) {
      next.resolve(connection);
      return;
    }
    this.#spare.push(connection);
    if (this.#flushing) return;
    this.#flushing = true;
    setImmediate(() => this.#flush());
  }

  #flush(): void {
    this.#flushing = false;
    for (const connection of this.#spare.splice(0)) this.#release(connection);
  }

  /** The pool cannot take a request back, so it never gets more of them than it has connections. */
  #ask(): void {
    const most = this.#client.max;
    while (this.#asked < Math.min(this.#waiting.size, most)) {
      this.#asked += 1;
      // The connection that the pool may open now outlives this call.
      outsideContext(() => this.#client.acquire()).then(
        (connection) => {
          this.#asked -= 1;
          this.#received(connection);
        },
        (error: unknown) => {
          this.#asked -= 1;
          this.#refused(error);
        },
      );
    }
  }

  #refused(error: unknown): void {
    if (this.#client.ended || isEnd(error)) {
      // What a pool is asked for while it ends it never answers.
      for (const { reject } of this.#waiting.values()) reject(ended());
      this.#waiting.clear();
    } else if (this.#client.gaveUp?.(error) !== true) {
      this.#next()?.reject(error);
    }
    // After a timeout of the pool: a call has a limit of its own, and those that wait now may have
    // come later.
    this.#ask();
  }

  /** A call gets it though others wait at the pool: it was asked for before them. */
  #received(connection: Connection): void {
    const next = this.#next();
    if (next === undefined) this.give(connection);
    else next.resolve(connection);
    this.#ask();
  }

  /** The call that has waited longest, of those that go first; it waits no more. */
  #next(): Borrower<Connection> | undefined {
    for (const call of this.#first) {
      this.#first.delete(call);
      const waiting = this.#waiting.get(call);
      this.#waiting.delete(call);
      if (waiting !== undefined) return waiting;
    }
    for (const [call, waiting] of this.#waiting) {
      this.#waiting.delete(call);
      return waiting;
    }
    return undefined;
  }

  /** Whether the pool has been asked by others too; one that does not tell may have been. */
  #othersWait(): boolean {
    const waiting = this.#client.waiting();
    return waiting === undefined || waiting > this.#asked;
  }

  #release(connection: Connection): void {
    outsideContext(() => this.#client.release(connection, this.isBroken(connection)));
  }
}

/** Whether a pool of `pg` or `mysql2` was ended, which knex may have been given. */
function isEnd(error: unknown): boolean {
  return error instanceof Error && /after calling end on the pool|^Pool is closed/.test(error.message);
}

function ended(): LockError {
  return new LockError(
    'LOCK_CLOSED',
    'The pool of @locks/sql was ended, or its knex was destroyed. Close the locks before it.',
  );
}
