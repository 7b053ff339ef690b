import { fork } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { systemRuntime } from '@locks/core/adapter';
import { migrateTables, removeTables } from '../../src/index.ts';
import { connect, databases, ownName, rowsOf } from '../support/databases.ts';
import { columnsOf, tablesOf } from '../support/tables.ts';

const tables = (table: string): readonly string[] =>
  ['', '_fences', '_layout', '_line', '_shares'].map((rest) => `${table}${rest}`);

describe.each(databases)('on $name', (database) => {
  test('creates the tables, and changes nothing when they are there', async () => {
    const knex = connect(await database.create());
    await migrateTables(knex);
    expect(await tablesOf(knex)).toEqual(expect.arrayContaining([...tables('locks')]));
    expect(await rowsOf(knex.raw('SELECT version FROM locks_layout'))).toEqual([{ version: 1 }]);
    await knex('locks_fences').insert({ resource: Buffer.from('kept'), token: 7 });
    await migrateTables(knex);
    expect(await rowsOf(knex.raw('SELECT version FROM locks_layout'))).toEqual([{ version: 1 }]);
    expect(await knex('locks_fences').pluck('token')).toHaveLength(1);
  });

  test('gives the tables the configured name, beside others', async () => {
    const knex = connect(await database.create());
    await migrateTables(knex);
    await migrateTables(knex, { table: 'billing_locks' });
    expect(await tablesOf(knex)).toEqual(expect.arrayContaining([...tables('locks'), ...tables('billing_locks')]));
    expect(await columnsOf(knex, 'billing_locks')).toEqual(await columnsOf(knex, 'locks'));
  });

  test('removes the tables of one name, and nothing where there are none', async () => {
    const url = await database.create();
    const knex = connect(url);
    await migrateTables(knex);
    await migrateTables(knex, { table: 'billing_locks' });
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
    const knex = connect(await database.create());
    await migrateTables(knex);
    await knex('locks_layout').update({ version: 3, readable_from: 2 });
    await expect(migrateTables(knex)).rejects.toMatchObject({
      code: 'LOCK_MISCONFIGURED',
      message: expect.stringMatching(/"locks_layout" says layout 3,.* layout 2; .* layout 1\. Install/) as string,
    });
    expect(await rowsOf(knex.raw('SELECT version FROM locks_layout'))).toEqual([{ version: 3 }]);
  });

  test('finishes what another process has left half done', async () => {
    const knex = connect(await database.create());
    await migrateTables(knex);
    // The row is what is written last.
    await knex('locks_layout').delete();
    const migrating = migrateTables(knex);
    if (database.name === 'MariaDB') {
      await migrating;
      expect(await rowsOf(knex.raw('SELECT version FROM locks_layout'))).toEqual([{ version: 1 }]);
    } else {
      // These databases undo a migration that is not finished. A user has removed the row by hand
      // here, and its tables are not ours to change.
      const reason = database.name === 'SQLite' ? 'has 8 columns but 4 values were supplied' : 'already exists';
      await expect(migrating).rejects.toThrow(reason);
    }
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

test('a schema of its own on Postgres', async () => {
  const knex = connect(await databases[0]!.create());
  const schema = ownName();
  await knex.raw(`CREATE SCHEMA ${schema}`);
  await migrateTables(knex, { schema, table: 'app' });
  expect(await tablesOf(knex, schema)).toEqual(tables('app'));
  expect(await tablesOf(knex)).toEqual([]);
});

test('another database on MariaDB', async () => {
  const knex = connect(await databases[1]!.create());
  const schema = new URL(await databases[1]!.create()).pathname.slice(1);
  await migrateTables(knex, { schema, table: 'app' });
  expect(await tablesOf(knex, schema)).toEqual(tables('app'));
  expect(await tablesOf(knex)).toEqual([]);
});

test('no schema on SQLite', async () => {
  const knex = connect(await databases[2]!.create());
  await expect(migrateTables(knex, { schema: 'main' })).rejects.toMatchObject({
    code: 'LOCK_MISCONFIGURED',
    message: expect.stringContaining('SQLite has no schemas') as string,
  });
});

test.each(['', '1st', 'a"b', 'a;b', 'a'.repeat(41), 'ü', 'a b'])(
  'the name %j is refused before anything is sent',
  async (table) => {
    const knex = connect(await databases[2]!.create());
    await expect(migrateTables(knex, { table })).rejects.toMatchObject({ code: 'LOCK_MISCONFIGURED' });
    expect(await tablesOf(knex)).toEqual([]);
  },
);
