import type { SqlClient } from './client.ts';

/** The one connection of a transaction of the caller's. */
export function oneConnection(database: SqlClient['database'], connection: object): SqlClient {
  return {
    database,
    isTransaction: true,
    max: 1,
    ended: false,
    acquire: async () => connection,
    release() {},
    waiting: () => 0,
    discard() {},
  };
}
