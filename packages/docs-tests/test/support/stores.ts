import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryProvider, createMemoryStore } from '@locks/core';
import type { LockProvider, LocksConfig } from '@locks/core';
import { systemRuntime } from '@locks/core/adapter';
import { configSources, mergeSources, openProvider } from '@locks/core/open';
import {
  fourLetterWord,
  redisCommand,
  startEtcd,
  startMariadb,
  startPostgres,
  startRedis,
  startZookeeper,
} from '@locks/test-servers';
import type { ServerHandle } from '@locks/test-servers';
import { createZookeeperProvider } from '@locks/zookeeper';
import knex from 'knex';
import Libsql from 'libsql';
import { openDatabases } from './databases.ts';

/** A store, as a configuration names it. */
interface Made {
  readonly url: string;
  readonly options: Readonly<Record<string, unknown>>;
  /** In place of a configuration with `url` and these options. */
  readonly open?: (url: string, options: Made['options']) => Promise<LockProvider>;
  /** How many keys, rows or nodes it has, also those that no claim uses. */
  size(): Promise<number>;
  stop(): Promise<unknown>;
}

/** A store of a test's own. */
export interface Store extends Omit<Made, 'open' | 'stop'> {
  /**
   * A provider of it, as one more process has. `url`: a way to it. `more`: options beside its own.
   * @default its own
   */
  open(url?: string, more?: Readonly<Record<string, unknown>>): Promise<LockProvider>;
  stop(): Promise<void>;
}

const waiterTtl = 3_000;

const makers = {
  redis: madeOfRedis,
  postgres: () => madeOfDatabase(startPostgres),
  mariadb: () => madeOfDatabase(startMariadb),
  async zookeeper() {
    const { host, port, stop } = await startZookeeper({ tickTime: 200, maxSessionTimeout: 60_000 });
    const address = `${host}:${port}`;
    const root = `/${randomUUID().slice(0, 8)}`;
    const maker = createZookeeperProvider({ servers: address, root, acl: 'open' });
    await maker.connect(10_000);
    await maker.close();
    return {
      url: `zookeeper://${address}${root}`,
      options: { acl: 'open', sessionTimeout: 6_000 },
      size: async () => Number(/Node count: (\d+)/.exec(await fourLetterWord({ host, port }, 'srvr'))?.[1]),
      stop,
    };
  },
  async etcd() {
    const { url, host, port, stop } = await startEtcd();
    const size = async (): Promise<number> => {
      const metrics = await (await fetch(`http://${host}:${port}/metrics`)).text();
      return Number(/^etcd_debugging_mvcc_keys_total (\S+)/m.exec(metrics)?.[1]);
    };
    return { url: `${url}/${randomUUID()}`, options: {}, size, stop };
  },
  async sqlite() {
    const folder = mkdtempSync(join(tmpdir(), 'locks-store-'));
    const file = join(folder, 'locks.db');
    return {
      url: `sqlite:${file}`,
      options: { migrate: true, waiterTtl },
      async size() {
        const database = new Libsql(file, { readonly: true });
        const { count } = database.prepare('SELECT count(*) AS count FROM locks').get() as { readonly count: number };
        database.close();
        return count;
      },
      stop: async () => rmSync(folder, { recursive: true, force: true }),
    };
  },
  /** Postgres, whose user may make no routines. */
  table: () => madeOfDatabase(startPostgres, { routines: false }),
  /** A majority of three Redis servers. */
  async quorum() {
    const members = await Promise.all([madeOfRedis(), madeOfRedis(), madeOfRedis()]);
    const sizes = (): Promise<readonly number[]> => Promise.all(members.map(({ size }) => size()));
    return {
      url: members.map(({ url }) => url).join(','),
      options: {},
      open: (urls: string, options: Made['options']) => {
        const { memberTimeout = 500, timeout = 6_000, ...own } = options;
        const configs = urls.split(',').map((url, index) => ({ url, options: { ...members[index]?.options, ...own } }));
        return openConfig({ provider: 'combine', options: { members: configs, memberTimeout, timeout } });
      },
      size: async () => (await sizes()).reduce((sum, size) => sum + size),
      stop: () => Promise.all(members.map(({ stop }) => stop())),
    };
  },
  async memory() {
    const store = createMemoryStore();
    return {
      url: 'memory:',
      options: {},
      open: async () => createMemoryProvider({ store }),
      size: async () => 0,
      stop: async () => {},
    };
  },
} as const satisfies Readonly<Record<string, () => Promise<Made>>>;

export type StoreName = keyof typeof makers;

/** One for each kind of store that a URL names. */
export const storeNames = ['redis', 'postgres', 'mariadb', 'zookeeper', 'etcd', 'sqlite'] as const;

/** Starts a server of that kind, or makes a file. */
export async function startStore(name: StoreName): Promise<Store> {
  const { open = (url, options) => openConfig({ url, options }), ...made }: Made = await makers[name]();
  return {
    ...made,
    open: (url = made.url, more = {}) => open(url, { ...made.options, ...more }),
    stop: async () => void (await made.stop()),
  };
}

async function openConfig(config: LocksConfig): Promise<LockProvider> {
  const { backend } = mergeSources(await configSources(config));
  return await openProvider(backend, systemRuntime);
}

async function madeOfRedis() {
  const server = await startRedis();
  const { url, stop } = server;
  const size = async (): Promise<number> => (await redisCommand(server, 'DBSIZE')) as number;
  return { url, options: { prefix: `${randomUUID()}:`, waiterTtl }, size, stop };
}

async function madeOfDatabase(start: () => Promise<ServerHandle>, more: Made['options'] = {}): Promise<Made> {
  const server = await start();
  const databases = openDatabases(server.url);
  await databases.create('store');
  const url = databases.url('store');
  return {
    url,
    options: { migrate: true, waiterTtl, ...more },
    size: () => rowsOf(url),
    async stop() {
      await databases.remove();
      await server.stop();
    },
  };
}

/** Of the table of keys. */
async function rowsOf(url: string): Promise<number> {
  const database = knex({ client: url.startsWith('postgres') ? 'pg' : 'mysql2', connection: url });
  try {
    const [row] = await database('locks').count({ count: '*' });
    return Number(row?.['count']);
  } finally {
    await database.destroy();
  }
}
