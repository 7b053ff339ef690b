import { type ServerHandle, startPostgres, startRedis, startZookeeper } from '@locks/test-servers';
import type { Address } from '../backends/backend.ts';
import type { Target } from '../worker/messages.ts';

/** The stores of the drill, in the order of the tour. */
export const storeNames = ['redis', 'postgres', 'zookeeper'] as const;
export type StoreName = (typeof storeNames)[number];

/** The locks go from one store to the next, and at last come back to the first one. */
export interface Leg {
  readonly name: string;
  readonly from: StoreName;
  readonly to: StoreName;
}

export const legs: readonly Leg[] = storeNames.map((from, index) => {
  const to = storeNames[(index + 1) % storeNames.length] ?? 'redis';
  return { name: `${from}-to-${to}`, from, to };
});

/** What the applications of the drill have. */
export const modules = { adapters: ['redis', 'sql', 'zookeeper'], clients: ['ioredis', 'knex', 'pg'] } as const;

/** In ms: less than the presence, which is less than the ttl of lasting leases. */
export const ttl = 2_000;
export const presenceTtl = 5_000;
export const lasting = 8_000;

/** Servers that run. */
export interface Stores {
  /** In the order of `storeNames`. */
  readonly servers: readonly ServerHandle[];
  /** Locks in one store alone, without a migration. */
  plain(store: StoreName): Target;
  /** A process of a migration, whose ways to the servers are `addresses`. */
  target(leg: Leg, addresses: readonly Address[], more: ProcessOptions): Target;
  stop(): Promise<void>;
}

/** Options of one process. */
export interface ProcessOptions {
  /** What other processes call it. */
  readonly label: string;
  /** The file that has its phase. */
  readonly phase: string;
}

export async function startStores(): Promise<Stores> {
  const [redis, postgres, zookeeper] = await Promise.all([
    startRedis({ args: ['--appendonly', 'yes', '--appendfsync', 'always'] }),
    startPostgres(),
    startZookeeper({ tickTime: presenceTtl / 10 }),
  ]);
  const servers = [redis, postgres, zookeeper];
  const member = (store: StoreName, addresses: readonly Address[]) => {
    const { host, port } = addresses[storeNames.indexOf(store)] ?? { host: 'none', port: 0 };
    switch (store) {
      case 'redis':
        return { url: `redis://${host}:${port}`, options: { timeout: 2_000, waiterTtl: 3_000 } };
      case 'postgres': {
        const url = new URL(postgres.url);
        url.host = `${host}:${port}`;
        return { url: url.href, options: { timeout: 2_000, waiterTtl: 3_000 } };
      }
      case 'zookeeper':
        return {
          url: `zookeeper://${host}:${port}`,
          options: { acl: 'open', sessionTimeout: presenceTtl, timeout: 2_000 },
        };
      default:
        return store satisfies never;
    }
  };
  return {
    servers,
    plain(store) {
      const { url, options } = member(store, servers);
      return { url, ttl, keys: 'many', options: { ...options, ...(store === 'postgres' ? { migrate: true } : {}) } };
    },
    target: ({ name, from, to }, addresses, { label, phase }) => ({
      provider: 'migrate',
      ttl,
      lasting,
      keys: 'many',
      options: {
        name,
        label,
        from: member(from, addresses),
        to: member(to, addresses),
        phase: `file:${phase}`,
        presenceTtl,
        memberTimeout: 500,
        timeout: 3_000,
      },
    }),
    async stop() {
      await Promise.all(servers.map((server) => server.stop()));
    },
  };
}
