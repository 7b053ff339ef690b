import {
  anyText,
  connectionName as usualName,
  duration,
  hostList,
  integer,
  matching,
  misconfigured,
  oneOf,
  orFunction,
  readHost,
  readOptions,
  secretOf,
  tlsOptions,
} from '@locks/core/adapter';
import type {
  AdapterConfig,
  Asked,
  Duration,
  Host,
  OptionReader,
  OptionReaders,
  ReadOptions,
} from '@locks/core/adapter';
import type { LockProvider } from '@locks/core';
import { libraries } from './connect/libraries.ts';
import type { LibraryName } from './connect/libraries.ts';
import { openClient } from './connect/open-client.ts';
import type { Opened, Target } from './connect/target.ts';
import { checkKind, readRedisOptions, redisReaders, redisSource } from './options/options.ts';
import type { RedisOptions } from './options/options.ts';
import { readRedisUrl, sentinelPort, serverPort } from './options/redis-url.ts';
import type { RedisKind, RedisUrl } from './options/redis-url.ts';
import { RedisProvider } from './provider.ts';

/**
 * Options of `openLocks` for Redis: those of the provider and of its connection. A function is
 * called for each connection, and must return within `connectTimeout`.
 */
export interface RedisConfigOptions extends RedisOptions {
  /**
   * The library that opens connections, if several are installed. With Sentinels or a Cluster not
   * `redis`.
   * @default the first installed of ioredis, iovalkey and redis
   */
  readonly library?: LibraryName | undefined;
  /** ACL user; overrides the URL's. @default the URL's */
  readonly username?: Asked<string> | undefined;
  /** Overrides the URL's, so that the URL need not contain it. @default the URL's */
  readonly password?: Asked<string> | undefined;
  /** Database; overrides the URL's path. @default 0 */
  readonly db?: number | undefined;
  /**
   * `true`: TLS with Node's defaults, which check the server's certificate. An object: TLS with
   * these options of `tls.connect` (`ca`, `cert`, `key`, `servername`, …). A function: TLS with
   * what it returns (`true` or an object).
   * @default true for `rediss:`, else false
   */
  readonly tls?: Asked<boolean | object> | undefined;
  /** Time limit for `openLocks` to connect. @default 5_000 ms */
  readonly connectTimeout?: Duration | undefined;
  /**
   * The address family of host names: 4 or 6, or 0 for both, as some platforms need.
   * @default the library's: 4 in ioredis
   */
  readonly family?: 0 | 4 | 6 | undefined;
  /**
   * The name of the connections in CLIENT LIST. `locks doctor` counts those that begin with
   * `locks:`.
   * @default 'locks:host:pid'
   */
  readonly connectionName?: string | undefined;
  /**
   * The Sentinels, `'host:port'` each, in place of a URL. Needs `sentinelName`. @default none
   */
  readonly sentinels?: readonly string[] | undefined;
  /** The Sentinels' name of the master; overrides the URL's path. @default none */
  readonly sentinelName?: string | undefined;
  /** ACL user at the Sentinels. @default none */
  readonly sentinelUsername?: Asked<string> | undefined;
  /** Password at the Sentinels. @default none */
  readonly sentinelPassword?: Asked<string> | undefined;
  /** Nodes of a Cluster, `'host:port'` each, in place of a URL. @default none */
  readonly nodes?: readonly string[] | undefined;
}

const family: OptionReader<0 | 4 | 6> = {
  expects: '4, 6 or 0',
  accepts: (value): value is 0 | 4 | 6 => value === 0 || value === 4 || value === 6,
  parse: (text) => ([0, 4, 6] as const).find((one) => text === `${one}`),
};

const readers: OptionReaders<RedisConfigOptions> = {
  ...redisReaders,
  library: oneOf(...libraries),
  username: orFunction(anyText),
  password: secretOf,
  db: integer(0, 2 ** 31 - 1),
  tls: orFunction(tlsOptions),
  connectTimeout: duration(10, 600_000),
  family,
  connectionName: matching(/^[!-~]{1,200}$/, '1 to 200 printable ASCII characters without spaces'),
  sentinels: hostList(sentinelPort),
  sentinelName: matching(/^\S{1,200}$/, '1 to 200 characters without spaces'),
  sentinelUsername: orFunction(anyText),
  sentinelPassword: secretOf,
  nodes: hostList(serverPort),
};

/** A client opened from a configuration. */
export interface OpenedFromConfig extends Opened {
  readonly target: Target;
  /** Those of the provider. */
  readonly options: ReadOptions<RedisOptions>;
}

/**
 * The provider of `openLocks('redis://…')`, with a client of its own.
 * @throws `LOCK_MISCONFIGURED` for a wrong option, a library that is missing or unsuitable, refused
 * credentials, or a TLS mismatch. `LOCK_UNAVAILABLE` if Redis does not answer within
 * `connectTimeout`.
 */
export async function fromConfig(config: AdapterConfig): Promise<LockProvider> {
  const { client, close, options } = await openFromConfig(config);
  return new RedisProvider(client, readRedisOptions(client, options), config.runtime, close);
}

/** Opens the client of a configuration. Throws as `fromConfig`. */
export async function openFromConfig({ url, options, runtime }: AdapterConfig): Promise<OpenedFromConfig> {
  const read = readOptions<RedisConfigOptions>(readers, options, redisSource);
  const { library, username, password, db, tls, connectTimeout = 5_000, connectionName, ...others } = read;
  const { family: ofAddress, ...rest } = others;
  const { sentinels, sentinelName, sentinelUsername, sentinelPassword, nodes, ...own } = rest;
  const named = targetOf(url, sentinels, nodes);
  if (named.secure && tls === false) {
    throw misconfigured(redisSource.where, 'option "tls" is false, and rediss: is TLS; write redis: or leave it out');
  }
  const { kind, hosts, secure } = named;
  const name = sentinelName ?? named.name;
  checkTarget(kind, { name, sentinelName, sentinelUsername, sentinelPassword, db });
  // Before connecting: a Cluster has no `restartGuard`.
  checkKind(kind === 'cluster', own);
  const wanted = tls ?? secure;
  const target: Target = {
    kind,
    hosts,
    name,
    db: db ?? named.db,
    username: username ?? named.username,
    password: password ?? named.password,
    sentinelUsername,
    sentinelPassword,
    tls: wanted === false ? undefined : wanted,
    connectionName: connectionName ?? usualName(),
    family: ofAddress,
    connectTimeout,
    timeout: own.timeout ?? 5_000,
  };
  const { client, close } = await openClient(target, library, runtime);
  return { client, close, target, options: own };
}

function targetOf(
  url: string | undefined,
  sentinels: readonly string[] | undefined,
  nodes: readonly string[] | undefined,
): RedisUrl {
  const ways = [url, sentinels, nodes].filter((way) => way !== undefined);
  if (ways.length > 1) {
    throw misconfigured(
      redisSource.where,
      'the servers are set twice; keep only the URL, option "sentinels" or option "nodes"',
    );
  }
  if (sentinels !== undefined) return { kind: 'sentinel', secure: false, hosts: hostsIn(sentinels, sentinelPort) };
  if (nodes !== undefined) return { kind: 'cluster', secure: false, hosts: hostsIn(nodes, serverPort) };
  return readRedisUrl(url ?? 'redis://127.0.0.1');
}

function hostsIn(texts: readonly string[], defaultPort: number): readonly Host[] {
  return texts.flatMap((text) => readHost(text, defaultPort) ?? []);
}

function checkTarget(
  kind: RedisKind,
  {
    name,
    db,
    ...ofSentinels
  }: Pick<RedisConfigOptions, 'db' | 'sentinelName' | 'sentinelUsername' | 'sentinelPassword'> & {
    readonly name: string | undefined;
  },
): void {
  const [stray] = Object.entries(ofSentinels).flatMap(([option, value]) => (value === undefined ? [] : [option]));
  if (kind !== 'sentinel' && stray !== undefined) {
    throw misconfigured(
      redisSource.where,
      `option "${stray}" needs Sentinels; write redis+sentinel:// or set option "sentinels"`,
    );
  }
  if (kind === 'sentinel' && name === undefined) {
    throw misconfigured(
      redisSource.where,
      'option "sentinelName" is missing: set it to the name of the master at the Sentinels',
    );
  }
  if (kind === 'cluster' && db !== undefined && db !== 0) {
    throw misconfigured(redisSource.where, `option "db" is ${db}, and a Cluster has database 0 only`);
  }
}
