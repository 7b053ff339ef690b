import type { Assignment, Listener } from '@locks/core/adapter';
import type { SqlClient } from '../dialect/pools/client.ts';
import { sessionMark } from '../dialect/stores/process-name.ts';
import { end } from './connection/cancel.ts';
import type { PgSession } from './connection/connection.ts';
import { readTurn } from './turns.ts';

/**
 * The advisory lock of a session, which shows others that it is alive. A pooler reports another id
 * than the server's process. Its session may outlive the client, so it gets no lock.
 */
const keepLock = `SELECT CASE WHEN pg_backend_pid() = $1::integer
  THEN pg_try_advisory_lock(hashtextextended($2::text, 0)) END`;

/** How one process is notified of its turns. */
export interface Listening {
  /** The name of the process in the tables: its listening session, whose end others can see. */
  readonly name: string;
  /** Opens a connection outside of the pool. */
  listen(heard: (owner: string, assigned?: Assignment) => void, lost: (reason: unknown) => void): Promise<Listener>;
}

export function createListening(client: SqlClient, process: string): Listening {
  let sessions = 0;
  let name = process;

  async function listen(
    heard: (owner: string, assigned?: Assignment) => void,
    lost: (reason: unknown) => void,
  ): Promise<Listener> {
    sessions += 1;
    let session = `${process}${sessionMark}${sessions}`;
    let subscription = '';
    const over = (): void => {
      if (name === session) name = process;
    };
    const hear = (payload: string): void => {
      const { owner, assigned } = readTurn(payload);
      heard(owner, assigned);
    };
    const lose = (reason: Error): void => {
      over();
      lost(reason);
    };
    const connection = await openListener(client, hear, lose, async (opened) => {
      if (!(await hasLock(opened, `locks_${session}`))) session = process;
      subscription = `LISTEN "locks_${session}"`;
      await opened.query(subscription);
    });
    name = session;
    return {
      async probe() {
        // A repeated LISTEN changes nothing, unless a pooler has changed the server's session.
        await connection.query(subscription);
      },
      close() {
        over();
        end(connection);
      },
    };
  }

  return {
    get name() {
      return name;
    },
    listen,
  };
}

/**
 * Opens a connection outside of the pool, over which `subscribe` sends the statements to listen.
 */
export async function openListener(
  client: SqlClient,
  heard: (payload: string) => void,
  lost: (reason: Error) => void,
  subscribe: (connection: PgSession) => Promise<unknown>,
): Promise<PgSession> {
  if (client.connect === undefined) throw new Error('the client cannot connect beside its pool');
  const connection = (await client.connect()) as PgSession;
  for (const event of ['error', 'end'] as const)
    connection.on(event, () => lost(new Error('the connection that listens was lost')));
  connection.on('notification', ({ payload }) => {
    if (payload !== undefined) heard(payload);
  });
  try {
    await subscribe(connection);
  } catch (error) {
    end(connection);
    throw error;
  }
  // Waiters keep the process alive by timers. An open provider must not.
  connection.connection.stream.unref();
  return connection;
}

async function hasLock(connection: PgSession, lock: string): Promise<boolean> {
  const { rows } = await connection.query({
    text: keepLock,
    values: [connection.processID, lock],
    rowMode: 'array',
    types: { getTypeParser: () => (text) => text },
  });
  return rows[0]?.[0] === 't';
}
