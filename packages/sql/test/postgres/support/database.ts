import { startPostgres } from '@locks/test-servers';
import type { ServerHandle } from '@locks/test-servers';
import type { Knex } from 'knex';
import { Client, escapeLiteral } from 'pg';
import { afterAll, onTestFinished } from 'vitest';
import { rendered } from '../../../src/dialect/layout/names.ts';
import type { TableNames } from '../../../src/dialect/layout/names.ts';
import { migrations } from '../../../src/postgres/migrations.ts';
import { texts } from '../../../src/postgres/text-table.ts';
import { openKnex } from '../../servers/open-knex.ts';
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

export const { withClient, connect, ownDatabase }: Sessions<Client> = sessions(
  async (url) => {
    const client = new Client(url);
    client.on('error', () => {});
    await client.connect();
    return client;
  },
  (client) => client.end(),
);

/** A knex instance that ends with the test. */
export function connectKnex(url: string, pool?: Knex.PoolConfig): Knex {
  const instance = openKnex('pg', url, pool);
  onTestFinished(() => instance.destroy());
  return instance;
}

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

/** A database of its own on `server`, with tables, for one test. */
export async function ownTables(server: ServerHandle, options?: string): Promise<string> {
  const url = await ownDatabase(server, options);
  await createTables(url);
  return url;
}

/** A server with tables for one file, which ends with it. */
export async function serverOfFile(...settings: readonly string[]): Promise<ServerHandle> {
  const server = await startServer(...settings);
  afterAll(() => server.stop());
  await createTables(server.url);
  return server;
}
