import { join } from 'node:path';
import { startMariadb, startPostgres } from '@locks/test-servers';
import type { ServerHandle } from '@locks/test-servers';
import type { Target } from '../worker/messages.ts';
import { type Backend, hostOf } from './backend.ts';

const options = { timeout: 2_000, waiterTtl: 3_000 };
const prepare = { migrate: true };

export const postgres: Backend = networked('pg', () => startPostgres());
/** A Postgres whose users may make no routines. */
export const table: Backend = networked('pg', () => startPostgres(), { routines: false });
export const mariadb: Backend = networked('mysql2', () => startMariadb());

/** A file: no network and no server. */
export const sqlite: Backend = {
  adapter: 'sql',
  clients: ['knex', 'libsql'],
  async start(folder) {
    return {
      servers: [],
      prepare,
      target: () => ({ url: `sqlite:${join(folder, 'locks.db')}`, ttl: 1_000, options }),
      async stop() {},
    };
  },
};

function networked(driver: string, startServer: () => Promise<ServerHandle>, more: Target['options'] = {}): Backend {
  return {
    adapter: 'sql',
    clients: ['knex', driver],
    async start() {
      const server = await startServer();
      return {
        servers: [server],
        prepare,
        own: 'knex',
        target(addresses) {
          const url = new URL(server.url);
          url.host = hostOf(addresses);
          return { url: url.href, ttl: 1_000, options: { ...options, ...more } };
        },
        stop: () => server.stop(),
      };
    },
  };
}
