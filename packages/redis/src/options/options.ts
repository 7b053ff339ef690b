import { duration, integer, matching, misconfigured, oneOf, readOptions } from '@locks/core/adapter';
import type { Duration, OptionReaders, OptionSource } from '@locks/core/adapter';
import type { RedisClient, RedisClusterClient } from '../wire/client.ts';
import { isCluster } from '../wire/servers.ts';
import type { AnyRedisClient } from '../wire/servers.ts';

/** Libraries with a known format of values. */
export type ForeignLibrary = 'redlock' | 'redis-semaphore';

const hex = (count: number): string => '[0-9a-f]'.repeat(count);

/** The patterns of Lua that their values match. */
const foreignOwners: Readonly<Record<ForeignLibrary, string>> = {
  redlock: `^${hex(32)}$`,
  'redis-semaphore': `^${[8, 4, 4, 4, 12].map(hex).join('%-')}$`,
};

/** The default of option `prefix`. */
export const defaultPrefix = 'locks:';

/** Options of the Redis provider. */
export interface RedisOptions {
  /**
   * Prepended to every key, after the client's own `keyPrefix`. No braces, so that all keys of a
   * lock are in one Cluster slot. @default 'locks:'
   */
  readonly prefix?: string | undefined;
  /** Each call settles within this time. @default 5_000 ms */
  readonly timeout?: Duration | undefined;
  /**
   * How long a position in the queue lasts without a repeat; waiters repeat after a third of it.
   * @default 6_000 ms
   */
  readonly waiterTtl?: Duration | undefined;
  /**
   * How long an idle key's token counter is kept; at least two ttls.
   * @default 3_600_000 ms (an hour)
   */
  readonly tokenRetention?: Duration | undefined;
  /**
   * For this many ms after the server was restarted, emptied, or promoted from a replica, it grants
   * nothing. Set it to the longest ttl of all services, and to the same value in each. A claim with
   * a longer ttl rejects with `LOCK_INVALID`. @default none: such a server grants immediately
   */
  readonly restartGuard?: Duration | undefined;
  /**
   * Grants and renewals are answered once this many replicas have them. Renewals, and one after
   * each grant, use a separate connection to each master. With fewer replicas the call rejects with
   * `LOCK_UNAVAILABLE` after a quarter of `timeout`.
   * @default none: a failover can lose the latest grants
   */
  readonly minReplicas?: number | undefined;
  /**
   * Another library that takes locks under the same prefix: values in its format are shown, listed
   * and ended like holds. A key with any other value is busy, and not shown.
   * @default none
   */
  readonly comingFrom?: ForeignLibrary | undefined;
}

/** How the options are checked. */
export const redisReaders: OptionReaders<RedisOptions> = {
  prefix: matching(/^[^\0{}\s]{0,200}$/, 'at most 200 characters without spaces and braces'),
  timeout: duration(10, 600_000),
  waiterTtl: duration(30, 86_400_000),
  tokenRetention: duration(1_000, 31_536_000_000),
  restartGuard: duration(50, 604_800_000),
  minReplicas: integer(1, 100),
  comingFrom: oneOf('redlock', 'redis-semaphore'),
};

/** Where the options of this package come from, for messages. */
export const redisSource: OptionSource = { where: '@locks/redis', code: 'LOCK_MISCONFIGURED', text: true };

/** The options with their defaults. */
export interface ReadRedisOptions {
  readonly prefix: string;
  /** The prefix of wake channels: under the key prefix, so that an ACL covers them. */
  readonly channelPrefix: string;
  readonly timeout: number;
  readonly waiterTtl: number;
  readonly tokenRetention: number;
  readonly restartGuard: number | undefined;
  readonly minReplicas: number | undefined;
  /** A pattern of Lua, or `''`: see `lua/ours.lua`. */
  readonly foreign: string;
  /** Keys must be named in Redis as other libraries name them. */
  readonly besideOthers: boolean;
}

/** @throws `LOCK_MISCONFIGURED` for a client that the scripts cannot use. */
export function checkClient(client: AnyRedisClient): void {
  const { evalsha, duplicate, nodes, status } = (client ?? {}) as Partial<RedisClient & RedisClusterClient>;
  const copies = typeof duplicate === 'function' || typeof nodes === 'function';
  const fits = typeof evalsha === 'function' && copies && typeof status === 'string';
  // Version 5 has removed this option.
  if (fits && 'dropBufferSupport' in (client.options ?? {})) {
    throw misconfigured(
      redisSource.where,
      'it takes ioredis 5 or 6, and this client is of version 4. Upgrade "ioredis"',
    );
  }
  if (fits) return;
  const needed =
    'it needs a client of ioredis or iovalkey, as createRedisProvider(new Redis(url)), or a connected one of node-redis';
  throw misconfigured(redisSource.where, `${needed}, ${notA(client)}`);
}

/** Describes what was passed instead of a client. */
function notA(given: unknown): string {
  if (given === null || typeof given !== 'object') return `not ${given === null ? 'null' : `a ${typeof given}`}`;
  const { exec, then, constructor } = given as Readonly<Record<string, unknown>>;
  if (typeof exec === 'function') return 'not a transaction (multi()) or a pipeline of one';
  if (typeof then === 'function') return 'not a promise of one: await it first';
  return `not an object of class ${typeof constructor === 'function' ? constructor.name : 'none'}`;
}

/** @throws `LOCK_MISCONFIGURED` for a Cluster; `what` begins the reason. */
export function refuseCluster(clustered: boolean, what: string): void {
  if (!clustered) return;
  throw misconfigured(
    redisSource.where,
    `${what} one server or Sentinels, not for a Cluster, where its marker and a key are in different slots`,
  );
}

/** @throws `LOCK_MISCONFIGURED` for an option that a Cluster cannot have. */
export function checkKind(clustered: boolean, { restartGuard }: RedisOptions): void {
  if (restartGuard !== undefined) refuseCluster(clustered, 'option "restartGuard" is for');
}

/**
 * Checks `client` and `options`.
 * @throws `LOCK_MISCONFIGURED` with the option, its value and what it must be.
 */
export function readRedisOptions(client: AnyRedisClient, options: RedisOptions): ReadRedisOptions {
  const read = readOptions(redisReaders, options, redisSource);
  checkKind(isCluster(client), read);
  const prefix = read.prefix ?? defaultPrefix;
  return {
    prefix,
    channelPrefix: `${client.options?.keyPrefix ?? ''}${prefix}wake:`,
    timeout: read.timeout ?? 5_000,
    waiterTtl: read.waiterTtl ?? 6_000,
    tokenRetention: read.tokenRetention ?? 3_600_000,
    restartGuard: read.restartGuard,
    minReplicas: read.minReplicas,
    foreign: read.comingFrom === undefined ? '' : foreignOwners[read.comingFrom],
    besideOthers: read.comingFrom !== undefined || prefix === '',
  };
}
