import { setTimeout as delay } from 'node:timers/promises';
import { startMariadb } from '@locks/test-servers';
import type { ServerHandle } from '@locks/test-servers';
import { createConnection } from 'mysql2/promise';
import type { Connection, RowDataPacket } from 'mysql2/promise';
import { sessions } from '../../servers/sessions.ts';

/** A MariaDB of the caller's own. */
export function startServer(...args: readonly string[]): Promise<ServerHandle> {
  return startMariadb({ args: ['--max-connections=300', ...args] });
}

export const { withClient, connect, serverOfFile } = sessions({
  async open(url) {
    const client = await createConnection(url);
    client.on('error', () => {});
    return client;
  },
  // The server logs a connection that ends without a goodbye, which may be in the next test.
  async end(client) {
    await Promise.race([client.end(), delay(1_000)]);
    client.destroy();
  },
  startServer,
});

/** The rows of a query. */
export async function rowsOf(
  client: Connection,
  sql: string,
  values: readonly unknown[] = [],
): Promise<RowDataPacket[]> {
  const [rows] = await client.query<RowDataPacket[]>(sql, [...values]);
  return rows;
}

/** The URL for a user who needs no password, and has these rights. */
export async function urlOfUser(server: ServerHandle, name: string, rights: string): Promise<string> {
  await withClient(server.url, async (client) => {
    await client.query(`CREATE USER IF NOT EXISTS ${name}@'%' IDENTIFIED BY ''`);
    await client.query(`GRANT ${rights} ON *.* TO ${name}@'%'`);
  });
  const url = new URL(server.url);
  url.username = name;
  url.password = '';
  return url.href;
}
