import { startPostgres } from '@locks/test-servers';
import type { ServerHandle } from '@locks/test-servers';
import { Client, escapeLiteral } from 'pg';
import { rendered } from '../../../src/dialect/layout/names.ts';
import type { TableNames } from '../../../src/dialect/layout/names.ts';
import { migrations } from '../../../src/postgres/migrations.ts';
import { texts } from '../../../src/postgres/text-table.ts';
import { sessions } from '../../servers/sessions.ts';
import type { Sessions } from '../../servers/sessions.ts';

/** Where the tables are unless a test wants them elsewhere. */
const defaultNames: TableNames = { table: 'locks', schema: undefined };

/** A server for one file. */
export function startServer(...settings: readonly string[]): Promise<ServerHandle> {
  const args = ['max_connections=300', ...settings].flatMap((setting) => ['-c', setting]);
  return startPostgres({ args });
}

/** Runs the migrations at `url`, in the schema if there is one to be. */
export async function createTables(url: string, names: TableNames = defaultNames): Promise<void> {
  await withClient(url, async (client) => {
    if (names.schema !== undefined) await client.query(`CREATE SCHEMA IF NOT EXISTS "${names.schema}"`);
    for (const { up } of migrations) {
      for (const statement of up) await client.query(rendered(statement, names, '"'));
    }
  });
}

/** Creates the one table of `routines: false`. */
export async function createTextTable(url: string, names: TableNames = defaultNames): Promise<void> {
  await withClient(url, async (client) => {
    if (names.schema !== undefined) await client.query(`CREATE SCHEMA IF NOT EXISTS "${names.schema}"`);
    await client.query(rendered(texts.instead!.create, names, '"'));
  });
}

/** Undoes the migrations. */
export async function removeTables(url: string, names: TableNames): Promise<void> {
  await withClient(url, async (client) => {
    for (const { down } of migrations) {
      for (const statement of down) await client.query(rendered(statement, names, '"'));
    }
  });
}

export const { withClient, connect, ownDatabase, ownTables, serverOfFile }: Sessions<Client> = sessions({
  async open(url) {
    const client = new Client(url);
    client.on('error', () => {});
    await client.connect();
    return client;
  },
  end: (client) => client.end(),
  startServer,
  createTables,
});

/**
 * The server trusts the name that a client gives, so each login sends the same bytes.
 */
export async function trustEverybody(url: string): Promise<void> {
  await withClient(url, async (client) => {
    const file = (await client.query<{ file: string }>("SELECT current_setting('hba_file') AS file")).rows[0]?.file;
    await client.query(
      `COPY (SELECT unnest(ARRAY['local all all trust', 'host all all all trust'])) TO ${escapeLiteral(file ?? '')}`,
    );
    await client.query('SELECT pg_reload_conf()');
  });
}
