import { settledWithin } from '@locks/core/adapter';
import type { Runtime, TimerHandle } from '@locks/core/adapter';
import type { SqlClient } from '../clients/client.ts';
import { sessionMark } from '../line/process-name.ts';
import type { MysqlConnection } from './connection/connection.ts';
import { discard, rowsOf, textOf } from './connection/session.ts';

/** A claim waits so long for the session before it takes its place without one, in ms. */
const patience = 250;
/** A session that no claim has waited with for so long is ended, in ms. It costs a connection. */
const lingers = 30_000;
/** After a session was lost, the next one is opened after so many ms. */
const reopenAfter = 50;
/** After a session could not be opened, the next one is tried after so many ms. */
const retryAfter = 10_000;
/** To open a session takes so long at most, in ms. A server may say nothing. */
const openingLimit = 5_000;
/** The longest name of a lock. */
const longestName = 64;

/** As the routines find it. */
const findServer = "SELECT LEFT(MD5(CONCAT_WS(' ', @@hostname, @@port, @@server_id)), 8) AS server";

/** The session of a process whose claims wait: others see its end, and so that of the process. */
export interface WaitingSession {
  /** What the tables call the process: with its session, where that keeps its lock. */
  readonly name: string;
  /** Before a claim takes its place: opens the session, where there is none. It never rejects. */
  begin(): Promise<void>;
  close(): void;
}

/**
 * A connection beside the pool, which keeps a lock of its name. Where it cannot be had, as with a
 * cluster that refuses such locks, places of the process end by their time alone.
 */
export function createWaitingSession(client: SqlClient, process: string, runtime: Runtime): WaitingSession {
  let name = process;
  let current: MysqlConnection | undefined;
  let opening: Promise<void> | undefined;
  let notBefore = -Infinity;
  let usedAt = 0;
  let timer: TimerHandle | undefined;
  let reopening: TimerHandle | undefined;
  let closed = false;

  const over = (connection: MysqlConnection): void => {
    if (current !== connection) return;
    current = undefined;
    name = process;
    // Else the server would log an aborted connection. It may never answer, which holds up nothing.
    if (connection.end === undefined) discard(connection);
    else connection.end(() => {});
  };
  /** Its places count again when the next session has its lock. */
  const lost = (connection: MysqlConnection): void => {
    const mine = current === connection;
    over(connection);
    if (!mine || closed || runtime.clock.now() - usedAt >= lingers) return;
    reopening ??= runtime.setTimer(
      () => {
        reopening = undefined;
        void begin();
      },
      reopenAfter,
      false,
    );
  };
  const endIdle = (): void => {
    timer = undefined;
    if (current === undefined) return;
    const left = usedAt + lingers - runtime.clock.now();
    if (left > 0) timer = runtime.setTimer(endIdle, left, false);
    else over(current);
  };

  async function open(): Promise<void> {
    if (client.connect === undefined) throw new Error('the client cannot connect beside its pool');
    const connection = (await client.connect()) as MysqlConnection & NodeJS.EventEmitter;
    for (const event of ['error', 'end'] as const) connection.on(event, () => lost(connection));
    const limit = runtime.setTimer(() => discard(connection), openingLimit, false);
    try {
      const [found] = await rowsOf(connection, findServer, []);
      const session = `${process}${sessionMark}@${textOf(found?.['server'])}`;
      const lock = `locks_${session}`;
      if (lock.length > longestName) throw new Error('the name of the process is too long');
      const [got] = await rowsOf(connection, 'SELECT CAST(GET_LOCK(?, 2) AS CHAR) AS got', [lock]);
      if (got === undefined || textOf(got['got']) !== '1') throw new Error('the server gave no lock');
      if (closed) throw new Error('the provider is closed');
      current = connection;
      name = session;
    } catch (error) {
      discard(connection);
      throw error;
    } finally {
      runtime.clearTimer(limit);
    }
    // Waiters keep the process running by timers. A provider that is not closed must not.
    connection.stream?.unref?.();
    timer ??= runtime.setTimer(endIdle, lingers, false);
  }

  async function begin(): Promise<void> {
    const now = runtime.clock.now();
    if (closed || current !== undefined || (opening === undefined && now < notBefore)) return;
    opening ??= open()
      .catch(() => {
        notBefore = runtime.clock.now() + retryAfter;
      })
      .finally(() => {
        opening = undefined;
      });
    await settledWithin(runtime, patience, opening);
  }

  return {
    get name() {
      return name;
    },
    async begin() {
      usedAt = runtime.clock.now();
      await begin();
    },
    close() {
      closed = true;
      for (const each of [timer, reopening]) if (each !== undefined) runtime.clearTimer(each);
      if (current !== undefined) over(current);
    },
  };
}
