import { setTimeout as delay } from 'node:timers/promises';
import { startMariadb } from '@locks/test-servers';
import type { ServerHandle } from '@locks/test-servers';
import { createConnection } from 'mysql2/promise';
import type { Connection, RowDataPacket } from 'mysql2/promise';
import { rendered } from '../../../src/dialect/layout/names.ts';
import type { TableNames } from '../../../src/dialect/layout/names.ts';
import { migrations } from '../../../src/mysql/migrations.ts';
import { texts } from '../../../src/mysql/text-table.ts';
import { sessions } from '../../servers/sessions.ts';
import type { Sessions } from '../../servers/sessions.ts';

/** A MariaDB of the caller's own. */
export function startServer(...args: readonly string[]): Promise<ServerHandle> {
  return startMariadb({ args: ['--max-connections=300', ...args] });
}

/** Where the tables are unless a test wants them elsewhere. */
const defaultNames: TableNames = { table: 'locks', schema: undefined };

/**
 * Runs the migrations in the database at `url`, or in that of the names; it is created where it is
 * missing.
 */
export async function createTables(url: string, names: TableNames = defaultNames): Promise<void> {
  const statements = migrations.flatMap(({ up }) => up);
  await run(url, names, statements);
}

/** Creates the one table of `routines: false`, in the same database. */
export async function createTextTable(url: string, names: TableNames = defaultNames): Promise<void> {
  await run(url, names, [texts.instead!.create]);
}

async function run(url: string, names: TableNames, statements: readonly string[]): Promise<void> {
  const { pathname } = new URL(url);
  const server = new URL('/', url).href;
  for (const database of [pathname.slice(1), names.schema]) {
    if (database === undefined) continue;
    await withClient(server, (client) => client.query(`CREATE DATABASE IF NOT EXISTS \`${database}\``));
  }
  await withClient(url, async (client) => {
    for (const statement of statements) await client.query(rendered(statement, names, '`'));
  });
}

export const { withClient, connect, ownDatabase, ownTables, serverOfFile }: Sessions<Connection> = sessions({
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
  createTables,
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

/**
 * The URL for a user who needs no password, and may do everything. Each login sends the server the
 * same bytes.
 */
export function openTo(server: ServerHandle): Promise<string> {
  return urlOfUser(server, 'open_user', 'ALL');
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
