import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { describe, expect, test } from 'vitest';
import { chooseServer } from '../../src/start/choose.ts';
import { startPostgres } from '../../src/index.ts';
import { testExternalServer } from '../external-server.ts';
import { postgres } from '../kinds/postgres.ts';
import { testLocalProcess, testPreparation } from '../local-process.ts';
import { testOwnServer } from '../own-server.ts';

const way = chooseServer('postgres', 'postgres:18-alpine').kind;
if (way !== 'external') testOwnServer(postgres, way);
if (way === 'local') {
  testLocalProcess(postgres);
  testPreparation('postgres');
}
testExternalServer(postgres);

test.skipIf(way === 'external')(
  'a Postgres has the settings that it was given, does not wait for the disk, and has a database of its own',
  async () => {
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
        fsync: 'off',
        commit: 'on',
        database: 'locks',
        user: 'locks',
        superuser: 'on',
        encoding: 'UTF8',
      },
    ]);
  },
);

describe.runIf(way === 'local')('a Postgres that is a local process', () => {
  test('leaves no shared memory behind when it is killed', async () => {
    await using server = await startPostgres();
    const { rows } = await query(server.url, `SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 7) AS memory`);
    const id = (rows[0] as { readonly memory: string }).memory.trim().split(/\s+/)[1];
    expect(await sharedMemory()).toContain(id);
    await server.kill();
    expect(await sharedMemory()).not.toContain(id);
  });

  test('starts again though another process has a lock file of its for a moment', async () => {
    await using server = await startPostgres();
    await using other = await startPostgres();
    const restarted = server.restart({
      async meanwhile(dataFolder) {
        // That of its socket. The process must be of the same user.
        const file = join(dirname(dataFolder), `.s.PGSQL.${server.port}.lock`);
        await writeFile(file, `${other.pid}\n`);
        setTimeout(() => void rm(file, { force: true }), 1_000);
      },
    });
    await restarted;
    expect((await query(server.url, 'SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    expect(await server.log()).toMatch(/lock file ".*" already exists/);
  });

  test('starts again after a kill though another process has its number', async () => {
    await using server = await startPostgres();
    await using other = await startPostgres();
    const { pid } = server;
    await server.kill();
    const restarted = server.restart({
      async meanwhile(dataFolder) {
        // As if the other one had got the number.
        const file = join(dataFolder, 'postmaster.pid');
        const left = await readFile(file, 'utf8').catch(() => '');
        if (left !== '') await writeFile(file, left.replace(`${pid}`, `${other.pid}`));
      },
    });
    await restarted;
    expect((await query(server.url, 'SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  });

  test('says so when it does not start again, in the words of its latest start', async () => {
    await using server = await startPostgres();
    const meanwhile = (dataFolder: string): Promise<void> => rm(join(dataFolder, 'global'), { recursive: true });
    const failure = await server.restart({ meanwhile }).catch((error: unknown) => error);
    expect(String(failure)).toMatch(/on \S+:\d+ exited with code [1-9]/);
    expect(String(failure).match(/starting PostgreSQL/g)?.length ?? 0).toBeLessThanOrEqual(1);
    expect(String(failure)).toContain('global/pg_control');
    expect(await server.log()).toContain('database system is ready to accept connections');
  });
});

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
