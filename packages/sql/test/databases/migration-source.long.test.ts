import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { FsMigrations } from 'knex/lib/migrations/migrate/sources/fs-migrations.js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { LocksMigrationSource, combineMigrationSources, migrateTables } from '../../src/index.ts';
import { connect, databases, rowsOf, servers, withTables } from '../support/databases.ts';
import { tablesOf } from '../support/tables.ts';
import { misconfigured } from '../../../core/test/support/lock-error.ts';

/** A folder with migrations as a user of Knex has them. */
async function ownMigrations(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'locks-migrations-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, table] of [
    ['20240102030405_orders.cjs', 'orders'],
    ['20250102030405_items.cjs', 'items'],
  ] as const) {
    const up = `exports.up = (knex) => knex.schema.createTable('${table}', (table) => table.increments());`;
    await writeFile(join(folder, name), `${up}\nexports.down = (knex) => knex.schema.dropTable('${table}');\n`);
  }
  return folder;
}

const namesOf = (answer: unknown): readonly string[] => (answer as readonly [number, readonly string[]])[1];
const layouts = (knex: Knex): PromiseLike<unknown> => rowsOf(knex.raw('SELECT version FROM locks_layout'));

describe.each(databases)('on $name', (database) => {
  test("creates the tables beside the user's own, and takes them back", async () => {
    const knex = connect(await database.create());
    const own = new FsMigrations(await ownMigrations(), false);
    const migrationSource = combineMigrationSources(new LocksMigrationSource(), own);
    const all = ['0000_locks_0001', '20240102030405_orders.cjs', '20250102030405_items.cjs'];
    expect(namesOf(await knex.migrate.latest({ migrationSource }))).toEqual(all);
    expect(await tablesOf(knex)).toEqual(expect.arrayContaining(['items', 'locks', 'locks_layout', 'orders']));
    expect(await layouts(knex)).toEqual([{ version: 1 }]);
    expect(namesOf(await knex.migrate.latest({ migrationSource }))).toEqual([]);
    expect(namesOf(await knex.migrate.rollback({ migrationSource }))).toEqual(all.toReversed());
    const left = await tablesOf(knex);
    expect(left.filter((name) => !String(name).startsWith('knex_') && name !== 'sqlite_sequence')).toEqual([]);
    expect(namesOf(await knex.migrate.latest({ migrationSource }))).toEqual(all);
    expect(await layouts(knex)).toEqual([{ version: 1 }]);
  });

  test('may be added to migrations that were run before', async () => {
    const knex = connect(await database.create());
    const own = new FsMigrations(await ownMigrations(), false);
    await knex.migrate.latest({ migrationSource: own });
    const migrationSource = combineMigrationSources(own, new LocksMigrationSource());
    expect(namesOf(await knex.migrate.latest({ migrationSource }))).toEqual(['0000_locks_0001']);
    expect(namesOf(await knex.migrate.rollback({ migrationSource }))).toEqual(['0000_locks_0001']);
    expect(await tablesOf(knex)).toEqual(expect.arrayContaining(['items', 'orders']));
  });

  test('finds done what migrateTables() has done, and does what it will find done', async () => {
    const { knex } = await withTables(database);
    const migrationSource = new LocksMigrationSource();
    expect(namesOf(await knex.migrate.latest({ migrationSource }))).toEqual(['0000_locks_0001']);
    await migrateTables(knex);
    expect(await layouts(knex)).toEqual([{ version: 1 }]);
    await knex.migrate.rollback({ migrationSource });
    expect(await tablesOf(knex)).not.toContain('locks');
    await migrateTables(knex);
    expect(await layouts(knex)).toEqual([{ version: 1 }]);
  });

  test('two sets of tables are two histories', async () => {
    const knex = connect(await database.create());
    const migrationSource = combineMigrationSources(
      new LocksMigrationSource(),
      new LocksMigrationSource({ table: 'billing' }),
    );
    expect(namesOf(await knex.migrate.latest({ migrationSource }))).toEqual(['0000_locks_0001', '0000_billing_0001']);
    expect(await tablesOf(knex)).toEqual(expect.arrayContaining(['billing_layout', 'locks_layout']));
    await knex.migrate.down({ migrationSource });
    expect(await tablesOf(knex)).not.toContain('billing');
    expect(await layouts(knex)).toEqual([{ version: 1 }]);
  });

  test('works step by step, and without transactions', async () => {
    const knex = connect(await database.create());
    const migrationSource = new LocksMigrationSource();
    await knex.migrate.up({ migrationSource, disableTransactions: true });
    expect(await layouts(knex)).toEqual([{ version: 1 }]);
    await knex.migrate.down({ migrationSource, disableTransactions: true });
    expect(await tablesOf(knex)).not.toContain('locks');
  });

  test('refuses tables of a later version', async () => {
    const { knex } = await withTables(database, { log: { error() {}, warn() {} } });
    await knex('locks_layout').update({ version: 2, readable_from: 2 });
    await expect(knex.migrate.latest({ migrationSource: new LocksMigrationSource() })).rejects.toThrow(
      /"locks_layout" has layout 2, .* supports layout 1/,
    );
  });
});

test.each(servers)('in a schema of its own on $name', async (database) => {
  const knex = connect(await database.create());
  const schema = database.name === 'Postgres' ? 'own' : new URL(await database.create()).pathname.slice(1);
  if (database.name === 'Postgres') await knex.raw('CREATE SCHEMA own');
  const migrationSource = new LocksMigrationSource({ schema, table: 'app' });
  expect(namesOf(await knex.migrate.latest({ migrationSource }))).toEqual([`0000_${schema}.app_0001`]);
  expect(await tablesOf(knex, schema)).toEqual(expect.arrayContaining(['app', 'app_fences', 'app_layout']));
  await knex.migrate.rollback({ migrationSource });
  expect(await tablesOf(knex, schema)).toEqual([]);
});

test('two migrations of one name are refused', async () => {
  const combined = combineMigrationSources(new LocksMigrationSource(), new LocksMigrationSource());
  await expect(combined.getMigrations([])).rejects.toMatchObject(misconfigured('"0000_locks_0001"'));
});

test('names that cannot be are refused when the source is made', () => {
  expect(() => new LocksMigrationSource({ table: 'a"b' })).toThrow(/option "table" must be .*, not "a\\"b"/);
});
