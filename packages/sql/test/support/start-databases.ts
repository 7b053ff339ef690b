import { startMariadb, startPostgres } from '@locks/test-servers';
import type { ServerHandle } from '@locks/test-servers';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string;
    mariadbUrl: string;
  }
}

/**
 * A Postgres and a MariaDB for the files of test/databases, which break none; each test has a
 * database of its own on them. They do not wait for the disk: a database is made and dropped for
 * each test.
 */
let servers: readonly ServerHandle[] = [];

export async function setup(project: TestProject): Promise<void> {
  const { LOCKS_TEST_POSTGRES_URL, LOCKS_TEST_MARIADB_URL } = process.env;
  const [postgres, mariadb] = await Promise.all([
    startPostgres(LOCKS_TEST_POSTGRES_URL ? {} : { args: ['-c', 'fsync=off'] }),
    startMariadb(LOCKS_TEST_MARIADB_URL ? {} : { args: ['--innodb-flush-log-at-trx-commit=2'] }),
  ]);
  servers = [postgres, mariadb];
  project.provide('postgresUrl', postgres.url);
  project.provide('mariadbUrl', mariadb.url);
}

export async function teardown(): Promise<void> {
  await Promise.all(servers.map((server) => server.stop()));
}
