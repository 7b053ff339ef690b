import { LockError, outsideContext } from '@locks/core/adapter';
import type { Runtime, TimerHandle } from '@locks/core/adapter';
import type { SqlClient } from '../dialect/pools/client.ts';

/**
 * In ms from the request, doubling up to the longest: how long the pool is not asked again after it
 * lent no connection. A longer pause notices a free connection later; a shorter one asks a server
 * that is down more often, once for all calls of the process.
 */
const firstPause = 10;
const longestPause = 500;

/** A call that waits for a connection. */
interface Borrower<Connection> {
  readonly resolve: (connection: Connection) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Borrows connections from a pool. As going through the pool may cost more than the rest of a
 * statement, a returned connection goes to the next waiting call. Without one it stays here until
 * the end of this turn of the event loop. If others wait for the pool, it is returned immediately.
 */
export class PoolQueue<Connection> {
  readonly #client: SqlClient<Connection>;
  readonly #runtime: Runtime;
  /** By call, first come, first served. */
  readonly #waiting = new Map<object, Borrower<Connection>>();
  /** Those that precede the others. */
  readonly #first = new Set<object>();
  /** Returned in this turn of the event loop. */
  readonly #spare: Connection[] = [];
  /** They must not be lent again. */
  readonly #broken = new WeakSet<object>();
  /** How many connections were requested and not received. */
  #asked = 0;
  /** How many connections were received and not returned. */
  #lent = 0;
  /** How many requests in a row failed. */
  #refusals = 0;
  #refusal: unknown = undefined;
  /** Before this time the pool is not asked, in ms of the clock. */
  #askAt = -Infinity;
  #pause: TimerHandle | undefined = undefined;
  #flushing = false;

  constructor(client: SqlClient<Connection>, runtime: Runtime) {
    this.#client = client;
    this.#runtime = runtime;
  }

  /** Why the server or the library refused the last request. `undefined`: it did not. */
  get refusal(): unknown {
    return this.#refusal;
  }

  /** Whether the pool is opening a connection, as far as it reports. */
  get isOpening(): boolean {
    const { opening, waiting } = this.#client;
    return this.#asked > 0 && (opening?.() ?? waiting() === 0);
  }

  /**
   * An available connection, to be returned: from this turn of the event loop, or of this process
   * (SQLite).
   * @throws `LOCK_CLOSED` once the pool was ended.
   */
  spare(): Connection | undefined {
    if (this.#client.ended) throw poolEnded();
    for (let spare = this.#spare.pop(); spare !== undefined; spare = this.#spare.pop()) {
      if (!this.isBroken(spare)) return spare;
      this.#release(spare);
    }
    const idle = this.#client.acquireNow?.();
    if (idle !== undefined) this.#lent += 1;
    return idle;
  }

  /**
   * Borrows a connection for `call`, to be returned. Rejects with the pool's own error. `first`
   * precedes calls without it.
   */
  async take(call: object, first = false): Promise<Connection> {
    const spare = this.spare();
    if (spare !== undefined) return spare;
    return await new Promise((resolve, reject) => {
      this.#waiting.set(call, { resolve, reject });
      if (first) this.#first.add(call);
      this.#ask();
    });
  }

  /** Ends the wait of `call`, whose `take` then never settles. */
  withdraw(call: object): void {
    this.#waiting.delete(call);
    this.#first.delete(call);
  }

  /** Ends `connection`; the pool replaces it once it is returned. */
  discard(connection: Connection): void {
    this.#broken.add(connection as object);
    try {
      this.#client.discard(connection);
    } catch {
      // If it cannot be ended alone, the pool does so when it is returned as broken.
    }
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
    if (this.#client.acquireNow !== undefined) {
      this.#release(connection);
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

  /**
   * Requests cannot be withdrawn, so the pool never gets more of them than it has connections.
   * After a failure it gets one at a time, until it succeeds.
   */
  #ask(): void {
    if (this.#waiting.size === 0 || this.#pause !== undefined) return;
    const left = this.#refusals === 0 ? 0 : this.#askAt - this.#runtime.clock.now();
    if (left > 0) {
      this.#pause = this.#runtime.setTimer(() => this.#afterPause(), left, true);
      return;
    }
    const free = this.#client.max - this.#lent;
    const most = Math.min(this.#waiting.size, this.#refusals === 0 ? free : Math.min(free, 1));
    while (this.#asked < most) {
      this.#asked += 1;
      const askedAt = this.#runtime.clock.now();
      // The connection that the pool may open now outlives this call.
      outsideContext(() => this.#client.acquire()).then(
        (connection) => {
          this.#asked -= 1;
          this.#received(connection);
        },
        (error: unknown) => {
          this.#asked -= 1;
          this.#refused(error, askedAt);
        },
      );
    }
  }

  #afterPause(): void {
    this.#pause = undefined;
    this.#ask();
  }

  #refused(error: unknown, askedAt: number): void {
    if (this.#client.ended || isEnd(error)) {
      // A pool that is ending never answers.
      this.#rejectAll(poolEnded());
      return;
    }
    const isLent = this.#client.gaveUp?.(error) === true;
    this.#refusal = isLent ? undefined : error;
    // Calls have their own limit, so they wait for a borrowed connection. A refusal of one request
    // rejects all of them, unless borrowed connections will be returned.
    if (!isLent && this.#lent === 0) this.#rejectAll(error);
    // Simultaneous requests count as one refusal.
    if (askedAt >= this.#askAt) {
      this.#askAt = askedAt + Math.min(firstPause * 2 ** this.#refusals++, longestPause);
    }
    this.#ask();
  }

  #rejectAll(reason: unknown): void {
    for (const { reject } of this.#waiting.values()) reject(reason);
    this.#waiting.clear();
    this.#first.clear();
  }

  /** It goes to a call even if others wait for the pool: the request preceded theirs. */
  #received(connection: Connection): void {
    this.#lent += 1;
    this.#refusals = 0;
    this.#askAt = -Infinity;
    this.#refusal = undefined;
    const next = this.#next();
    if (next === undefined) this.give(connection);
    else next.resolve(connection);
    this.#ask();
  }

  /** Removes and returns the longest waiting call, those with `first` before others. */
  #next(): Borrower<Connection> | undefined {
    const [call] = this.#first.size > 0 ? this.#first : this.#waiting.keys();
    if (call === undefined) return undefined;
    const waiting = this.#waiting.get(call);
    this.withdraw(call);
    return waiting;
  }

  /** Whether the pool has other waiters; one that does not report them may have. */
  #othersWait(): boolean {
    const waiting = this.#client.waiting();
    return waiting === undefined || waiting > this.#asked;
  }

  #release(connection: Connection): void {
    this.#lent -= 1;
    outsideContext(() => this.#client.release(connection, this.isBroken(connection)));
    this.#ask();
  }
}

/** Whether a pool of `pg` or `mysql2` was ended, perhaps one passed to knex. */
function isEnd(error: unknown): boolean {
  return error instanceof Error && /after calling end on the pool|^Pool is closed/.test(error.message);
}

/** The error for a client that its owner has ended. */
export function poolEnded(): LockError {
  return new LockError(
    'LOCK_CLOSED',
    'The pool of @locks/sql was ended, or its knex was destroyed. Close the locks before it.',
  );
}
