import { redisCommand, startRedis, wallClocks } from '@locks/test-servers';
import type { WallClocks } from '@locks/test-servers';
import { type Definition, type FaultOf, type ListedTarget, list } from './listed.ts';
import { type Processes, empty, kill, ofOne, together } from './processes.ts';
import { byCommands, passwordRotated, readOnly } from './redis-faults.ts';
import { type SmallDisk, diskFull, smallDisk } from './small-disk.ts';

const application = { adapters: ['redis'], modules: ['ioredis', 'iovalkey', 'redis'] } as const;

/** In ms. */
export const ttl = 1_000;
/** In ms: clients wait for at most this long between two attempts to connect. */
const healing = 2_000;
/** A release assigns the key if the ttl is at least half of `waiterTtl`. */
export const options = { timeout: 2_000, waiterTtl: 1_500 };
/** In ms: no claim has a longer ttl, with its cooldown. */
export const restartGuard = 3_000;
/** Nothing confirmed is lost when the server is killed. */
export const durable = ['--appendonly', 'yes', '--appendfsync', 'always'];

/** What may stay: token counters, markers, records of jobs, and keys of other applications. */
const mayStay = /\}:(?:token|server|register:.*)$|stranger/;

/** Keys of ours that no claim needs any more. */
export async function leftovers({ handles }: Processes): Promise<readonly string[]> {
  const names = await Promise.all(handles.map((server) => redisCommand(server, 'KEYS', '*locks:*')));
  return names.flatMap((some) => some as readonly string[]).filter((name) => !mayStay.test(name));
}

const timeouts = { timeout: [800, 2_000], waiterTtl: [1_500, 3_000] } as const;
const wrap = ['none', 'none', 'slow', 'repeats'] as const;

/** The clients of one server. */
const openings = {
  url: () => ({
    args: { url: 'redis://{host}:{port}', ttl, options },
    settings: { ...timeouts, library: ['ioredis', 'iovalkey', 'redis'] },
  }),
  ioredis: () => ({
    module: 'ioredis',
    args: { ttl, options },
    settings: {
      wrap,
      enableOfflineQueue: [true, true, false],
      enableAutoPipelining: [false, true],
      maxRetriesPerRequest: [0, 20, null],
    },
  }),
  'node-redis': () => ({
    module: 'node-redis',
    args: { ttl, options },
    settings: { pool: [null, 1, 3], disableOfflineQueue: [false, true] },
  }),
} as const;

type Own<Servers extends Processes> = Partial<Definition<Servers>> &
  Pick<Definition<Servers>, 'name' | 'topology' | 'start' | 'faults'>;

/** A target of one server. */
function one<Servers extends Processes>(own: Own<Servers>): ListedTarget {
  const servers = ({ handles }: Servers): Processes['handles'] => handles;
  return list<Servers>({
    ...{ store: 'redis', ...application, fair: true, healing, ttl, servers, openings, leftovers },
    ...own,
  });
}

const single = async (): Promise<Processes> => together([await startRedis({ args: durable })]);

interface Clocked extends Processes {
  readonly clocks: WallClocks;
}

/** Steps of its wall clock, which decides expiry. */
const stepped: FaultOf<Clocked> = {
  // Forward ends holds early; back makes them last longer than reported.
  empties: true,
  async begin({ clocks, handles: [server] }, _, amount) {
    if (server === undefined) return;
    // Up to some ttls, forward or back.
    await clocks.put(server, (amount - 325) * 20);
    return () => clocks.put(server, 0);
  },
};

export const redisTargets: readonly ListedTarget[] = [
  one<Processes>({
    name: 'redis',
    topology: 'one server, AOF always',
    start: single,
    faults: { ...ofOne, ...byCommands, 'read-only': readOnly, 'password rotated': passwordRotated },
  }),
  one<Processes>({
    name: 'redis-prefixed',
    topology: 'one server, AOF always, keyPrefix',
    start: single,
    openings: {
      ioredis: () => {
        const { args, ...opening } = openings.ioredis();
        return { ...opening, args: { ...args, keyPrefix: 'app:' } };
      },
    },
    faults: { ...ofOne, ...byCommands },
  }),
  one<SmallDisk>({
    name: 'redis-small-disk',
    topology: 'one server, AOF always, 16 MB of disk',
    start: async () => await smallDisk(await startRedis({ args: durable }), 16),
    faults: { 'server-pause': ofOne['server-pause'], 'server-restart': kill, 'disk full': diskFull },
  }),
  one<Clocked>({
    name: 'redis-clock',
    topology: 'one server, its wall clock steps',
    async start() {
      const clocks = await wallClocks();
      const running = together([await startRedis({ args: durable, clocks })]);
      const stop = async (): Promise<void> => {
        await running.stop();
        await clocks[Symbol.asyncDispose]();
      };
      return { ...running, clocks, stop };
    },
    faults: { 'server-pause': ofOne['server-pause'], 'server-restart': kill, 'clock step': stepped },
  }),
  one<Processes>({
    name: 'redis-guarded',
    topology: 'one server without disk, restartGuard',
    healing: restartGuard,
    async start() {
      const { initialise } = await import('@locks/redis');
      const { Redis } = await import('ioredis');
      const server = await startRedis();
      const client = new Redis(server.url);
      await initialise(client);
      client.disconnect();
      return together([server]);
    },
    openings: {
      url: () => ({
        args: { url: 'redis://{host}:{port}', ttl, options: { ...options, restartGuard } },
        settings: timeouts,
      }),
      ioredis: () => ({
        module: 'ioredis',
        args: { ttl, options: { ...options, restartGuard } },
        settings: { wrap },
      }),
    },
    // A hold may end early, and no second one begins before it has ended.
    faults: {
      'server-pause': ofOne['server-pause'],
      'server-empty': { ...empty, weight: 1, doubles: false },
      flush: { ...byCommands.flush, doubles: false },
    },
  }),
];
