import type { ConnectionOptions, PoolConfig } from '../../dialect/pools/pool-config.ts';
import { withDriver } from '../../dialect/pools/pool-config.ts';
import { Sockets, keepAliveDelay } from '../../dialect/pools/server-pool.ts';
import { readServerUrl } from '../../dialect/pools/server-url.ts';

/** A pool of clients of `pg`. */
export function poolConfig(url: string, options: ConnectionOptions): PoolConfig {
  const address = readServerUrl(url, 'postgres', 5432);
  const { timeout, connectTimeout, applicationName, sessions, tls } = options;
  const sockets = new Sockets(address);
  const limits = {
    statement_timeout: timeout,
    lock_timeout: timeout,
    idle_in_transaction_session_timeout: timeout,
    options: '-c default_transaction_isolation=read\\ committed',
  };
  return {
    client: withDriver,
    max: options.pool ?? 10,
    connection: {
      host: address.host,
      port: address.port,
      user: options.user ?? address.user,
      password: options.password ?? address.password,
      database: address.database,
      ssl: tls ?? false,
      application_name: applicationName,
      connectionTimeoutMillis: connectTimeout,
      stream: () => sockets.create(),
      keepAlive: true,
      keepAliveInitialDelayMillis: keepAliveDelay,
      // A pooler refuses what it cannot set on the connections that it lends.
      ...(sessions ? limits : {}),
    },
    destroy: () => sockets.destroy(),
  };
}
