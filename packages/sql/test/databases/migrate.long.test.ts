import { fork } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { systemRuntime } from '@locks/core/adapter';
import { fence, fromConfig, migrateTables, removeTables } from '../../src/index.ts';
import { connect, databases, rowsOf, servers, withTables } from '../support/databases.ts';
import { routinesOf, tablesOf } from '../support/tables.ts';
import { misconfigured } from '../../../core/test/support/lock-error.ts';
import { createUser } from '../support/users.ts';
import { locksOver } from '../support/locks-over.ts';

/** Those that each database has. */
const tables = (table: string): readonly string[] => ['', '_fences', '_layout'].map((rest) => `${table}${rest}`);

/** What a dump without routines, a tool that removes foreign tables, or a hand leaves out. */
const missing = {
  Postgres: [
    ['the layout', 'DROP TABLE locks_layout'],
    ['a row of the layout', 'DELETE FROM locks_layout'],
    ['the fences', 'DROP TABLE locks_fences'],
    ['the shares', 'DROP TABLE locks_shares'],
    ['the queue', 'DROP TABLE locks_queue'],
    ['the keys', 'DROP TABLE locks CASCADE'],
    ['a type', 'DROP TYPE locks_turn CASCADE'],
    ...['check_new', 'ended', 'lock', 'settle', 'acquire', 'renew', 'release', 'sweep'].map(
      (name) => [name, `DROP FUNCTION locks_${name}`] as const,
    ),
    ['a procedure', 'DROP PROCEDURE locks_release_and_tell'],
  ],
  MariaDB: [
    ['the layout', 'DROP TABLE locks_layout'],
    ['a row of the layout', 'DELETE FROM locks_layout'],
    ['the fences', 'DROP TABLE locks_fences'],
    ['the shares', 'DROP TABLE locks_shares'],
    ['the queue', 'DROP TABLE locks_queue'],
    ['the keys', 'DROP TABLE locks'],
    ...['act', 'act_and_wake', 'ended', 'give', 'head', 'inspect', 'sweep'].map(
      (name) => [name, `DROP PROCEDURE locks_${name}`] as const,
    ),
  ],
  SQLite: [
    ['the layout', 'DROP TABLE locks_layout'],
    ['a row of the layout', 'DELETE FROM locks_layout'],
    ['the fences', 'DROP TABLE locks_fences'],
    ['the keys', 'DROP TABLE locks'],
  ],
} satisfies Record<string, readonly (readonly [string, string])[]>;

describe.each(databases)('on $name', (database) => {
  test('removes the tables of one name, and nothing where there are none', async () => {
    const { url, knex } = await withTables(database);
    await migrateTables(knex, { table: 'billing_locks' });
    expect(await tablesOf(knex)).toEqual(expect.arrayContaining([...tables('locks'), ...tables('billing_locks')]));
    const config = { url, options: { table: 'billing_locks' }, runtime: systemRuntime };
    await removeTables(config);
    await removeTables(config);
    const left = await tablesOf(knex);
    expect(left).toEqual(expect.arrayContaining([...tables('locks')]));
    expect(left.map(String).filter((table) => table.startsWith('billing_locks'))).toEqual([]);
    // They can be made again.
    await migrateTables(knex, { table: 'billing_locks' });
    await knex('locks_layout').update({ version: 3, readable_from: 2 });
    await expect(removeTables({ ...config, options: {} })).rejects.toMatchObject({ code: 'LOCK_MISCONFIGURED' });
  });

  test('may be called by many processes and connections at once', async () => {
    const url = await database.create();
    const knexes = [connect(url), connect(url), connect(url)];
    const processes = [1, 2].map(() => fork(new URL('../support/migrating.mjs', import.meta.url), [url]));
    const exits = processes.map((child) => once(child, 'exit'));
    await Promise.all(processes.map((child) => once(child, 'message')));
    for (const child of processes) child.send('go');
    await Promise.all(knexes.map((knex) => migrateTables(knex)));
    for (const exit of exits) expect(await exit).toEqual([0, null]);
    expect(await rowsOf(knexes[0]!.raw('SELECT version FROM locks_layout'))).toEqual([{ version: 1 }]);
  });

  test('refuses tables of a later version with both numbers, and leaves them alone', async () => {
    const { knex } = await withTables(database);
    await knex('locks_layout').update({ version: 3, readable_from: 2 });
    await expect(migrateTables(knex)).rejects.toMatchObject(
      misconfigured(/"locks_layout" has layout 3,.* layout 2; .* layout 1\. Install/),
    );
    expect(await rowsOf(knex.raw('SELECT version FROM locks_layout'))).toEqual([{ version: 3 }]);
  });

  test('makes again what is missing, and leaves holds and fences', async () => {
    const { url, knex } = await withTables(database);
    const config = { url, options: {}, runtime: systemRuntime };
    const { locks } = locksOver(knex, {}, { ttl: 60_000 });
    await knex.transaction((trx) => fence(trx, 'kept', 7n));
    for (const [what, drop] of missing[database.name]) {
      const lease = await locks.acquire(`job ${what}`);
      await knex.raw(drop);
      const opened = fromConfig(config);
      await expect(opened, what).rejects.toMatchObject(misconfigured(/call migrateTables/));
      await fromConfig({ ...config, options: { migrate: true } }).then((provider) => provider.close());
      await fromConfig(config).then((provider) => provider.close());
      if (!drop.includes('TABLE locks')) expect((await locks.inspect(lease.key)).holders, what).toHaveLength(1);
      await lease.release();
      if (drop.includes('_fences')) await knex.transaction((trx) => fence(trx, 'kept', 7n));
      const late = knex.transaction((trx) => fence(trx, 'kept', 6n));
      await expect(late, what).rejects.toMatchObject({ code: 'LOCK_STALE' });
      await (await locks.acquire('after')).release();
    }
  });

  test('removes what is there without the table of the layout, and no table of another origin', async () => {
    const url = await database.create();
    const knex = connect(url);
    const config = { url, options: {}, runtime: systemRuntime };
    await knex.schema.createTable('locks', (table) => void table.string('door'));
    await removeTables(config);
    expect(await tablesOf(knex)).toEqual(['locks']);
    await knex.schema.dropTable('locks');
    await migrateTables(knex);
    await knex.raw('DROP TABLE locks_layout');
    await removeTables(config);
    expect((await tablesOf(knex)).filter((name) => String(name).startsWith('locks'))).toEqual([]);
    expect(await routinesOf(knex)).toEqual([]);
    await migrateTables(knex);
  });

  test('refuses a transaction', async () => {
    const knex = connect(await database.create());
    await knex.transaction(async (trx) => {
      await expect(migrateTables(trx)).rejects.toMatchObject({ code: 'LOCK_MISCONFIGURED' });
    });
    expect(await tablesOf(knex)).toEqual([]);
  });

  test('keeps nothing of a connection', async () => {
    const knex = connect(await database.create(), { pool: { min: 1, max: 1 } });
    await migrateTables(knex);
    await knex.transaction(async (trx) => {
      await trx('locks_layout').update({ version: 1 });
    });
    await knex.raw('SELECT 1');
  });
});

test('on MariaDB routines whose definer is gone are made again, and holds stay', async () => {
  const url = await databases[1]!.create();
  const admin = connect(url);
  const { user, url: own } = await createUser(databases[1]!, admin, url);
  await admin.raw(`GRANT ALL ON ${new URL(url).pathname.slice(1)}.* TO ${user}`);
  await migrateTables(connect(own));
  const { locks } = locksOver(admin, {}, { ttl: 60_000 });
  const lease = await locks.acquire('job');
  await admin.raw(`DROP USER ${user}`);
  await expect(locks.inspect('job')).rejects.toMatchObject(misconfigured(/locks tables up/));
  await expect(fromConfig({ url, options: {}, runtime: systemRuntime })).rejects.toThrow('"locks_act"');
  await migrateTables(admin);
  expect((await locks.inspect('job')).holders).toHaveLength(1);
  expect(await lease.release()).toBe(true);
});

test.each(servers)('a routine of $name that is gone is told at the next call', async (database) => {
  const { knex } = await withTables(database);
  const { provider } = locksOver(knex);
  const claim = { key: 'job', owner: 'a/1', ttl: 1_000, mode: 'shared' } as const;
  await provider.tryAcquire(claim);
  await knex.raw(database.name === 'Postgres' ? 'DROP FUNCTION locks_acquire' : 'DROP PROCEDURE locks_act');
  await expect(provider.tryAcquire({ ...claim, owner: 'a/2' })).rejects.toMatchObject({ code: 'LOCK_MISCONFIGURED' });
});

test('no schema on SQLite', async () => {
  const knex = connect(await databases[2]!.create());
  await expect(migrateTables(knex, { schema: 'main' })).rejects.toMatchObject(misconfigured('SQLite has no schemas'));
});
