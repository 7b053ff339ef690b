import knexOf from 'knex';
import Libsql from 'libsql';
import { createPool } from 'mysql2';
import { Pool } from 'pg';
import { describe, expect, test } from 'vitest';
import { migrateTables } from '../../src/index.ts';
import type { AnySqlClient } from '../../src/index.ts';
import { databases, servers } from '../support/databases.ts';
import { openKnex } from '../support/open-knex.mjs';
import { locksOver } from '../support/locks-over.ts';
import { openPool } from '../support/open-pool.ts';
import { lockError } from '../../../core/test/support/lock-error.ts';

/** How long `close` may take that finds the pool ended, in ms: much less than `closeTimeout`. */
const atOnce = 1_000;

describe.each(databases)('on $name', (database) => {
  test.each(['awaited', 'under way'])('close() is done at once when its knex was destroyed first: %s', async (when) => {
    const knex = openKnex(await database.create());
    await migrateTables(knex);
    const { locks } = locksOver(knex);
    const lease = await locks.acquire('job');
    const destroyed = knex.destroy();
    if (when === 'awaited') await destroyed;
    const since = performance.now();
    const released = lease.release().catch((error: unknown) => error);
    await expect(locks.tryAcquire('another')).rejects.toMatchObject(lockError('LOCK_CLOSED', 'knex was destroyed'));
    await locks.close();
    expect(performance.now() - since).toBeLessThan(atOnce);
    expect(await released).toMatchObject({ code: 'LOCK_CLOSED' });
    await destroyed;
  });
});

test.each(servers)('close() is done at once when the pool of knex was ended first: $name', async (database) => {
  const url = await database.create();
  const onPostgres = database.name === 'Postgres';
  const pool = onPostgres ? openPool({ connectionString: url, max: 4 }) : createPool({ uri: url, connectionLimit: 4 });
  // Knex's types know the pool of `pg` alone.
  const knex = knexOf({ client: onPostgres ? 'pg' : 'mysql2', connectionPool: pool as never });
  await migrateTables(knex);
  const { locks } = locksOver(knex, { listen: false });
  await locks.acquire('job');
  await new Promise<void>((resolve) => void pool.end(() => resolve()));
  const since = performance.now();
  await locks.close();
  expect(performance.now() - since).toBeLessThan(atOnce);
});

test.each(databases)('migrateTables() says of an ended client of $name that it is', async (database) => {
  const url = await database.create();
  const knex = openKnex(url);
  await knex.destroy();
  const ended: AnySqlClient[] = [knex];
  if (database.name === 'Postgres') {
    const pool = new Pool({ connectionString: url });
    await pool.end();
    ended.push(pool);
  } else if (database.name === 'MariaDB') {
    const pool = createPool({ uri: url });
    await pool.promise().end();
    ended.push(pool);
  } else {
    const libsql = new Libsql(url.slice('sqlite:'.length));
    libsql.close();
    ended.push(libsql);
  }
  for (const client of ended) {
    await expect(migrateTables(client)).rejects.toMatchObject({ code: 'LOCK_CLOSED' });
    await expect(migrateTables(client, { routines: false })).rejects.toMatchObject({ code: 'LOCK_CLOSED' });
  }
});
