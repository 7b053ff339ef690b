import { randomUUID } from 'node:crypto';
import type { ServerHandle } from '@locks/test-servers';
import { afterAll, onTestFinished } from 'vitest';
import { createTables } from '../support/databases.ts';

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
  /** A database of its own on `server`, for one test. */
  ownDatabase(server: ServerHandle, options?: string): Promise<string>;
  /** The same with tables. */
  ownTables(server: ServerHandle, options?: string): Promise<string>;
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

  async function ownDatabase(server: ServerHandle, options = ''): Promise<string> {
    const name = `test_${randomUUID().replaceAll('-', '')}`;
    await withClient(server.url, (client) => client.query(`CREATE DATABASE ${name} ${options}`));
    const url = new URL(server.url);
    url.pathname = `/${name}`;
    return url.href;
  }

  async function ownTables(server: ServerHandle, options?: string): Promise<string> {
    const url = await ownDatabase(server, options);
    await createTables(url);
    return url;
  }

  async function serverOfFile(...settings: readonly string[]): Promise<ServerHandle> {
    const server = await startServer(...settings);
    afterAll(() => server.stop());
    await createTables(server.url);
    return server;
  }

  return { withClient, connect, ownDatabase, ownTables, serverOfFile };
}
