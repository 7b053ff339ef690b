import { outsideContext } from '@locks/core/adapter';
import type { KnexClient } from './knex.ts';

/** A call that waits for a connection. */
interface Waiting<Connection> {
  readonly resolve: (connection: Connection) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Borrows connections from a pool. Going through knex's pool costs a client more than the rest of a statement, so what a call gives
 * back goes to the next one that waits, or stays at hand until the end of this turn of the event loop; unless somebody else waits at the pool, who
 * gets it at once.
 */
export class Lending<Connection> {
  readonly #client: KnexClient;
  /** First come, first served. */
  readonly #waiting: Waiting<Connection>[] = [];
  /** Given back in this turn of the event loop. */
  readonly #spare: Connection[] = [];
  /** How many the pool has been asked for and has not given. */
  #asked = 0;
  #flushing = false;

  constructor(client: KnexClient) {
    this.#client = client;
  }

  /** A connection that nobody else uses until it is given back. Rejects with what the pool rejects with. */
  async take(): Promise<Connection> {
    for (let spare = this.#spare.pop(); spare !== undefined; spare = this.#spare.pop()) {
      if (!isDisposed(spare)) return spare;
      this.#release(spare);
    }
    return await new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      // The pool owes one already where a call got that of another.
      if (this.#asked < this.#waiting.length) this.#ask();
    });
  }

  give(connection: Connection): void {
    if (isDisposed(connection) || this.#othersWait()) {
      this.#release(connection);
      return;
    }
    const next = this.#waiting.shift();
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

  #ask(): void {
    this.#asked += 1;
    // The connection that the pool may open now outlives this call.
    outsideContext(() => this.#client.acquireConnection()).then(
      (connection) => {
        this.#asked -= 1;
        // Whoever waits here asked for it: were it passed on to others, nobody would ask again.
        const next = this.#waiting.shift();
        if (next === undefined) this.give(connection as Connection);
        else next.resolve(connection as Connection);
      },
      (error: unknown) => {
        this.#asked -= 1;
        // Whom it was asked for has long had another one; whoever waits now has a limit of its own.
        if (!isTimeout(error)) this.#waiting.shift()?.reject(error);
        else if (this.#asked < this.#waiting.length) this.#ask();
      },
    );
  }

  /** Whether the pool has been asked by others too; one that does not tell may have been. */
  #othersWait(): boolean {
    const waiting = this.#client.pool?.numPendingAcquires?.();
    return waiting === undefined || waiting > this.#asked;
  }

  #release(connection: Connection): void {
    void outsideContext(() => this.#client.releaseConnection(connection));
  }
}

/** Whether the pool has given up waiting for itself. */
function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'KnexTimeoutError';
}

/** What knex marks a connection with that must not be used again. */
function isDisposed(connection: unknown): boolean {
  return Boolean((connection as { readonly __knex__disposed?: unknown }).__knex__disposed);
}
