import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServerDefinition } from './definition.ts';
import type { ServerHandle } from './handle.ts';
import { probeMariadb } from './mariadb-probe.ts';
import { makePassword } from './password.ts';
import { startServer } from './start-server.ts';

/** Options of `startMariadb`. */
export interface MariadbServerOptions {
  /**
   * Further arguments of `mariadbd`, such as `['--max-connections=300']`.
   * @default []
   */
  readonly args?: readonly string[];
}

const database = 'locks';
/** Small files are made quickly. */
const logSize = '--innodb-log-file-size=16M';

/**
 * Starts a MariaDB of its own for the caller, in the way that the environment chooses (see the README), with a database and the user
 * `root`, whose made-up password is part of the handle's `url`. Resolves when it executes queries; rejects with the end of its output
 * when it does not within 60 s. Rejects when `LOCKS_TEST_MARIADB_URL` names an external server and options are given, for it cannot be
 * given any.
 */
export function startMariadb(options: MariadbServerOptions = {}): Promise<ServerHandle> {
  const { args = [] } = options;
  const password = makePassword();
  const definition: ServerDefinition = {
    name: 'mariadb',
    image: 'mariadb:12',
    containerPort: 3306,
    containerCommand: ['mariadbd', ...args],
    containerEnvironment: { MARIADB_ROOT_PASSWORD: password, MARIADB_DATABASE: database },
    program: { binary: 'mariadbd', debianPackage: 'mariadb-server', macos: 'brew install mariadb' },
    account: 'mysql',
    async prepare({ folder, dataFolder }, run) {
      await run('mariadb-install-db', [
        '--no-defaults',
        `--datadir=${dataFolder}`,
        '--auth-root-authentication-method=socket',
        '--skip-test-db',
        logSize,
      ]);
      const statements = [
        `CREATE DATABASE IF NOT EXISTS ${database};`,
        `CREATE USER IF NOT EXISTS root@'%' IDENTIFIED BY '${password}';`,
        `GRANT ALL ON *.* TO root@'%' WITH GRANT OPTION;`,
      ];
      await writeFile(initFile(folder), `${statements.join('\n')}\n`);
    },
    localArguments: ({ port, folder, dataFolder }) => [
      '--no-defaults',
      `--datadir=${dataFolder}`,
      `--tmpdir=${dataFolder}`,
      `--port=${port}`,
      '--bind-address=127.0.0.1',
      `--socket=${join(folder, 'socket')}`,
      `--pid-file=${join(folder, 'pid')}`,
      `--init-file=${initFile(folder)}`,
      // Who comes from 127.0.0.1 would be root@localhost.
      '--skip-name-resolve',
      logSize,
      ...args,
    ],
    readyTimeout: 60_000,
    portTaken: /Address already in use/,
    url: (host, port) => `mysql://root:${encodeURIComponent(password)}@${host}:${port}/${database}`,
    probe: probeMariadb,
    secret: password,
  };
  return startServer(definition, Object.keys(options));
}

function initFile(folder: string): string {
  return join(folder, 'init.sql');
}
