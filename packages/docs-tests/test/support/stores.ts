import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LockProvider } from '@locks/core';
import { systemRuntime } from '@locks/core/adapter';
import { configSources, mergeSources, openProvider } from '@locks/core/open';
import { startEtcd, startMariadb, startPostgres, startRedis, startZookeeper } from '@locks/test-servers';
import type { ServerHandle } from '@locks/test-servers';
import { createZookeeperProvider } from '@locks/zookeeper';
import { openDatabases } from './databases.ts';

/** A store, as a configuration names it. */
interface Made {
  readonly url: string;
  readonly options: Readonly<Record<string, unknown>>;
  /** Absent: it is a file. */
  readonly server?: Pick<ServerHandle, 'pause' | 'resume'>;
  stop(): Promise<unknown>;
}

/** A store of a test's own. */
export interface Store extends Omit<Made, 'stop'> {
  /**
   * A provider of it, as one more process has. `url`: a way to it. `more`: options beside its own.
   * @default its own
   */
  open(url?: string, more?: Readonly<Record<string, unknown>>): Promise<LockProvider>;
  stop(): Promise<void>;
}

/** One for each kind of store. */
const makers = {
  async redis() {
    const server = await startRedis();
    const { url, stop } = server;
    return { url, options: { prefix: `${randomUUID()}:`, waiterTtl: 3_000 }, server, stop };
  },
  postgres: () => madeOfDatabase(startPostgres),
  mariadb: () => madeOfDatabase(startMariadb),
  async zookeeper() {
    const { host, port, stop } = await startZookeeper({ tickTime: 200, maxSessionTimeout: 60_000 });
    const address = `${host}:${port}`;
    const root = `/${randomUUID().slice(0, 8)}`;
    const maker = createZookeeperProvider({ servers: address, root, acl: 'open' });
    await maker.connect(10_000);
    await maker.close();
    return { url: `zookeeper://${address}${root}`, options: { acl: 'open', sessionTimeout: 6_000 }, stop };
  },
  async etcd() {
    const server = await startEtcd();
    const { url, stop } = server;
    return { url: `${url}/${randomUUID()}`, options: {}, server, stop };
  },
  async sqlite() {
    const folder = mkdtempSync(join(tmpdir(), 'locks-store-'));
    const stop = async () => rmSync(folder, { recursive: true, force: true });
    return { url: `sqlite:${join(folder, 'locks.db')}`, options: { migrate: true, waiterTtl: 3_000 }, stop };
  },
} as const satisfies Readonly<Record<string, () => Promise<Made>>>;

export type StoreName = keyof typeof makers;

export const storeNames = Object.keys(makers) as readonly StoreName[];

/** Starts a server of that kind, or makes a file. */
export async function startStore(name: StoreName): Promise<Store> {
  const made: Made = await makers[name]();
  return {
    ...made,
    async open(url = made.url, more = {}) {
      const { backend } = mergeSources(await configSources({ url, options: { ...made.options, ...more } }));
      return await openProvider(backend, systemRuntime);
    },
    stop: async () => void (await made.stop()),
  };
}

async function madeOfDatabase(start: () => Promise<ServerHandle>): Promise<Made> {
  const server = await start();
  const databases = openDatabases(server.url);
  await databases.create('store');
  return {
    url: databases.url('store'),
    options: { migrate: true, waiterTtl: 3_000 },
    server,
    async stop() {
      await databases.remove();
      await server.stop();
    },
  };
}
