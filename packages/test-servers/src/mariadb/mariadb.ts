import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServerDefinition, LocalServer } from '../server/definition.ts';
import type { ServerHandle } from '../server/handle.ts';
import { makePassword } from '../server/password.ts';
import { startServer } from '../start/start-server.ts';
import type { RowDataPacket } from 'mysql2/promise';

/** Options of `startMariadb`. */
export interface MariadbServerOptions {
  /**
   * Further arguments of `mariadbd`, such as `['--max-connections=300']`.
   * @default []
   */
  readonly args?: readonly string[];
}

const user = 'locks';
const database = 'locks';
/** Small files are created quickly. */
const logSize = '--innodb-log-file-size=16M';
/** The system keeps what the server wrote, even if it is killed. */
const withoutDisk = '--innodb-flush-log-at-trx-commit=2';

/**
 * Starts a separate MariaDB, as chosen by the environment (see the README). It has a database, and
 * a user with all rights and a random password, which is part of the handle's `url`. Resolves when
 * it executes queries. Rejects with the end of its output if it does not within 60 s. Rejects if
 * `LOCKS_TEST_MARIADB_URL` names an external server and options are set, which it cannot have.
 */
export function startMariadb(options: MariadbServerOptions = {}): Promise<ServerHandle> {
  const { args = [] } = options;
  const password = makePassword();
  const account = `${user}@'%'`;
  const statements = [
    `CREATE DATABASE IF NOT EXISTS ${database};`,
    `CREATE USER IF NOT EXISTS ${account} IDENTIFIED BY '${password}';`,
    `GRANT ALL ON *.* TO ${account} WITH GRANT OPTION;`,
  ].join('\n');
  const definition: ServerDefinition = {
    name: 'mariadb',
    image: 'mariadb:12',
    containerPort: 3306,
    containerCommand: ['mariadbd', withoutDisk, ...args],
    containerEnvironment: { MARIADB_ROOT_PASSWORD: password },
    // The image's own user (MARIADB_USER) may use only one database.
    containerSetup: ['mariadb', '--user=root', `--password=${password}`, `--execute=${statements}`],
    program: { binary: 'mariadbd', debianPackage: 'mariadb-server', macos: 'brew install mariadb' },
    account: 'mysql',
    fill: ({ folder, dataFolder }, run) =>
      run('mariadb-install-db', [
        '--no-defaults',
        `--datadir=${dataFolder}`,
        // Two servers in the same one remove each other's tables.
        `--tmpdir=${folder}`,
        '--auth-root-authentication-method=socket',
        '--skip-test-db',
        logSize,
      ]),
    prepare: ({ folder }) => writeFile(initFile(folder), `${statements}\n`),
    localArguments: ({ folder, dataFolder }, port) => [
      '--no-defaults',
      `--datadir=${dataFolder}`,
      `--tmpdir=${folder}`,
      `--port=${port}`,
      '--bind-address=127.0.0.1',
      `--socket=${join(folder, 'socket')}`,
      `--pid-file=${join(folder, 'pid')}`,
      `--init-file=${initFile(folder)}`,
      // Without looking up 127.0.0.1.
      '--skip-name-resolve',
      logSize,
      withoutDisk,
      ...args,
    ],
    readyTimeout: 60_000,
    portTaken: /Address already in use/,
    url: (host, port) => `mysql://${user}:${encodeURIComponent(password)}@${host}:${port}/${database}`,
    probe: probeMariadb,
    secret: password,
  };
  return startServer(definition, Object.keys(options));
}

function initFile(folder: string): string {
  return join(folder, 'init.sql');
}

/**
 * Resolves when the MariaDB at `url`, and with `local` the one with its data folder, executes a
 * query; otherwise rejects, within about 1 s.
 */
async function probeMariadb(url: URL, local?: LocalServer): Promise<void> {
  // Loaded on first use: most tests that load this package start another server, or none.
  const { createConnection } = await import('mysql2/promise');
  const connection = await createConnection({ uri: url.href, connectTimeout: 1_000 });
  // After the first failure another may follow, which is not awaited.
  connection.on('error', () => {});
  try {
    const [rows] = await connection.query<RowDataPacket[]>({ sql: 'SELECT @@datadir AS folder', timeout: 1_000 });
    const folder = String(rows[0]?.['folder']).replace(/\/$/, '');
    if (local !== undefined && folder !== local.dataFolder) {
      throw new Error(`the server of ${folder} answers there, instead of that of ${local.dataFolder}`);
    }
  } finally {
    connection.destroy();
  }
}
