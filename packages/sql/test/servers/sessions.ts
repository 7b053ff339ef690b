import type { ServerHandle } from '@locks/test-servers';
import { afterAll, onTestFinished } from 'vitest';
import { createTables, newDatabase } from '../support/databases.ts';

/** What the sessions of one kind of server are made of. */
interface Parts<Client> {
  open(url: string): Promise<Client>;
  end(client: Client): Promise<void> | void;
  startServer(...settings: readonly string[]): Promise<ServerHandle>;
}

/** Ways to talk with a server past knex. */
export function sessions<Client>({ open, end, startServer }: Parts<Client>) {
  return {
    /** Calls `work` with a connection of its own. */
    async withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
      const client = await open(url);
      try {
        return await work(client);
      } finally {
        await end(client);
      }
    },
    /** A connection that ends with the test. */
    async connect(url: string): Promise<Client> {
      const client = await open(url);
      onTestFinished(() => end(client));
      return client;
    },
    /** A server with tables for one file, which ends with it. */
    async serverOfFile(...settings: readonly string[]): Promise<ServerHandle> {
      const server = await startServer(...settings);
      afterAll(() => server.stop());
      await createTables(server.url);
      return server;
    },
  };
}

/** A database with tables of its own on `server`, for one test. */
export async function ownTables({ url }: ServerHandle): Promise<string> {
  const own = await newDatabase(url);
  await createTables(own);
  return own;
}
