import { once } from 'node:events';
import { createRedisProvider } from '@locks/redis';
import { createSqlProvider } from '@locks/sql';
import { createZookeeperProvider } from '@locks/zookeeper';
import type { LockProvider } from '@locks/core';
import { Redis } from 'ioredis';
import { Redis as Valkey } from 'iovalkey';
import createKnex from 'knex';
import { createPool } from 'mysql2';
import { createClient as createZookeeperClient } from 'node-zookeeper-client';
import { Pool } from 'pg';
import postgres from 'postgres';
import { createClient as createNodeRedis } from 'redis';
import { storeNames } from '../support/stores.ts';
import type { Store, StoreName } from '../support/stores.ts';

/** A provider over a client, and the end of both. */
interface Opened {
  readonly provider: LockProvider;
  end(): Promise<unknown>;
}

/** A store by one client. */
export interface Way {
  readonly store: StoreName;
  open(url: string, store: Store): Promise<Opened>;
}

/** Each call settles within this time, in ms: sooner than the longest fault is over. */
const timeout = 1_000;

const ignore = (): void => {};

/** By their names: our own client, and each library. */
export const ways: Readonly<Record<string, Way>> = {
  ...Object.fromEntries(storeNames.map((name) => [name, own(name)])),
  ioredis: given('redis', (url, options) => {
    const client = new Redis(url).on('error', ignore);
    return [createRedisProvider(client, options), () => client.disconnect()];
  }),
  iovalkey: given('redis', (url, options) => {
    const client = new Valkey(url).on('error', ignore);
    return [createRedisProvider(client, options), () => client.disconnect()];
  }),
  'node-redis': given('redis', async (url, options) => {
    const client = createNodeRedis({ url }).on('error', ignore);
    await client.connect();
    return [createRedisProvider(client, options), () => client.destroy()];
  }),
  pg: given('postgres', (url, options) => {
    const pool = new Pool({ connectionString: url, max: 5 }).on('error', ignore);
    return [createSqlProvider(pool, options), () => pool.end()];
  }),
  'postgres.js': given('postgres', (url, options) => {
    const client = postgres(url, { max: 5 });
    return [createSqlProvider(client, options), () => client.end({ timeout: 1 })];
  }),
  'knex on postgres': given('postgres', (url, options) => {
    const client = createKnex({ client: 'pg', connection: url, pool: { min: 0, max: 5 } });
    return [createSqlProvider(client, options), () => client.destroy()];
  }),
  mysql2: given('mariadb', (url, options) => {
    const pool = createPool({ uri: url, connectionLimit: 5 });
    return [createSqlProvider(pool, options), () => pool.promise().end()];
  }),
  'knex on mariadb': given('mariadb', (url, options) => {
    const client = createKnex({ client: 'mysql2', connection: url, pool: { min: 0, max: 5 } });
    return [createSqlProvider(client, options), () => client.destroy()];
  }),
  'node-zookeeper-client': given('zookeeper', (url) => {
    const client = () => createZookeeperClient(placeOf(url), { sessionTimeout: 6_000, spinDelay: 50 });
    return [createZookeeperProvider({ client, acl: 'open', timeout }), ignore];
  }),
  'a connected node-zookeeper-client': given('zookeeper', async (url) => {
    const client = createZookeeperClient(placeOf(url), { sessionTimeout: 20_000, spinDelay: 50 });
    client.connect();
    await once(client as never, 'connected');
    return [createZookeeperProvider({ client, acl: 'open', timeout }), () => client.close()];
  }),
};

/** As `openLocks` opens it. */
function own(store: StoreName): Way {
  return {
    store,
    async open(url, { open }) {
      const provider = await open(url, { timeout });
      return { provider, end: () => provider.close() };
    },
  };
}

type Made = readonly [provider: LockProvider, end: () => unknown];

/** Over a client that stays its caller's. */
function given(
  store: StoreName,
  make: (url: string, options: { readonly timeout: number }) => Made | Promise<Made>,
): Way {
  return {
    store,
    async open(url, { options: all }) {
      // The tables are there.
      const { migrate: _migrate, ...options } = all;
      const [provider, end] = await make(url, { ...options, timeout });
      return {
        provider,
        async end() {
          await provider.close();
          await end();
        },
      };
    },
  };
}

/** `zookeeper://host:port/root` as the client has it: the root is its chroot. */
function placeOf(url: string): string {
  return url.slice('zookeeper://'.length);
}
