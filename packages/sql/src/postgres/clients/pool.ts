import { pgClient } from './pg.ts';
import { askCredentials, askingEach, change } from '../../dialect/pools/credentials.ts';
import type { Credentials } from '../../dialect/pools/credentials.ts';
import { stateOf } from '../connection/errors.ts';
import { guardedClient } from './guard-client.ts';
import { importDriver } from '../../dialect/pools/import-driver.ts';
import type { OwnPool, OwnPoolParts } from '../../dialect/pools/own-pool.ts';
import { Sockets, keepAliveDelay } from '../../dialect/pools/server-pool.ts';
import { readServerUrl } from '../../dialect/pools/server-url.ts';

export async function openPool({ url, options, runtime }: OwnPoolParts): Promise<OwnPool> {
  const { host, timeout, connectTimeout, applicationName, channelBinding, sessions } = options;
  const address = readServerUrl(url, 'postgres', 5432, host);
  const ask = (): Promise<Credentials> => askCredentials(options, address, runtime);
  const shown = change(options) ? undefined : await ask();
  const { Client, Pool } = await importDriver('pg', () => import('pg'));
  const sockets = new Sockets(address);
  const limits = {
    statement_timeout: timeout,
    lock_timeout: timeout,
    idle_in_transaction_session_timeout: timeout,
    options: '-c default_transaction_isolation=read\\ committed',
  };
  const pool = new Pool({
    Client: guardedClient(Client),
    max: options.pool ?? 10,
    idleTimeoutMillis: 30_000,
    // `locks doctor` sees a process by its connection.
    min: 1,
    // An open provider must not keep its process running.
    allowExitOnIdle: true,
    host: address.host,
    port: address.port,
    user: shown?.user,
    password: shown?.password,
    database: address.database,
    ssl: shown?.tls ?? false,
    application_name: applicationName,
    enableChannelBinding: channelBinding,
    connectionTimeoutMillis: connectTimeout,
    stream: () => sockets.create(),
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveDelay,
    // A pooler refuses settings that it cannot apply to its connections.
    ...(sessions ? limits : {}),
  });
  // An idle connection was closed: the next call opens another one.
  pool.on('error', () => {});
  const client = pgClient(pool);
  const asking = askingEach(client, {
    ask,
    show: ({ user, password, tls }) => Object.assign(pool.options, { user, password, ssl: tls ?? false }),
    mayOpen: () => pool.idleCount === 0 && pool.totalCount < client.max,
    isRefused: (error) => stateOf(error)?.startsWith('28') === true,
  });
  return {
    client: shown === undefined ? asking : client,
    end: () => pool.end().then(() => sockets.closed()),
    destroy: () => sockets.destroy(),
  };
}
