import type { Knex } from 'knex';

/** Connections that an application has taken out of its pool. */
export interface Borrowed<Connection> {
  readonly connections: readonly Connection[];
  giveBack(): Promise<void>;
}

/** What of a connection of a server most tests use. */
export interface Queried {
  query(text: string, done?: () => void): Promise<unknown>;
}

export async function borrow<Connection = Queried>(
  { client }: Pick<Knex, 'client'>,
  count = 1,
): Promise<Borrowed<Connection>> {
  const pool = client as {
    acquireConnection(): Promise<Connection>;
    releaseConnection(connection: Connection): Promise<void>;
  };
  const connections = await Promise.all(Array.from({ length: count }, () => pool.acquireConnection()));
  return {
    connections,
    async giveBack() {
      for (const connection of connections) await pool.releaseConnection(connection);
    },
  };
}
