import { createLocks } from '@locks/core';
import type { LockProvider, Locks } from '@locks/core';
import { startProxy, startRedis } from '@locks/test-servers';
import type { Proxy } from '@locks/test-servers';
import { Redis } from 'ioredis';
import { afterAll, expect, onTestFinished } from 'vitest';
import { createRedisProvider } from '../../src/index.ts';
import type { RedisOptions } from '../../src/index.ts';
import { connect, eventually, ownPrefix, withCopies } from './redis.ts';

// Every connection to it counts, so no other test uses it.
const server = await startRedis();
afterAll(() => server.stop());

/** What one process has: its locks, and the proxies in front of its two kinds of connections. */
export interface Party {
  readonly locks: Locks;
  readonly commands: Proxy;
  readonly wakes: Proxy;
}

/** A part of the server that belongs to one test, and the parties that meet there. */
export interface Meeting {
  readonly prefix: string;
  /** Without a proxy: sees what the store has. */
  readonly observer: Redis;
  /**
   * A party with a client of the caller. Without `apart`, its wakes go through the proxy of its
   * commands.
   */
  party(options?: RedisOptions & { readonly apart?: boolean; readonly open?: (url: string) => Redis }): Promise<Party>;
  waiters(key: string, count: number): Promise<void>;
  /** How many connections listen for wakes, as the server sees it. */
  subscriptions(): Promise<number>;
  /**
   * Waits until no claim holds `keys` or waits for them, ends all parties, and expects that nothing
   * is left in the store.
   */
  end(...keys: readonly string[]): Promise<void>;
}

export async function meet(): Promise<Meeting> {
  const prefix = ownPrefix();
  const { url } = server;
  const { hostname: host, port } = new URL(url);
  const observer = connect({}, url);
  const witness: LockProvider = createRedisProvider(connect({}, url), { prefix });
  const ends: (() => Promise<void>)[] = [];
  onTestFinished(async () => {
    for (const end of ends.splice(0)) await end();
  });
  // Afterwards the server knows the scripts: what a test drops is not the answer that it does not.
  const claim = { key: 'warm-up', owner: 'witness/1', ttl: 10_000, mode: 'exclusive' } as const;
  await witness.tryAcquire(claim);
  await witness.renew(claim);
  await witness.release(claim);
  await witness.inspect(claim.key);
  const before = await connections();

  async function connections(): Promise<number> {
    return String(await observer.client('LIST'))
      .trim()
      .split('\n').length;
  }

  const target = { host, port: Number(port || 6379) };
  return {
    prefix,
    observer,
    async party({ apart = false, open = (address: string) => new Redis(address), ...options } = {}) {
      const commands = await startProxy(target);
      const wakes = apart ? await startProxy(target) : commands;
      const client = open(commands.url(url));
      client.on('error', () => {});
      const provider = createRedisProvider(
        apart ? withCopies(client, (copy) => new Redis(wakes.url(url), copy)) : client,
        {
          ...options,
          prefix,
        },
      );
      const locks = createLocks(provider, { ttl: 3_000 });
      ends.push(async () => {
        await locks.close();
        await provider.close();
        client.disconnect();
        await commands.stop();
        await wakes.stop();
      });
      return { locks, commands, wakes };
    },
    async waiters(key, count) {
      await eventually(`${count} waiters`, async () => (await witness.inspect(key)).waiters === count);
    },
    async subscriptions() {
      const channels = (await observer.pubsub('CHANNELS', `${prefix}*`)) as string[];
      const counts = (await observer.pubsub('NUMSUB', ...channels)) as (string | number)[];
      return counts.reduce<number>((sum, count) => (typeof count === 'number' ? sum + count : sum), 0);
    },
    async end(...keys) {
      for (const key of keys) {
        await eventually(`the end of all claims on ${key}`, async () => {
          const { holders, waiters } = await witness.inspect(key);
          return holders.length === 0 && waiters === 0;
        });
      }
      for (const end of ends.splice(0)) await end();
      const names = await observer.keys(`*${prefix}*`);
      expect(names.filter((name) => !name.endsWith('}:token'))).toEqual([]);
      await eventually('the end of all connections', async () => (await connections()) <= before);
      expect(await observer.pubsub('CHANNELS', `${prefix}*`)).toEqual([]);
    },
  };
}
