import {
  anyText,
  duration,
  integer,
  matching,
  misconfigured,
  readOptions,
  secretText,
  tlsOptions,
} from '@locks/core/adapter';
import type { AdapterConfig, Duration, OptionReaders } from '@locks/core/adapter';
import type { LockProvider } from '@locks/core';
import { readRedisOptions, redisReaders, redisSource } from './options.ts';
import type { RedisOptions } from './options.ts';
import { connectClient, importClient } from './own-client.ts';
import { RedisProvider } from './provider.ts';
import { readRedisUrl } from './redis-url.ts';

/** Options of `openLocks` for Redis: those of the provider and those of its connection. */
export interface RedisConfigOptions extends RedisOptions {
  /** ACL user; stronger than the URL's. */
  readonly username?: string | undefined;
  /** Stronger than the URL's, so that it need not stand in one. */
  readonly password?: string | undefined;
  /** Database; stronger than the URL's path. @default 0 */
  readonly db?: number | undefined;
  /**
   * TLS: `true` checks the server's certificate by Node's defaults; an object has options of
   * `tls.connect` (`ca`, `cert`, `key`, `servername`, …).
   * @default true for `rediss:`, else false
   */
  readonly tls?: boolean | object | undefined;
  /** `openLocks` must have connected within this time. @default 5_000 */
  readonly connectTimeout?: Duration | undefined;
  /** The connection's name in CLIENT LIST. */
  readonly connectionName?: string | undefined;
}

const readers: OptionReaders<RedisConfigOptions> = {
  ...redisReaders,
  username: anyText,
  password: secretText,
  db: integer(0, 2 ** 31 - 1),
  tls: tlsOptions,
  connectTimeout: duration(10, 600_000),
  connectionName: matching(/^[!-~]{1,200}$/, '1 to 200 printable ASCII characters without spaces'),
};

/**
 * The provider as `openLocks('redis://…')` makes it, with a client of its own.
 * @throws `LOCK_MISCONFIGURED` for a wrong option, missing `ioredis`, refused credentials or TLS
 * that the two sides do not agree on; `LOCK_UNAVAILABLE` when Redis does not answer within
 * `connectTimeout`.
 */
export async function fromConfig({ url, options, runtime }: AdapterConfig): Promise<LockProvider> {
  const read = readOptions<RedisConfigOptions>(readers, options, redisSource);
  const { username, password, db, tls, connectTimeout = 5_000, connectionName, ...own } = read;
  const place = readRedisUrl(url);
  if (place.secure && tls === false) {
    throw misconfigured(redisSource.where, 'option "tls" is false, and rediss: is TLS; write redis: or leave it out');
  }
  const { host, port } = place;
  const wanted = tls ?? place.secure;
  const server = { host, port, tls: wanted === true ? {} : wanted || undefined, db: db ?? place.db };
  const Client = await importClient();
  const timeout = own.timeout ?? 5_000;
  const client = new Client({
    ...given(server),
    ...given({ username: username ?? place.username, password: password ?? place.password, connectionName }),
    connectTimeout,
    // Core repeats calls without an answer. A client that does it too would send a claim after it
    // was given up.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    // A connection that has silently died is replaced, not waited for.
    socketTimeout: timeout,
    retryStrategy: (attempt: number) => Math.min(attempt * 50, 1_000),
    // A server that has just started guesses how long it will load. The guess may be far too long,
    // and the client sleeps for that time.
    maxLoadingRetryTime: 200,
    lazyConnect: true,
  });
  await connectClient(client, server, connectTimeout, runtime);
  return new RedisProvider(client, readRedisOptions(client, own), runtime, () => client.disconnect());
}

/** Without options that are `undefined`, which the client would take for values. */
function given(options: object): object {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
