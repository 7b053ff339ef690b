import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServerDefinition, LocalServer } from '../server/definition.ts';
import type { ServerHandle } from '../server/handle.ts';
import { makePassword } from '../server/password.ts';
import { startServer } from '../start/start-server.ts';

/** Options of `startPostgres`. */
export interface PostgresServerOptions {
  /**
   * Further arguments of `postgres`, such as `['-c', 'max_connections=200']`.
   * @default []
   */
  readonly args?: readonly string[];
}

const user = 'locks';
const database = 'locks';
/** The system keeps what the server wrote, even if it is killed. */
const withoutDisk = ['-c', 'fsync=off'];

/**
 * Starts a separate Postgres, as chosen by the environment (see the README). It has a database, and
 * a superuser with a random password, which is part of the handle's `url`. Resolves when it
 * executes queries; rejects with the end of its output if it does not within 60 s. Rejects if
 * `LOCKS_TEST_POSTGRES_URL` names an external server and options are set, which it cannot have.
 */
export function startPostgres(options: PostgresServerOptions = {}): Promise<ServerHandle> {
  const { args = [] } = options;
  const password = makePassword();
  const definition: ServerDefinition = {
    name: 'postgres',
    image: 'postgres:18-alpine',
    containerPort: 5432,
    containerCommand: ['postgres', ...withoutDisk, ...args],
    // The encoding of the database is that of the locale.
    containerEnvironment: {
      POSTGRES_USER: user,
      POSTGRES_PASSWORD: password,
      POSTGRES_DB: database,
      LANG: 'C.UTF-8',
    },
    program: {
      binary: 'postgres',
      versions: { folder: '/usr/lib/postgresql', rest: 'bin' },
      debianPackage: 'postgresql',
      macos: 'brew install postgresql@18',
    },
    account: 'postgres',
    async fill({ folder, dataFolder }, run) {
      const passwordFile = join(folder, 'password');
      await writeFile(passwordFile, makePassword());
      const settings = ['--encoding=UTF8', '--locale=C', '--no-sync'];
      const login = ['--auth=scram-sha-256', `--username=${user}`, `--pwfile=${passwordFile}`];
      await run('initdb', ['--pgdata', dataFolder, ...settings, ...login]);
      await run('postgres', ['--single', '-D', dataFolder, 'template1'], `CREATE DATABASE ${database};\n`);
    },
    prepare: ({ dataFolder }, run) =>
      run('postgres', ['--single', '-D', dataFolder, database], `ALTER ROLE ${user} PASSWORD '${password}';\n`),
    localArguments({ folder, dataFolder }, port) {
      const settings = {
        listen_addresses: '127.0.0.1',
        port: `${port}`,
        unix_socket_directories: folder,
        // Files of the data folder; POSIX shared memory would outlive a SIGKILL.
        dynamic_shared_memory_type: 'mmap',
      };
      return [
        '-D',
        dataFolder,
        ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
        ...withoutDisk,
        ...args,
      ];
    },
    readyTimeout: 60_000,
    // SIGTERM would wait until all clients have gone.
    stopSignal: 'SIGINT',
    // The System V shared memory by which a second server of the folder finds the first one: line 7
    // has its key and its id. And the files that name the process: a later process of another
    // server may get its id, and the server would not start again.
    cleanUp: `sed -n 7p data/postmaster.pid | { read -r key id && ipcrm -m "$id"; }
      rm -f data/postmaster.pid .s.PGSQL.*`,
    portTaken: /Address already in use/,
    // A process of the server that is ending, or one of another server with the same id.
    othersThere: /pre-existing shared memory block|lock file ".*" already exists/,
    url: (host, port) => `postgres://${user}:${encodeURIComponent(password)}@${host}:${port}/${database}`,
    probe: probePostgres,
    secret: password,
  };
  return startServer(definition, Object.keys(options));
}

/**
 * Resolves when the Postgres at `url`, and with `local` the one with its data folder, executes a
 * query; otherwise rejects, within about 1 s.
 */
async function probePostgres(url: URL, local?: LocalServer): Promise<void> {
  // Loaded on first use: most tests that load this package start another server, or none.
  const { Client } = await import('pg');
  const client = new Client({ connectionString: url.href, connectionTimeoutMillis: 1_000, query_timeout: 1_000 });
  // After the first failure another may follow, which is not awaited.
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ folder: string }>(
      local === undefined ? 'SELECT 1' : "SELECT current_setting('data_directory') AS folder",
    );
    if (local !== undefined && rows[0]?.folder !== local.dataFolder) {
      throw new Error(`the server of ${rows[0]?.folder} answers there, instead of that of ${local.dataFolder}`);
    }
  } finally {
    await client.end().catch(() => {});
  }
}
