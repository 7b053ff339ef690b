import { randomUUID } from 'node:crypto';
import knex from 'knex';

/**
 * Databases of one server: one for each program that connects to it, so that each finds it as a
 * reader would, empty.
 */
export interface Databases {
  /** The URL of a database, which is not there before `create`. */
  url(id: string): string;
  create(id: string): Promise<void>;
  /** Removes the databases that were created, also while clients are connected to them. */
  remove(): Promise<void>;
}

/** Databases on the Postgres, MariaDB or MySQL at `serverUrl`, whose user may create some. */
export function openDatabases(serverUrl: string): Databases {
  const isPostgres = serverUrl.startsWith('postgres');
  const server = knex({ client: isPostgres ? 'pg' : 'mysql2', connection: serverUrl, pool: { min: 0, max: 1 } });
  const prefix = `docs_${randomUUID().slice(0, 8)}_`;
  const created = new Set<string>();

  return {
    url(id) {
      const url = new URL(serverUrl);
      url.pathname = `/${prefix}${id}`;
      return url.href;
    },
    async create(id) {
      await server.raw('CREATE DATABASE ??', [prefix + id]);
      created.add(id);
    },
    async remove() {
      try {
        for (const id of created)
          await server.raw(`DROP DATABASE ??${isPostgres ? ' WITH (FORCE)' : ''}`, [prefix + id]);
      } finally {
        await server.destroy();
      }
    },
  };
}
