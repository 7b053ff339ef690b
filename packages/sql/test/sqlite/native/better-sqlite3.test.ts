import { closing } from '@locks/test-servers';
import { createLocks } from '@locks/core';
import { expect, onTestFinished, test } from 'vitest';
import { createSqlProvider, fence, migrateTables } from '../../../src/index.ts';
import { openKnex } from '../../support/open-knex.mjs';
import { createFile } from '../support/file.ts';
import { suite } from '../support/conformance.ts';
import { betterSqlite3Path, loadBetterSqlite3 } from './better-sqlite3.ts';

const Database = loadBetterSqlite3();
const library = { Database, path: betterSqlite3Path };

suite(
  'sqlite, a Database of better-sqlite3',
  ({ path }, options) => {
    const database = new Database(path);
    return closing(createSqlProvider(database, options), () => database.close());
  },
  {},
  undefined,
  library,
);

suite(
  'sqlite, a knex over better-sqlite3',
  ({ url }, options) => {
    const knex = openKnex(url, {}, Database);
    return closing(createSqlProvider(knex, options), () => knex.destroy());
  },
  {},
  undefined,
  library,
);

test('its own transaction is guarded, and an open one makes it no client', async () => {
  const file = createFile(Database);
  const database = new Database(file.path);
  onTestFinished(() => {
    database.close();
    file.remove();
  });
  await migrateTables(database);
  database.exec('BEGIN IMMEDIATE');
  await fence(database, 'account', 8n);
  await expect(fence(database, 'account', 7n)).rejects.toMatchObject({ code: 'LOCK_STALE' });
  expect(() => createSqlProvider(database)).toThrow(/was given a transaction/);
  database.exec('ROLLBACK');
  await expect(fence(database, 'account', 9n)).rejects.toMatchObject({ code: 'LOCK_INVALID' });
});

test('with safeIntegers, its numbers are bigints', async () => {
  const file = createFile(Database);
  const database = new Database(file.path);
  (database as unknown as { defaultSafeIntegers(): void }).defaultSafeIntegers();
  const provider = createSqlProvider(database);
  const locks = createLocks(provider);
  onTestFinished(async () => {
    await locks.close();
    await provider.close();
    database.close();
    file.remove();
  });
  const first = await locks.acquire('job');
  expect(first.token).toBeTypeOf('bigint');
  await first.release();
  await locks.withLock('job', ({ token }) => expect(token).toBeGreaterThan(first.token));
});
