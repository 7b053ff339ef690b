import { LockError, createDeadline, duration, integer, matching, readOptions } from '@locks/core/adapter';
import type { AdapterConfig, OptionReader, OptionReaders } from '@locks/core/adapter';
import type { LockProvider } from '@locks/core';
import type { RedisClient } from './client.ts';
import { readRedisOptions, redisReaders, redisSource } from './options.ts';
import type { RedisOptions } from './options.ts';
import { RedisProvider } from './provider.ts';
import { toLockError } from './replies.ts';

/** Options of `openLocks` for Redis: those of the provider and those of its connection. */
export interface RedisConfigOptions extends RedisOptions {
  /** ACL user; stronger than the URL's. */
  readonly username?: string | undefined;
  /** Stronger than the URL's, so that it need not stand in one. */
  readonly password?: string | undefined;
  /** Database; stronger than the URL's path. @default 0 */
  readonly db?: number | undefined;
  /** Options of `tls.connect` (`ca`, `cert`, `key`, `servername`, …); `rediss:` alone is TLS with Node's defaults. */
  readonly tls?: object | undefined;
  /** Within how many ms `openLocks` must have connected. @default 5_000 */
  readonly connectTimeout?: number | undefined;
  /** The connection's name in CLIENT LIST. */
  readonly connectionName?: string | undefined;
}

const anyString: OptionReader<string> = matching(/^[^]*$/, 'a string');

const readers: OptionReaders<RedisConfigOptions> = {
  ...redisReaders,
  username: anyString,
  password: { ...anyString, secret: true },
  db: integer(0, 2 ** 31 - 1),
  tls: {
    expects: 'an object of TLS options',
    accepts: (value): value is object => typeof value === 'object' && value !== null,
    parse: () => undefined,
  },
  connectTimeout: duration(10, 600_000),
  connectionName: matching(/^[!-~]{1,200}$/, '1 to 200 printable ASCII characters without spaces'),
};

/** A client of this package's own: `connect`, `disconnect` and events on top of what the provider uses. */
interface OwnClient extends RedisClient {
  connect(): Promise<unknown>;
  select(db: number): Promise<unknown>;
  disconnect(): void;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

type ClientClass = new (options: object) => OwnClient;

/**
 * The provider as `openLocks('redis://…')` makes it, with a client of its own.
 * @throws `LOCK_MISCONFIGURED` for a wrong option, missing `ioredis` or refused credentials; `LOCK_UNAVAILABLE` when Redis does
 * not answer within `connectTimeout`.
 */
export async function fromConfig(config: AdapterConfig): Promise<LockProvider> {
  const {
    username,
    password,
    db,
    tls,
    connectTimeout = 5_000,
    connectionName,
    ...own
  } = readOptions<RedisConfigOptions>(readers, config.options, redisSource);
  const { secure, ...place } = readUrl(config.url);
  const Client = await importClient();
  const timeout = own.timeout ?? 5_000;
  const client = new Client({
    ...place,
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(db === undefined ? {} : { db }),
    ...(tls !== undefined || secure ? { tls: tls ?? {} } : {}),
    ...(connectionName === undefined ? {} : { connectionName }),
    connectTimeout,
    // Core repeats what was not answered. A client that does it too would send a claim after it was given up.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    // A connection that has silently died is replaced, not waited for.
    socketTimeout: timeout,
    retryStrategy: (attempt: number) => Math.min(attempt * 50, 1_000),
    // A server that has just started guesses how long it will load, up to far too long, and the client sleeps as long as it says.
    maxLoadingRetryTime: 200,
    lazyConnect: true,
  });
  await connect(client, config, connectTimeout, db ?? place.db);
  return new RedisProvider(client, readRedisOptions(client, own), config.runtime, () => client.disconnect());
}

async function connect(
  client: OwnClient,
  { runtime }: AdapterConfig,
  limit: number,
  db: number | undefined,
): Promise<void> {
  let last: unknown;
  client.on('error', (error) => (last = error));
  const deadline = createDeadline(runtime, limit, 'Redis');
  try {
    await deadline.race(client.connect(), 'the connection');
    // The client goes on in database 0 when it cannot select: a lock there would exclude nobody.
    if (db !== undefined) await deadline.race(client.select(db), 'SELECT');
  } catch (error) {
    client.disconnect();
    const text = error instanceof Error ? error.message : '';
    if (/DB index|SELECT is not allowed/.test(text))
      throw misconfigured(`option "db" is ${db}, and Redis answers: ${text}`);
    throw toLockError(last ?? error, { what: 'the connection' });
  } finally {
    deadline.stop();
  }
}

interface Place {
  readonly secure: boolean;
  readonly host: string;
  readonly port: number;
  readonly username?: string;
  readonly password?: string;
  readonly db?: number;
}

function readUrl(text: string | undefined): Place {
  if (text === undefined) return { secure: false, host: '127.0.0.1', port: 6379 };
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw misconfigured(
      'its URL cannot be read; write redis://user:password@host:6379/0, with special characters of the password percent-encoded',
    );
  }
  if (url.protocol !== 'redis:' && url.protocol !== 'rediss:') {
    throw misconfigured(`its URL must start with redis:// or rediss://, not ${url.protocol}`);
  }
  const path = url.pathname.replace(/^\//, '');
  if (!/^\d*$/.test(path)) throw misconfigured(`the path of its URL is the number of the database, not "${path}"`);
  return {
    secure: url.protocol === 'rediss:',
    host: url.hostname.replace(/^\[(.*)\]$/, '$1') || '127.0.0.1',
    port: url.port === '' ? 6379 : Number(url.port),
    ...(url.username === '' ? {} : { username: decodeURIComponent(url.username) }),
    ...(url.password === '' ? {} : { password: decodeURIComponent(url.password) }),
    ...(path === '' ? {} : { db: Number(path) }),
  };
}

async function importClient(): Promise<ClientClass> {
  try {
    const { Redis } = await import('ioredis');
    return Redis;
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new LockError(
      'LOCK_MISCONFIGURED',
      '@locks/redis needs ioredis 5 or 6, which is not installed. Run: npm install ioredis',
    );
  }
}

function misconfigured(why: string): LockError {
  return new LockError('LOCK_MISCONFIGURED', `@locks/redis: ${why}.`);
}
