import { once } from 'node:events';
import type { Address, OpenArguments, OpenedLocks } from '@locks/conformance/nemesis';
import { createRedisProvider } from '@locks/redis';
import { Cluster, Redis } from 'ioredis';
import type { RedisOptions } from 'ioredis';
import { addressOf, openedOver, quiet } from './opened.ts';
import { wrapped } from './wrapped.ts';

interface Args {
  readonly ttl: number;
  readonly options: object;
  readonly password?: string;
  /** All processes have the same. */
  readonly keyPrefix?: string;
  /**
   * The ports by which the servers know themselves, in the order of `addresses`. Absent: one
   * server.
   */
  readonly ports?: readonly number[];
  /** How many of `addresses` are Sentinels, which come first. */
  readonly sentinels?: number;
}

/** Those of its options that are set here, or by the settings. */
type Options = Pick<
  RedisOptions,
  'host' | 'port' | 'keyPrefix' | 'password' | 'socketTimeout' | 'sentinels' | 'name' | 'natMap' | 'reconnectOnError'
>;

/** Locks over a client of the application, which reaches each server through a separate proxy. */
export async function open(given: OpenArguments): Promise<OpenedLocks> {
  const { ttl, options, password, keyPrefix = '', ports, sentinels = 0 } = given.args as unknown as Args;
  const { wrap, ...settings } = given.settings;
  const common: Options = { socketTimeout: 2_000, ...(password !== undefined && { password }), ...settings };
  const client = quiet(ports === undefined ? alone() : sentinels > 0 ? watched(ports) : cluster(ports));
  // Without its queue, an application waits for the connection.
  if (settings['enableOfflineQueue'] === false)
    await once(client, 'ready', { signal: AbortSignal.timeout(1_000) }).catch(() => {});
  const provider = createRedisProvider(wrapped(client, wrap, ['evalsha', 'eval']), options);
  return openedOver(provider, ttl, () => client.disconnect());

  function alone(): Redis {
    return new Redis({ ...addressOf(given), ...common, keyPrefix });
  }

  function natMap(of: readonly number[]): Record<string, Address> {
    return Object.fromEntries(of.map((port, server) => [`127.0.0.1:${port}`, addressOf(given, server)]));
  }

  function watched(of: readonly number[]): Redis {
    const reconnectOnError = (error: Error): boolean => error.message.includes('READONLY');
    const known = given.addresses.slice(0, sentinels);
    const found: Options = {
      sentinels: known,
      name: 'main',
      natMap: natMap(of),
      reconnectOnError,
      ...common,
      keyPrefix,
    };
    return new Redis(found);
  }

  function cluster(of: readonly number[]): Cluster {
    const nodes = given.addresses.map(({ host, port }) => ({ host, port }));
    const { password: secret, socketTimeout } = common;
    const redisOptions = {
      ...(secret !== undefined && { password: secret }),
      ...(socketTimeout !== undefined && { socketTimeout }),
    };
    return new Cluster(nodes, { natMap: natMap(of), redisOptions, keyPrefix, retryDelayOnFailover: 0 });
  }
}
