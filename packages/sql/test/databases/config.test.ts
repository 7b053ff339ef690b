import { resolve as absolute } from 'node:path';
import { openLocks } from '@locks/core';
import { systemRuntime } from '@locks/core/adapter';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Dialect } from '../../src/dialect/dialect.ts';
import { LocksMigrationSource, createSqlProvider } from '../../src/index.ts';
import { readConfigOptions } from '../../src/options/config-options.ts';
import { postgres as postgresDialect } from '../../src/postgres/dialect.ts';
import { sqlite as sqliteDialect } from '../../src/sqlite/dialect.ts';
import { connect, databases, rowsOf, withTables } from '../support/databases.ts';
import type { Database } from '../support/databases.ts';
import { misconfigured } from '../../../core/test/support/lock-error.ts';
import { tablesOf } from '../support/tables.ts';
import { createUser } from '../support/users.ts';

const [postgres] = databases as readonly [Database, Database, Database];

describe.each(databases)('on $name', (database) => {
  test('a URL is all it takes; its query carries the options of both halves', async () => {
    const url = await database.create();
    const locks = await openLocks(`${url}?migrate=true&table=app&ttl=10s&label=worker-7&pool=2`);
    onTestFinished(() => locks.close());
    const lease = await locks.acquire('job');
    expect(lease.remaining).toBeLessThan(10_000);
    expect(lease.owner).toMatch(/^worker-7\//);
    expect(await connect(url)('app').pluck('key')).toHaveLength(1);
    await lease.release();
  });

  test('tables that are missing are not made silently, also by a client of the caller', async () => {
    const url = await database.create();
    const knex = connect(url);
    // SQLite makes its file.
    expect(await tablesOf(knex)).toEqual([]);
    const provider = createSqlProvider(knex);
    onTestFinished(() => provider.close());
    const told = misconfigured(/locks.* missing.*migrateTables\(client\).*migrate=true.*LocksMigrationSource/s);
    await expect(openLocks(url)).rejects.toMatchObject(told);
    await expect(provider.inspect('job')).rejects.toMatchObject(told);
    expect(await tablesOf(knex)).toEqual([]);
  });

  test('tables of another version are refused with what to do', async () => {
    const { url, knex } = await withTables(database);
    await knex('locks_layout').update({ version: 0 });
    await expect(openLocks(url)).rejects.toMatchObject(misconfigured(/layout 0; .* needs layout 1\. .*migrate=true/));
    await knex('locks_layout').update({ version: 2, readable_from: 2 });
    await expect(openLocks(url)).rejects.toMatchObject(misconfigured(/layout 2, .* supports layout 1\. Install/));
  });

  test('tables of a later version that this one can use are used, and left alone', async () => {
    const { url, knex } = await withTables(database);
    await knex('locks_layout').update({ version: 2, readable_from: 1 });
    const locks = await openLocks(`${url}?migrate=true`);
    await (await locks.acquire('job')).release();
    await locks.close();
    await knex.migrate.latest({ migrationSource: new LocksMigrationSource() });
    expect(await rowsOf(knex.raw('SELECT version FROM locks_layout'))).toEqual([{ version: 2 }]);
  });

  test('prints nothing, whatever happens to its connections', async () => {
    const spies = (['log', 'warn', 'error', 'info', 'debug'] as const).map((name) => vi.spyOn(console, name));
    onTestFinished(() => spies.forEach((spy) => spy.mockRestore()));
    const url = await database.create();
    await expect(openLocks(url)).rejects.toThrow();
    const locks = await openLocks(`${url}?migrate=true`);
    await (await locks.acquire('job')).release();
    await locks.close();
    expect(spies.flatMap((spy) => spy.mock.calls)).toEqual([]);
  });
});

test('user, password and the name of the connections come from the configuration', async () => {
  const url = await postgres.create();
  const admin = connect(url);
  const password = 'p@ss:/wörd';
  const { user, url: own } = await createUser(postgres, admin, url, password);
  await admin.raw(`ALTER ROLE ${user} SUPERUSER`);
  const bare = Object.assign(new URL(url), { username: '', password: '' }).href;
  const locks = await openLocks({
    url: bare,
    options: { username: user, password, applicationName: user, migrate: true },
  });
  const names = await rowsOf(admin.raw('SELECT usename FROM pg_stat_activity WHERE application_name = ?', [user]));
  expect(names).toEqual([{ usename: user }]);
  await locks.close();
  await (await openLocks(own)).close();
});

/** The pool that a configuration makes, which ends with the test. */
async function openPool(dialect: Dialect, url: string, options: object = {}) {
  const { connections, provider } = readConfigOptions(options, dialect);
  const { names } = provider;
  const pool = await dialect.openPool({ url, options: connections, names, runtime: systemRuntime });
  onTestFinished(async () => void (await pool.end()));
  return { ...pool, names };
}

test('its sessions on Postgres have limits on the server, and wait no longer than the timeout', async () => {
  const url = await postgres.create();
  const database = new URL(url).pathname.slice(1);
  await connect(url).raw(`ALTER DATABASE ${database} SET default_transaction_isolation = 'serializable'`);
  const settingsOf = async (options: object): Promise<readonly unknown[]> => {
    const { client, names } = await openPool(postgresDialect, url, options);
    const connection = await client.acquire();
    const session = postgresDialect.openSession({ connection, names, inTransaction: false });
    const shown: unknown[] = [];
    for (const name of ['statement_timeout', 'lock_timeout', 'default_transaction_isolation']) {
      const [row] = await session.rows(`SHOW ${name}`);
      shown.push(row?.[name]);
    }
    client.release(connection, false);
    return shown;
  };
  expect(await settingsOf({ timeout: 1_500 })).toEqual(['1500ms', '1500ms', 'read committed']);
  // A pooler could not pass them on.
  expect(await settingsOf({ listen: false })).toEqual(['0', '0', 'serializable']);
});

test.each([
  ['sqlite:./locks.db', absolute('locks.db')],
  ['sqlite:locks.db', absolute('locks.db')],
  ['sqlite:/var/locks.db', '/var/locks.db'],
  ['sqlite:///var/my%20locks.db', '/var/my locks.db'],
  ['sqlite:C:\\data\\locks.db', absolute('C:\\data\\locks.db')],
  ['sqlite:///C:/data/locks.db', absolute('C:/data/locks.db')],
])('%s names a file', async (url, path) => {
  expect((await openPool(sqliteDialect, url)).client.file).toBe(path);
});
