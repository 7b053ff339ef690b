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
 * A Postgres and a MariaDB for the files of test/databases, which break none. Each test has a
 * database of its own on them.
 */
let servers: readonly ServerHandle[] = [];

export async function setup(project: TestProject): Promise<void> {
  const [postgres, mariadb] = await Promise.all([startPostgres(), startMariadb()]);
  servers = [postgres, mariadb];
  project.provide('postgresUrl', postgres.url);
  project.provide('mariadbUrl', mariadb.url);
}

export async function teardown(): Promise<void> {
  await Promise.all(servers.map((server) => server.stop()));
}
