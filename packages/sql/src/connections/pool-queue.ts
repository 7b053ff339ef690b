import { LockError, outsideContext } from '@locks/core/adapter';
import type { Runtime, TimerHandle } from '@locks/core/adapter';
import type { SqlClient } from '../dialect/pools/client.ts';

/**
 * How long the pool is not asked again after it gave no connection, in ms from that request. It
 * doubles to the longest. A longer pause notices later that there is one, a shorter one asks a
 * server that is down more often: once for all calls of the process.
 */
const firstPause = 10;
const longestPause = 500;

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
  readonly #runtime: Runtime;
  /** By call. First come, first served. */
  readonly #waiting = new Map<object, Borrower<Connection>>();
  /** Those of them that go before the others. */
  readonly #first = new Set<object>();
  /** Given back in this turn of the event loop. */
  readonly #spare: Connection[] = [];
  /** They must not be lent again. */
  readonly #broken = new WeakSet<object>();
  /** How many the pool has been asked for and has not given. */
  #asked = 0;
  /** How many the pool has given and has not got back. */
  #lent = 0;
  /** How often in a row it gave none. */
  #refusals = 0;
  #refusal: unknown = undefined;
  /** Before this moment it is not asked, in ms of the clock. */
  #askAt = -Infinity;
  #pause: TimerHandle | undefined = undefined;
  #flushing = false;

  constructor(client: SqlClient<Connection>, runtime: Runtime) {
    this.#client = client;
    this.#runtime = runtime;
  }

  /** Why the server or the library refused the last request. `undefined`: neither did. */
  get refusal(): unknown {
    return this.#refusal;
  }

  /** Whether the pool opens a connection for those that wait, as far as it tells. */
  get isOpening(): boolean {
    const { opening, waiting } = this.#client;
    return this.#asked > 0 && (opening?.() ?? waiting() === 0);
  }

  /**
   * A connection that is at hand, until it is given back: it was given back in this turn of the
   * event loop, or lies in this process.
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
   * A connection of the pool for `call` alone, until it is given back. Rejects with the pool's own
   * error. With `first` the call goes before those without.
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

  /** Ends the wait of `call`, if it still waits: its `take` never settles. */
  withdraw(call: object): void {
    this.#waiting.delete(call);
    this.#first.delete(call);
  }

  /** Ends `connection`, and has the pool replace it once it is given back. */
  discard(connection: Connection): void {
    this.#broken.add(connection as object);
    try {
      this.#client.discard(connection);
    } catch {
      // What cannot be ended alone is ended by the pool, which is told that it is broken.
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
   * The pool cannot take a request back, so it never gets more of them than it has connections. A
   * pool that gave none is asked by one request, until it gives one.
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
      // What a pool is asked for while it ends it never answers.
      this.#rejectAll(poolEnded());
      return;
    }
    const isLent = this.#client.gaveUp?.(error) === true;
    this.#refusal = isLent ? undefined : error;
    // Calls have a limit of their own, so they wait for a connection that is lent. What refused one
    // request refuses all of them, unless connections that were opened before will come back.
    if (!isLent && this.#lent === 0) this.#rejectAll(error);
    // Requests of one moment are one refusal.
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

  /** A call gets it though others wait at the pool: it was asked for before them. */
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

  /** The call that has waited longest, of those that go first; it waits no more. */
  #next(): Borrower<Connection> | undefined {
    const [call] = this.#first.size > 0 ? this.#first : this.#waiting.keys();
    if (call === undefined) return undefined;
    const waiting = this.#waiting.get(call);
    this.withdraw(call);
    return waiting;
  }

  /** Whether the pool has been asked by others too; one that does not tell may have been. */
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

/** Whether a pool of `pg` or `mysql2` was ended, which knex may have been given. */
function isEnd(error: unknown): boolean {
  return error instanceof Error && /after calling end on the pool|^Pool is closed/.test(error.message);
}

/** The error for a client whose owner has ended it. */
export function poolEnded(): LockError {
  return new LockError(
    'LOCK_CLOSED',
    'The pool of @locks/sql was ended, or its knex was destroyed. Close the locks before it.',
  );
}
