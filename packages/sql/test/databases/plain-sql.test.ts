import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { openLocks } from '@locks/core';
import { ensureProgram } from '@locks/test-servers';
import { describe, expect, test } from 'vitest';
import { migrateTables } from '../../src/index.ts';
import { connect, databases, withTables } from '../support/databases.ts';
import { tablesOf } from '../support/tables.ts';

const run = promisify(execFile);
const fileOf = (dialect: string, name: string): string =>
  new URL(`../../sql/${dialect}/migrations/${name}.sql`, import.meta.url).pathname;

/** Each database's own command line, run as the head of the files says. */
const commandLines = {
  async Postgres(url: string, name: string) {
    const psql = await ensureProgram(
      { binary: 'psql', debianPackage: 'postgresql-client', macos: 'brew install libpq' },
      'postgres',
    );
    await run(psql, ['--single-transaction', '--set', 'ON_ERROR_STOP=1', '--file', fileOf('postgres', name), url]);
  },
  async MariaDB(url: string, name: string) {
    const { hostname, port, username, password, pathname } = new URL(url);
    const binary = await ensureProgram(
      {
        binary: 'mariadb',
        debianPackage: 'mariadb-client',
        macos: 'brew install mariadb',
      },
      'mariadb',
    );
    const login = [`--host=${hostname}`, `--port=${port}`, `--user=${username}`, '--protocol=tcp', pathname.slice(1)];
    await feed(binary, ['--no-defaults', ...login], fileOf('mysql', name), decodeURIComponent(password));
  },
  async SQLite(url: string, name: string) {
    const sqlite = await ensureProgram(
      { binary: 'sqlite3', debianPackage: 'sqlite3', macos: 'brew install sqlite' },
      'sqlite',
    );
    await feed(sqlite, ['-bail', url.slice('sqlite:'.length)], fileOf('sqlite', name));
  },
} as const;

async function feed(program: string, args: readonly string[], file: string, password = ''): Promise<void> {
  const done = run(program, args, { env: { ...process.env, MYSQL_PWD: password } });
  done.child.stdin?.end(await readFile(file));
  await done;
}

describe.each(databases)('the files of $name', (database) => {
  const execute = commandLines[database.name];

  test('are run by its command line as they are, and make what migrateTables() makes', async () => {
    const url = await database.create();
    const knex = connect(url);
    await execute(url, '0001-locks');
    const tables = await tablesOf(knex);
    const locks = await openLocks(url);
    const lease = await locks.acquire('job');
    expect(lease.held).toBe(true);
    await lease.release();
    await locks.close();
    await migrateTables(knex);
    expect(await tablesOf(knex)).toEqual(tables);
    const other = await withTables(database);
    expect(await tablesOf(other.knex)).toEqual(tables);
    await execute(url, '0001-locks.down');
    expect(await tablesOf(knex)).toEqual([]);
  });
});
