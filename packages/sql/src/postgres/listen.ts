import type { Listener } from '@locks/core/adapter';
import type { KnexClient } from '../dialect/knex.ts';
import { end } from './connection/cancel.ts';
import type { PgConnection } from './connection/connection.ts';

/** Opens a connection beside the pool that hears of the turns of `process`. */
export async function listen(
  client: KnexClient,
  process: string,
  heard: (owner: string) => void,
  lost: () => void,
): Promise<Listener> {
  if (client.config?.connectionPool !== undefined) {
    // Knex would connect with no settings, to wherever that leads.
    throw new Error('knex was given a pool, and does not know how to connect beside it');
  }
  const connection = (await client.acquireRawConnection()) as PgConnection;
  connection.on('error', lost);
  connection.on('end', lost);
  connection.on('notification', ({ payload }) => {
    if (payload !== undefined) heard(payload);
  });
  const subscription = `LISTEN "locks_${process}"`;
  try {
    await connection.query(subscription);
  } catch (error) {
    end(connection);
    throw error;
  }
  // Waiters keep the process alive by timers. A provider that is not closed must not.
  connection.connection.stream.unref();
  return {
    async probe() {
      // A repeated LISTEN changes nothing, unless a pooler has changed the server's session.
      await connection.query(subscription);
    },
    close: () => end(connection),
  };
}
