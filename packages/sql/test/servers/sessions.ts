import { randomUUID } from 'node:crypto';
import type { ServerHandle } from '@locks/test-servers';
import { onTestFinished } from 'vitest';

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
}

/** Sessions on connections that `open` makes and `end` ends. */
export function sessions<Client extends Session>(
  open: (url: string) => Promise<Client>,
  end: (client: Client) => Promise<void> | void,
): Sessions<Client> {
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

  return { withClient, connect, ownDatabase };
}
