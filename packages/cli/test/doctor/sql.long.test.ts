import { join } from 'node:path';
import { openLocks } from '@locks/core';
import { startMariadb, startPostgres } from '@locks/test-servers';
import { createConnection } from 'mysql2/promise';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createUser, ownFolder } from '../support/locks-program.ts';
import { checkPlanted, doctor } from './support.ts';
import type { Planted } from './support.ts';

/** Creates the tables. */
async function withTables(url: string): Promise<string> {
  await (await openLocks(`${url}?migrate=true`)).close();
  return url;
}

describe('on Postgres', () => {
  let url = '';
  let stop = async (): Promise<void> => {};
  beforeAll(async () => {
    const server = await startPostgres({ args: ['-c', 'fsync=on'] });
    ({ url } = server);
    stop = server.stop;
    await withTables(url);
  });
  afterAll(async () => await stop());

  /** A superuser for whom `settings` hold. */
  async function userWith(name: string, ...settings: readonly string[]): Promise<string> {
    const client = new Client({ connectionString: url });
    await client.connect();
    await client.query(`CREATE ROLE ${name} SUPERUSER LOGIN PASSWORD 'secret'`);
    for (const setting of settings) await client.query(`ALTER ROLE ${name} ${setting}`);
    await client.end();
    return Object.assign(new URL(url), { username: name, password: 'secret' }).href;
  }

  const planted: readonly Planted[] = [
    {
      what: 'commits are not waited for',
      store: () => userWith('hasty', 'SET synchronous_commit = off'),
      found: ['warning synchronous-commit'],
    },
    {
      what: 'the user may only read',
      store: () => userWith('reader', 'SET default_transaction_read_only = on'),
      found: ['problem open'],
    },
    {
      what: 'the tables are missing',
      store: async () => `${url}?table=other`,
      found: ['problem open'],
    },
  ];
  test.each(planted)('doctor finds that $what', checkPlanted);

  test('doctor finds nothing at a sound one', async () => {
    expect(await doctor(url, '--strict')).toMatchObject({ bad: [], code: 0, errors: '' });
  });
});

test('doctor finds that a Postgres does not wait for its disk', async () => {
  const server = await startPostgres();
  onTestFinished(async () => await server.stop());
  const { bad, code } = await doctor(await withTables(server.url));
  expect({ bad, code }).toEqual({ bad: ['problem fsync'], code: 1 });
});

describe('on MariaDB', () => {
  let url = '';
  let stop = async (): Promise<void> => {};
  beforeAll(async () => {
    // Without a limit at its start it takes none later.
    const args = ['--innodb-flush-log-at-trx-commit=1', '--max-user-connections=100'];
    const server = await startMariadb({ args });
    ({ url } = server);
    stop = server.stop;
    await withTables(url);
  });
  afterAll(async () => await stop());

  test('doctor finds that commits are not waited for', async () => {
    const set = async (to: number): Promise<void> => {
      const connection = await createConnection(url);
      await connection.query(`SET GLOBAL innodb_flush_log_at_trx_commit = ${to}`);
      await connection.end();
    };
    await set(2);
    onTestFinished(async () => await set(1));
    await checkPlanted({ store: async () => url, found: ['warning flush-log'] });
  });

  test('doctor finds nothing at a sound one', async () => {
    expect(await doctor(url, '--strict')).toMatchObject({ bad: [], code: 0, errors: '' });
  });
});

test('doctor finds, on SQLite, that the tables are missing', async () => {
  const url = await withTables(`sqlite:${join(ownFolder(), 'locks.db')}`);
  await checkPlanted({ store: async () => `${url}?table=other`, found: ['problem open'] });
});

test('doctor finds nothing at the usual store of a user', async () => {
  const user = createUser();
  // It makes the tables.
  await user.locks('ls');
  const { code, output, errors } = await user.locks('doctor', '--strict');
  expect({ code, errors }).toEqual({ code: 0, errors: '' });
  expect(output).toMatch(/^sqlite:.*locks\.db\nok {7}\S+: .*\n[^]*\n\n\d+ ok\n$/);
});
