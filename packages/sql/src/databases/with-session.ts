import { poolEnded } from '../connections/pool-queue.ts';
import type { SqlClient } from '../dialect/pools/client.ts';
import type { Dialect } from '../dialect/dialect.ts';
import type { TableNames } from '../dialect/layout/names.ts';
import type { SqlSession } from '../dialect/layout/sql-session.ts';
import { dialectOf } from './dialects.ts';

/** The result of `work` with a session over a connection of `client`, or over its transaction. */
export async function withSession<T>(
  client: SqlClient,
  names: TableNames,
  work: (session: SqlSession, dialect: Dialect) => Promise<T>,
): Promise<T> {
  const dialect = dialectOf(client, names);
  if (client.ended) throw poolEnded();
  const connection = await client.acquire();
  try {
    client.check?.(connection);
    return await work(dialect.openSession({ connection, names, inTransaction: client.isTransaction }), dialect);
  } finally {
    // A transaction keeps its connection nevertheless.
    client.release(connection, false);
  }
}
