import type { Dialect } from '../dialect/dialect.ts';
import type { KnexInstance } from '../dialect/knex.ts';
import type { KnexSession } from '../dialect/knex-session.ts';
import type { TableNames } from '../dialect/names.ts';
import { dialectOf } from '../dialects.ts';

/**
 * What `work` resolves to, with a session over a connection of `knex`, or over that of a
 * transaction.
 */
export async function withSession<T>(
  knex: KnexInstance,
  names: TableNames,
  work: (session: KnexSession, dialect: Dialect) => Promise<T>,
): Promise<T> {
  const dialect = dialectOf(knex, names);
  const { client } = knex;
  const connection = await client.acquireConnection();
  try {
    const session = dialect.openSession({ client, connection, names, inTransaction: knex.isTransaction === true });
    return await work(session, dialect);
  } finally {
    // A transaction keeps its connection nevertheless.
    await client.releaseConnection(connection);
  }
}
