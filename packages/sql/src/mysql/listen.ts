import { once } from 'node:events';
import { settledWithin } from '@locks/core/adapter';
import type { Listener, Runtime, TimerHandle } from '@locks/core/adapter';
import type { SqlClient } from '../dialect/pools/client.ts';
import { sessionMark } from '../dialect/stores/process-name.ts';
import type { MysqlConnection } from './connection/connection.ts';
import { discard, rowsOf, textOf } from './connection/session.ts';
import { interrupted, numberOf } from './connection/errors.ts';

/** How long the second session waits per statement, in s. */
const waitsFor = 30;
/** In ms: a wait that exceeds its time by this much has a dead connection. */
const patience = 5_000;
/**
 * In ms: a wake that arrives between two waits is lost. So the process polls again after this time,
 * in which the session surely waits, unless it was woken.
 */
const looksAgainAfter = 15;
/** Time limit for opening a session, in ms, as a server may be silent. */
const openingLimit = 5_000;
/** Time limit for the graceful end of the sessions, in ms. */
const closingLimit = 1_000;
/** The longest name of a lock. */
const longestName = 64;

/** As in the routines. */
const findServer = "SELECT LEFT(MD5(CONCAT_WS(' ', @@hostname, @@port, @@server_id)), 8) AS server";

const lock = 'SELECT CAST(GET_LOCK(?, CAST(? AS SIGNED)) AS CHAR) AS got';

type Session = MysqlConnection & NodeJS.EventEmitter;

/** How one process is notified of its turns, and how others see that it is alive. */
export interface Listening {
  /** The name of the process in the tables: with its session, if that keeps its lock. */
  readonly name: string;
  /**
   * Opens two connections outside of the pool. One keeps a lock of its name, which the server frees
   * as soon as the process is gone. The other waits for that lock, until another process ends its
   * wait, which calls `heard`. Waiting by SLEEP would share one mutex of the server with all
   * sleepers, and a wake at the beginning of a sleep would block them all for two seconds.
   */
  listen(heard: () => void, lost: (reason: unknown) => void): Promise<Listener>;
  /** Resolves when closed sessions have ended. */
  ended(): Promise<unknown>;
}

/** `process`: its name in the tables without a session. */
export function createListening(client: SqlClient, process: string, runtime: Runtime): Listening {
  let current: Sessions | undefined;
  let ended: Promise<unknown> = Promise.resolve();

  async function listen(heard: () => void, lost: (reason: unknown) => void): Promise<Listener> {
    const sessions = new Sessions(client, runtime, heard, (reason) => {
      if (current === sessions) current = undefined;
      lost(reason);
    });
    await sessions.open(process);
    current = sessions;
    return {
      probe: () => sessions.probe(),
      close() {
        if (current === sessions) current = undefined;
        const earlier = ended;
        ended = sessions.close().then(() => earlier);
      },
    };
  }

  return {
    get name() {
      return current?.name ?? process;
    },
    listen,
    ended: () => ended,
  };
}

/** The two connections, from their opening on. */
class Sessions {
  name = '';
  readonly #client: SqlClient;
  readonly #runtime: Runtime;
  readonly #heard: () => void;
  readonly #lost: (reason: unknown) => void;
  readonly #connections: Session[] = [];
  #over = false;
  #opened = false;
  #waitsSince = 0;
  #looksAgain: TimerHandle | undefined = undefined;

  constructor(client: SqlClient, runtime: Runtime, heard: () => void, lost: (reason: unknown) => void) {
    this.#client = client;
    this.#runtime = runtime;
    this.#heard = heard;
    this.#lost = lost;
  }

  async open(process: string): Promise<void> {
    const limit = this.#runtime.setTimer(() => this.#discardAll(), openingLimit, false);
    try {
      const keeper = await this.#connect();
      const [found] = await rowsOf(keeper, findServer, []);
      this.name = `${process}${sessionMark}@${textOf(found?.['server'])}`;
      if (this.#wakesLock.length > longestName) throw new Error('the name of the process is too long');
      await take(keeper, this.#ownLock);
      const waiting = await this.#connect();
      await take(waiting, this.#wakesLock);
      if (this.#over) throw new Error('the session that waits was lost');
      this.#opened = true;
      void this.#wait(waiting);
    } catch (error) {
      this.#over = true;
      this.#discardAll();
      throw error;
    } finally {
      this.#runtime.clearTimer(limit);
    }
  }

  /** Rejects when the sessions are unusable. */
  async probe(): Promise<void> {
    const [keeper] = this.#connections;
    // Servers close idle sessions.
    if (keeper !== undefined) await rowsOf(keeper, 'SELECT 1', []);
    const waited = this.#runtime.clock.now() - this.#waitsSince;
    if (waited > waitsFor * 1_000 + patience) throw new Error('the session that waits was lost');
  }

  /**
   * Closes gracefully, as the server would log aborted connections, also of a process that ends
   * then. The session that waits is free to close when the other one has.
   */
  async close(): Promise<void> {
    if (this.#over) return;
    this.#end();
    const ends = this.#connections.map(async (connection) => {
      if (connection.end === undefined) return;
      const over = once(connection, 'end');
      connection.end(() => {});
      await over;
    });
    await settledWithin(this.#runtime, closingLimit, Promise.all(ends));
    this.#discardAll();
  }

  get #ownLock(): string {
    return `locks_${this.name}`;
  }

  get #wakesLock(): string {
    return `${this.#ownLock}:wakes`;
  }

  async #connect(): Promise<Session> {
    if (this.#client.connect === undefined) throw new Error('the client cannot connect beside its pool');
    const connection = (await this.#client.connect()) as Session;
    for (const event of ['error', 'end'] as const) {
      connection.on(event, () => this.#lose(new Error('the session that waits was lost')));
    }
    this.#connections.push(connection);
    // Waiters keep the process running by timers. An open provider must not.
    connection.stream?.unref?.();
    return connection;
  }

  async #wait(connection: Session): Promise<void> {
    while (!this.#over) {
      this.#waitsSince = this.#runtime.clock.now();
      try {
        const [row] = await rowsOf(connection, lock, [this.#ownLock, `${waitsFor}`]);
        // NULL: MySQL was woken. 1: the first session has ended.
        if (row?.['got'] === null) this.#woken();
        else if (textOf(row?.['got']) !== '0') this.#lose(new Error('the session that keeps the lock was lost'));
      } catch (error) {
        if (numberOf(error) === interrupted) this.#woken();
        else this.#lose(new Error('the session cannot wait', { cause: error }));
      }
    }
  }

  #woken(): void {
    if (this.#over) return;
    this.#heard();
    if (this.#looksAgain !== undefined) this.#runtime.clearTimer(this.#looksAgain);
    this.#looksAgain = this.#runtime.setTimer(() => this.#heard(), looksAgainAfter, false);
  }

  #lose(reason: Error): void {
    if (this.#over) return;
    const opened = this.#opened;
    this.#end();
    this.#discardAll();
    if (opened) this.#lost(reason);
  }

  #end(): void {
    this.#over = true;
    if (this.#looksAgain !== undefined) this.#runtime.clearTimer(this.#looksAgain);
  }

  #discardAll(): void {
    for (const connection of this.#connections) discard(connection);
  }
}

/** Keeps a lock of this name as long as the session lasts. */
async function take(connection: Session, name: string): Promise<void> {
  const [got] = await rowsOf(connection, lock, [name, '2']);
  if (got === undefined || textOf(got['got']) !== '1') throw new Error('the server gave no lock');
}
