import { duration, flag, matching, misconfigured, readOptions } from '@locks/core/adapter';
import type { Duration, OptionReaders, OptionSource } from '@locks/core/adapter';
import type { RedisClient } from './client.ts';

/** Options of the Redis provider. */
export interface RedisOptions {
  /**
   * Put before every key, after the client's own `keyPrefix`. No braces, so that all keys of a lock
   * are in one Cluster slot. @default 'locks:'
   */
  readonly prefix?: string | undefined;
  /** First come, first served. `false` lets a newcomer pass those in line. @default true */
  readonly fair?: boolean | undefined;
  /** Each call settles within this time. @default 5_000 */
  readonly timeout?: Duration | undefined;
  /**
   * How long a place in line lasts without a repeat; waiters repeat at a third of it.
   * @default 6_000
   */
  readonly waiterTtl?: Duration | undefined;
  /**
   * How long an idle key's token counter is kept; two ttls at least.
   * @default 3_600_000 (an hour)
   */
  readonly tokenRetention?: Duration | undefined;
}

/** How the options are checked. */
export const redisReaders: OptionReaders<RedisOptions> = {
  prefix: matching(/^[^\0{}\s]{0,200}$/, 'at most 200 characters without spaces and braces'),
  fair: flag,
  timeout: duration(10, 600_000),
  waiterTtl: duration(30, 86_400_000),
  tokenRetention: duration(1_000, 31_536_000_000),
};

/** Where the options of this package come from, for messages. */
export const redisSource: OptionSource = { where: '@locks/redis', code: 'LOCK_MISCONFIGURED', text: true };

/** The options with their defaults. */
export interface ReadRedisOptions {
  readonly prefix: string;
  /** What wake channels start with: under the prefix, so that an ACL covers them. */
  readonly channelPrefix: string;
  readonly fair: boolean;
  readonly timeout: number;
  readonly waiterTtl: number;
  readonly tokenRetention: number;
}

/**
 * Checks `client` and `options`. Throws `LOCK_MISCONFIGURED` with the option, its value and what it
 * must be.
 */
export function readRedisOptions(client: RedisClient, options: RedisOptions): ReadRedisOptions {
  if (typeof client?.evalsha !== 'function' || typeof client.duplicate !== 'function') {
    throw misconfigured(redisSource.where, 'it needs an ioredis client (5 or 6): createRedisProvider(new Redis(url))');
  }
  if ((client as { readonly isCluster?: unknown }).isCluster === true) {
    throw misconfigured(
      redisSource.where,
      'an ioredis Cluster cannot be used, as waiters would lose their order, and list() would miss keys; pass a client of one server',
    );
  }
  const read = readOptions(redisReaders, options, redisSource);
  const prefix = read.prefix ?? 'locks:';
  return {
    prefix,
    channelPrefix: `${client.options?.keyPrefix ?? ''}${prefix}wake:`,
    fair: read.fair ?? true,
    timeout: read.timeout ?? 5_000,
    waiterTtl: read.waiterTtl ?? 6_000,
    tokenRetention: read.tokenRetention ?? 3_600_000,
  };
}
