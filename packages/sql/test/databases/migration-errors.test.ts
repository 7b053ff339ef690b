import { inspect } from 'node:util';
import type { Knex } from 'knex';
import { describe, expect, test } from 'vitest';
import { LocksMigrationSource, fence, migrateTables } from '../../src/index.ts';
import { connect, databases } from '../support/databases.ts';
import { tablesOf } from '../support/tables.ts';
import { refusal as rejection } from '../../../core/test/support/lock-error.ts';
import { createUser } from '../support/users.ts';

const ways: readonly (readonly [string, (knex: Knex) => Promise<unknown>])[] = [
  ['migrateTables()', (knex) => migrateTables(knex)],
  ['LocksMigrationSource', (knex) => knex.migrate.latest({ migrationSource: new LocksMigrationSource() })],
];

async function refusal(work: Promise<unknown>): ReturnType<typeof rejection> {
  const error = await rejection(work);
  expect(error).toMatchObject({ code: 'LOCK_MISCONFIGURED' });
  expect(error.message).not.toMatch(/CREATE TABLE|SELECT \*|LANGUAGE|`next_lapse`,/);
  expect(error.message.length).toBeLessThan(300);
  expect(inspect(error)).not.toMatch(/CREATE TABLE|INSERT INTO|LANGUAGE|`next_lapse`,/);
  return error;
}

describe.each(databases)('on $name', (database) => {
  test.each(ways)('%s refuses another table of that name, and leaves all as it was', async (_name, run) => {
    const knex = connect(await database.create(), { log: { error() {}, warn() {} } });
    await knex.schema.createTable('locks', (table) => void table.string('door'));
    const { message } = await refusal(run(knex));
    expect(message).toMatch(/locks|version/);
    expect(message).toContain('option "table"');
    expect((await tablesOf(knex)).filter((name) => String(name).startsWith('locks'))).toEqual(['locks']);
  });
});

const refusing = {
  Postgres: [
    "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''door - locked - today''; END'",
    'CREATE TRIGGER refusing BEFORE INSERT ON locks_fences EXECUTE FUNCTION refuse()',
  ],
  MariaDB: [
    "CREATE TRIGGER refusing BEFORE INSERT ON locks_fences FOR EACH ROW SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'door - locked - today'",
  ],
  SQLite: [
    "CREATE TRIGGER refusing BEFORE INSERT ON locks_fences BEGIN SELECT RAISE(ABORT, 'door - locked - today'); END",
  ],
};

test.each(databases)(
  'on $name an error is told as its driver has it, whatever its message is like',
  async (database) => {
    const knex = connect(await database.create());
    await migrateTables(knex);
    for (const statement of refusing[database.name]) await knex.raw(statement);
    const error = await knex
      .transaction((trx) => fence(trx, "it's - a \\ ? door", 5n))
      .then(
        () => undefined,
        (reason: unknown) => reason as Error,
      );
    expect(error?.message).toMatch(/^(SqliteError: )?door - locked - today$/);
    expect(inspect(error)).not.toMatch(/INSERT (INTO|OR)|a door/i);
  },
);

test.each(ways)('%s says on Postgres which right is missing', async (_name, run) => {
  const url = await databases[0]!.create();
  const admin = connect(url);
  const { user, url: own } = await createUser(databases[0]!, admin, url);
  await admin.raw('REVOKE CREATE ON SCHEMA public FROM PUBLIC');
  await admin.raw('CREATE TABLE knex_migrations (id serial, name text, batch integer, migration_time timestamptz)');
  await admin.raw('CREATE TABLE knex_migrations_lock ("index" serial, is_locked integer)');
  await admin.raw(
    `GRANT ALL ON ALL TABLES IN SCHEMA public TO ${user}; GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO ${user}`,
  );
  const knex = connect(own, { log: { error() {}, warn() {} } });
  expect((await refusal(run(knex))).message).toMatch(/CREATE on the schema/);
});

test('migrateTables() says on MariaDB which right is missing', async () => {
  const url = await databases[1]!.create();
  const admin = connect(url);
  const { user, url: own } = await createUser(databases[1]!, admin, url);
  const database = new URL(url).pathname.slice(1);
  await admin.raw(`GRANT SELECT, INSERT, UPDATE ON ${database}.* TO ${user}`);
  expect((await refusal(migrateTables(connect(own)))).message).toMatch(/CREATE, .*CREATE ROUTINE/);
  await admin.raw(`GRANT CREATE, DROP ON ${database}.* TO ${user}`);
  expect((await refusal(migrateTables(connect(own)))).message).toMatch(/CREATE, .*CREATE ROUTINE/);
});
