import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LockProvider } from '@locks/core';
import { systemRuntime } from '@locks/core/adapter';
import * as etcd from '@locks/etcd';
import * as redis from '@locks/redis';
import * as sql from '@locks/sql';
import { startEtcd, startMariadb, startPostgres, startRedis, startZookeeper } from '@locks/test-servers';
import * as zookeeper from '@locks/zookeeper';
import { createZookeeperProvider } from '@locks/zookeeper';
import { openDatabases } from './databases.ts';

/** A store of a test's own, as a configuration names it. */
export interface Store {
  readonly url: string;
  readonly options: Readonly<Record<string, unknown>>;
  /**
   * A provider of it, as one more process has. `url`: a way to it. `more`: options beside its own.
   * @default its own
   */
  open(url?: string, more?: Readonly<Record<string, unknown>>): Promise<LockProvider>;
  stop(): Promise<void>;
}

/** One of each kind: each pair of them can be the ends of a migration. */
export const storeNames = ['redis', 'postgres', 'zookeeper', 'sqlite'] as const;

export type StoreName = (typeof storeNames)[number] | 'mariadb' | 'etcd';

/** Starts a server of that kind, or makes a file. */
export async function startStore(name: StoreName): Promise<Store> {
  switch (name) {
    case 'redis': {
      const server = await startRedis();
      const options = { prefix: `${randomUUID()}:`, waiterTtl: 3_000 };
      return storeOf(redis, server.url, options, () => server.stop());
    }
    case 'postgres':
    case 'mariadb': {
      const server = await (name === 'postgres' ? startPostgres() : startMariadb());
      const databases = openDatabases(server.url);
      await databases.create('store');
      return storeOf(sql, databases.url('store'), { migrate: true, waiterTtl: 3_000 }, async () => {
        await databases.remove();
        await server.stop();
      });
    }
    case 'zookeeper': {
      const server = await startZookeeper({ tickTime: 200, maxSessionTimeout: 60_000 });
      const address = `${server.host}:${server.port}`;
      const root = `/${randomUUID().slice(0, 8)}`;
      const maker = createZookeeperProvider({ servers: address, root, acl: 'open' });
      await maker.connect(10_000);
      await maker.close();
      const options = { acl: 'open', sessionTimeout: 6_000 };
      return storeOf(zookeeper, `zookeeper://${address}${root}`, options, () => server.stop());
    }
    case 'etcd': {
      const server = await startEtcd();
      const url = `etcd://${server.host}:${server.port}/${randomUUID()}`;
      return storeOf(etcd, url, {}, () => server.stop());
    }
    case 'sqlite': {
      const folder = mkdtempSync(join(tmpdir(), 'locks-store-'));
      return storeOf(sql, `sqlite:${join(folder, 'locks.db')}`, { migrate: true, waiterTtl: 3_000 }, async () => {
        rmSync(folder, { recursive: true, force: true });
      });
    }
    default:
      return name satisfies never;
  }
}

function storeOf(
  adapter: Pick<typeof redis | typeof sql | typeof zookeeper | typeof etcd, 'fromConfig'>,
  url: string,
  options: Readonly<Record<string, unknown>>,
  stop: () => Promise<unknown>,
): Store {
  return {
    url,
    options,
    open: async (way = url, more = {}) =>
      await adapter.fromConfig({ url: way, options: { ...options, ...more }, runtime: systemRuntime }),
    stop: async () => void (await stop()),
  };
}
