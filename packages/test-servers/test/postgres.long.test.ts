import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { describe, expect, test } from 'vitest';
import { chooseServer } from '../src/choose.ts';
import { startPostgres } from '../src/index.ts';
import { testExternalServer } from './external-server.ts';
import { postgres } from './kinds/postgres.ts';
import { testLocalProcess, testPreparation } from './local-process.ts';
import { testOwnServer } from './own-server.ts';

const way = chooseServer('postgres', 'postgres:18-alpine').kind;
if (way !== 'external') {
  testOwnServer(postgres, way);
  testOptions();
}
if (way === 'local') {
  testLocalProcess(postgres);
  testPreparation(postgres);
  testSharedMemory();
}
testExternalServer(postgres);

function testOptions(): void {
  describe('a Postgres', () => {
    test('has the settings that it was given, is as durable as by default, and has a database of its own', async () => {
      await using server = await startPostgres({ args: ['-c', 'max_connections=37'] });
      const { rows } = await query(
        server.url,
        `SELECT current_setting('max_connections') AS connections, current_setting('fsync') AS fsync,
          current_setting('synchronous_commit') AS commit, current_database() AS database, current_user AS user,
          current_setting('is_superuser') AS superuser, current_setting('server_encoding') AS encoding`,
      );
      expect(rows).toEqual([
        {
          connections: '37',
          fsync: 'on',
          commit: 'on',
          database: 'locks',
          user: 'locks',
          superuser: 'on',
          encoding: 'UTF8',
        },
      ]);
    });

    test('lets no client in without the password', async () => {
      await using server = await startPostgres();
      const url = new URL(server.url);
      url.password = 'another';
      await expect(query(url.href, 'SELECT 1')).rejects.toThrow('password authentication failed');
    });
  });
}

function testSharedMemory(): void {
  test('a Postgres that is killed leaves no shared memory behind', async () => {
    await using server = await startPostgres();
    const { rows } = await query(server.url, `SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 7) AS memory`);
    const id = (rows[0] as { readonly memory: string }).memory.trim().split(/\s+/)[1];
    expect(await sharedMemory()).toContain(id);
    await server.kill();
    expect(await sharedMemory()).not.toContain(id);
  });
}

/** The ids of the System V shared memory of this machine. */
async function sharedMemory(): Promise<readonly (string | undefined)[]> {
  const { stdout } = await promisify(execFile)('ipcs', ['-m']);
  return stdout.split('\n').map((line) => line.split(/\s+/)[1]);
}

async function query(url: string, sql: string): Promise<{ readonly rows: readonly unknown[] }> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await client.query(sql);
  } finally {
    await client.end();
  }
}
