import type { ServerHandle } from '@locks/test-servers';
import { afterAll, onTestFinished } from 'vitest';
import { createTables, newDatabase } from '../support/databases.ts';

/** What a connection can do, whatever the driver. */
export interface Session {
  query(sql: string, values?: unknown[]): Promise<unknown>;
}

/** Ways to talk with a server past knex. */
export interface Sessions<Client> {
  /** Calls `work` with a connection of its own. */
  withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T>;
  /** A connection that ends with the test. */
  connect(url: string): Promise<Client>;
  /** A server with tables for one file, which ends with it. */
  serverOfFile(...settings: readonly string[]): Promise<ServerHandle>;
}

/** What the sessions of one kind are made of. */
interface Parts<Client> {
  open(url: string): Promise<Client>;
  end(client: Client): Promise<void> | void;
  startServer(...settings: readonly string[]): Promise<ServerHandle>;
}

export function sessions<Client extends Session>(parts: Parts<Client>): Sessions<Client> {
  const { open, end, startServer } = parts;

  async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
    const client = await open(url);
    try {
      return await work(client);
    } finally {
      await end(client);
    }
  }

  async function connect(url: string): Promise<Client> {
    const client = await open(url);
    onTestFinished(() => end(client));
    return client;
  }

  async function serverOfFile(...settings: readonly string[]): Promise<ServerHandle> {
    const server = await startServer(...settings);
    afterAll(() => server.stop());
    await createTables(server.url);
    return server;
  }

  return { withClient, connect, serverOfFile };
}

/** A database with tables of its own on `server`, for one test. */
export async function ownTables({ url }: ServerHandle): Promise<string> {
  const own = await newDatabase(url);
  await createTables(own);
  return own;
}
