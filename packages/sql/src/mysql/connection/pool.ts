import { misconfigured } from '@locks/core/adapter';
import type { TableNames } from '../../dialect/names.ts';
import type { ConnectionOptions, PoolConfig } from '../../dialect/pools/pool-config.ts';
import { withDriver } from '../../dialect/pools/pool-config.ts';
import { Sockets } from '../../dialect/pools/server-pool.ts';
import { readServerUrl } from '../../dialect/pools/server-url.ts';

/**
 * A pool of connections of `mysql2`.
 * @throws `LOCK_MISCONFIGURED` when neither URL nor option names a database: without one no table
 * is found.
 */
export function poolConfig(url: string, options: ConnectionOptions, { schema }: TableNames): PoolConfig {
  const address = readServerUrl(url, 'mysql', 3306);
  const { host, port, database } = address;
  if (database === undefined && schema === undefined) {
    throw misconfigured(
      '@locks/sql',
      'its URL names no database; write mysql://user:password@host/database, or set option "schema"',
    );
  }
  const { timeout, connectTimeout, tls } = options;
  const sockets = new Sockets(address);
  const seconds = Math.max(1, Math.ceil(timeout / 1_000));
  const settings = [
    'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED',
    `SET SESSION autocommit = 1, SESSION innodb_lock_wait_timeout = ${seconds}`,
  ];
  return {
    client: withDriver,
    max: options.pool ?? 10,
    connection: {
      host,
      port,
      user: options.user ?? address.user,
      password: options.password ?? address.password,
      database,
      ...(tls === undefined ? {} : { ssl: tls }),
      connectTimeout,
      // Unlike pg, mysql2 expects a socket that connects already.
      stream: () =>
        sockets.path === undefined ? sockets.create().connect(port, host) : sockets.create().connect(sockets.path),
      // It would note a stack for each statement.
      trace: false,
    },
    afterCreate(connection: { query(sql: string, done: (error: unknown) => void): void }, done) {
      const next = (index: number): void => {
        const setting = settings[index];
        if (setting === undefined) return done(null);
        connection.query(setting, (error) => (error ? done(error) : next(index + 1)));
      };
      next(0);
    },
    destroy: () => sockets.destroy(),
  };
}
