import { requirements } from '@locks/conformance';
import type { LeakCounts } from '@locks/conformance';
import { conformanceTests } from '@locks/conformance/vitest';
import { startRedis } from '@locks/test-servers';
import { Redis } from 'ioredis';
import { afterAll } from 'vitest';
import type { RedisOptions } from '../src/index.ts';
import { breakable } from './support/faults.ts';
import { clients, ownPrefix } from './support/redis.ts';

// A server that others use must not be frozen or restarted; one that the environment names cannot be.
const ownServer = !process.env['LOCKS_TEST_REDIS_URL'];
const server = await startRedis(ownServer ? { args: ['--appendonly', 'yes', '--appendfsync', 'always'] } : {});
const { url } = server;
const observer = new Redis(url);
// Its connection is cut at each restart.
observer.on('error', () => {});
afterAll(async () => {
  observer.disconnect();
  await server.stop();
});

/** What a provider may leave in Redis: token counters and nothing else. */
async function left(prefix: string): Promise<LeakCounts> {
  const names = await observer.keys(`*${prefix}*`);
  const channels = (await observer.pubsub('CHANNELS', `${prefix}*`)) as readonly unknown[];
  const connections = String(await observer.client('LIST'))
    .trim()
    .split('\n').length;
  return { keys: names.filter((name) => !name.endsWith('}:token')).length, channels: channels.length, connections };
}

function suite(name: string, open: (address: string) => Redis, options: RedisOptions, only?: readonly string[]): void {
  const prefix = ownPrefix();
  // Places in line that last shorter than by default: several requirements wait for one to lapse. And a shorter deadline: each
  // call to a server that says nothing takes this long.
  const all = { timeout: 2_000, waiterTtl: 3_000, ...options, prefix };
  const { create, faults } = breakable(server, ownServer, open, all);
  conformanceTests({
    name,
    create,
    faults,
    processes: { module: new URL('support/process.mjs', import.meta.url), args: { url, ...all } },
    leaks: () => left(prefix),
    only,
  });
}

for (const [name, open] of clients) suite(`redis, ${name}`, open, {});

// How a client gets over a fault has nothing to do with the order in which waiters are served.
const withoutFaults = requirements.filter(({ needs = [] }) => needs.every((need) => need === 'processes'));
suite(
  'redis, not fair',
  (address) => new Redis(address),
  { fair: false },
  withoutFaults.map(({ id }) => id),
);
