import type { Socket } from 'node:net';
import { misconfigured } from '@locks/core/adapter';
import { mysql2Client } from './mysql2.ts';
import type { CorePool } from './mysql2.ts';
import { guardConnection } from './guard-connection.ts';
import { askCredentials, askingEach, change } from '../../dialect/pools/credentials.ts';
import type { Credentials } from '../../dialect/pools/credentials.ts';
import { numberOf } from '../connection/errors.ts';
import { importDriver } from '../../dialect/pools/import-driver.ts';
import type { OwnPool, OwnPoolParts } from '../../dialect/pools/own-pool.ts';
import { Sockets } from '../../dialect/pools/server-pool.ts';
import { readServerUrl } from '../../dialect/pools/server-url.ts';

interface Lent {
  readonly stream: Socket;
}

/**
 * A pool of `mysql2`.
 * @throws `LOCK_MISCONFIGURED` for a URL without a database, if no schema is set.
 */
export async function openPool({ url, options, names, runtime }: OwnPoolParts): Promise<OwnPool> {
  const address = readServerUrl(url, 'mysql', 3306, options.host);
  const { host, port, database } = address;
  if (database === undefined && names.schema === undefined) {
    throw misconfigured(
      '@locks/sql',
      'its URL names no database; write mysql://user:password@host/database, or set option "schema"',
    );
  }
  const { timeout, connectTimeout, applicationName } = options;
  const ask = (): Promise<Credentials> => askCredentials(options, address, runtime);
  const shown = change(options) ? undefined : await ask();
  const { createPool } = await importDriver('mysql2', () => import('mysql2'));
  const sockets = new Sockets(address);
  const seconds = Math.max(1, Math.ceil(timeout / 1_000));
  // One statement, as each is a round trip. The first comment is for MySQL, the second for MariaDB.
  const isolation = "/*!80000 transaction_isolation *//*M!100600 tx_isolation */ = 'READ-COMMITTED'";
  const settings = `SET SESSION ${isolation}, SESSION autocommit = 1, SESSION innodb_lock_wait_timeout = ${seconds}`;
  const pool = createPool({
    connectionLimit: options.pool ?? 10,
    host,
    port,
    user: shown?.user,
    password: shown?.password,
    database,
    ...(shown?.tls === undefined ? {} : { ssl: checkedTls(shown.tls) }),
    connectTimeout,
    connectAttributes: { program_name: applicationName },
    // Unlike pg, mysql2 expects a socket that is already connecting.
    stream() {
      const socket = sockets.create();
      queueMicrotask(guardAll);
      if (sockets.path !== undefined) return socket.connect(sockets.path);
      // Node checks a certificate against this, and sets it only for names. For an address it would
      // take "localhost".
      return Object.assign(socket.connect(port, host), { _host: host });
    },
    // It would capture a stack for each statement.
    trace: false,
  } as object);
  const inner = pool as unknown as CorePool;
  const guardAll = (): void => {
    const { _allConnections: all } = inner;
    for (let index = 0; index < all.length; index += 1) guardConnection(all.get(index));
  };
  pool.on('connection', (connection) => {
    connection.query(settings, (error) => {
      if (error) connection.destroy();
    });
  });
  // Idle connections of an open provider must not keep the process running.
  pool.on('acquire', ({ stream }: Lent) => stream.ref());
  pool.on('release', ({ stream }: Lent) => stream.unref());
  const client = mysql2Client(pool);
  const asking = askingEach(client, {
    ask,
    show: ({ user, password, tls }) =>
      Object.assign(inner.config.connectionConfig, { user, password, ssl: tls && checkedTls(tls) }),
    mayOpen: () => inner._freeConnections.length === 0 && inner._allConnections.length < client.max,
    isRefused: (error) => numberOf(error) === 1045,
  });
  return {
    client: shown === undefined ? asking : client,
    async end() {
      await new Promise<void>((resolve, reject) => pool.end((error) => (error ? reject(error) : resolve())));
      // The session that waits for wakes closes after the one that keeps its lock has ended.
      await sockets.closed();
    },
    destroy: () => sockets.destroy(),
  };
}

/** mysql2 accepts a certificate of any host, unless configured to check. */
function checkedTls(tls: object): object {
  return { verifyIdentity: true, ...tls };
}
