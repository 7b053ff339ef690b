import { createLocks } from '@locks/core';
import { createSqlProvider } from '@locks/sql';
import knex from 'knex';
import type { Target } from '../messages.ts';
import type { Opened } from '../opened.ts';

const silent = (): void => {};

/** Locks over a pool of the application, with its own defaults. */
export function openOwn({ url = '', ttl, options }: Target): Opened {
  const database = knex({
    client: url.startsWith('postgres') ? 'pg' : 'mysql2',
    connection: url,
    pool: { min: 0, max: 4 },
    log: { warn: silent, error: silent, debug: silent, deprecate: silent },
  });
  const provider = createSqlProvider(database, options);
  const locks = createLocks(provider, { ttl });
  return {
    locks,
    async close() {
      await locks.close();
      await provider.close();
      await database.destroy();
    },
  };
}
