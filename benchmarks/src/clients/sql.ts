import { createLocks } from '@locks/core';
import { createSqlProvider } from '@locks/sql';
import Database from 'libsql';
import { createPool } from 'mysql2/promise';
import { Pool } from 'pg';
import postgres from 'postgres';
import { openKnex } from '../sql/subjects/knex.ts';
import { rawMariadb } from '../sql/subjects/raw-mariadb.ts';
import { acquire, rawPostgres, release } from '../sql/subjects/raw-postgres.ts';
import { rawSqlite } from '../sql/subjects/raw-sqlite.ts';
import { connections } from '../sql/subjects/subject.ts';
import type { SqlSubject } from '../sql/subjects/subject.ts';
import { ttl } from '../subjects/party.ts';
import type { Party } from '../subjects/party.ts';
import type { ClientParties, MeasuredClient } from './client.ts';

type Given = Parameters<typeof createSqlProvider>[0];

/** The tables exist. `end` closes the client. */
function parties(raw: Party, client: Given, end: () => Promise<unknown>): ClientParties {
  const locks = createLocks(createSqlProvider(client), { ttl });
  return {
    raw,
    ours: { acquire: (key) => locks.acquire(key) },
    async close() {
      await locks.close();
      await end();
    },
  };
}

/** Beside a raw party with a separate client. */
async function beside(subject: SqlSubject, url: string, client: Given, end: () => unknown): Promise<ClientParties> {
  const raw = await subject.open({ url, retryDelay: undefined });
  return parties(raw, client, async () => {
    await raw.close();
    await end();
  });
}

/** Statements of a Postgres client: whether the first returned a row. */
function postgresParty(
  take: (key: Buffer, owner: string) => Promise<boolean>,
  free: (key: Buffer, owner: string) => Promise<unknown>,
): Party {
  let count = 0;
  return {
    async acquire(text) {
      const key = Buffer.from(text);
      count += 1;
      const owner = `raw-${process.pid}-${count}`;
      if (!(await take(key, owner))) throw new Error(`The key "${text}" is taken.`);
      return { release: () => free(key, owner) };
    },
  };
}

export const postgresClients: readonly MeasuredClient[] = [
  {
    name: 'pg',
    async open(url) {
      const pool = new Pool({ connectionString: url, max: connections, idleTimeoutMillis: 0 });
      return await beside(rawPostgres, url, pool, () => pool.end());
    },
  },
  {
    name: 'postgres',
    async open(url) {
      const sql = postgres(url, { max: connections });
      const options = { prepare: true };
      const raw = postgresParty(
        async (key, owner) => (await sql.unsafe(acquire.text, [key, owner, ttl], options)).length > 0,
        (key, owner) => sql.unsafe(release.text, [key, owner], options),
      );
      return parties(raw, sql, () => sql.end());
    },
  },
  {
    name: 'knex',
    async open(url) {
      const knex = openKnex(url);
      const named = (text: string): string =>
        text.replaceAll('$1', ':key').replaceAll('$2', ':owner').replaceAll('$3', ':ttl');
      const [take, free] = [named(acquire.text), named(release.text)];
      const raw = postgresParty(
        async (key, owner) => (await knex.raw<{ rows: unknown[] }>(take, { key, owner, ttl })).rows.length > 0,
        (key, owner) => knex.raw(free, { key, owner }),
      );
      return parties(raw, knex, () => knex.destroy());
    },
  },
];

export const mariadbClients: readonly MeasuredClient[] = [
  {
    name: 'mysql2',
    async open(url) {
      const pool = createPool({ uri: url, connectionLimit: connections, maxIdle: connections });
      return await beside(rawMariadb, url, pool, () => pool.end());
    },
  },
];

export const sqliteClients: readonly MeasuredClient[] = [
  {
    name: 'libsql',
    async open(url) {
      const database = new Database(url.replace(/^sqlite:/, ''));
      // As in the raw party.
      database.pragma('synchronous = NORMAL');
      return await beside(rawSqlite, url, database, () => database.close());
    },
  },
];
