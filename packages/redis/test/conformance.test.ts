import { conformanceTests } from '@locks/conformance/vitest';
import type { LeakCounts } from '@locks/conformance';
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

function suite(name: string, open: (address: string) => Redis, options: RedisOptions): void {
  const prefix = ownPrefix();
  const all = { ...options, prefix };
  const { create, faults } = breakable(server, ownServer, open, all);
  conformanceTests({
    name,
    create,
    faults,
    processes: { module: new URL('support/process.mjs', import.meta.url), args: { url, ...all } },
    leaks: () => left(prefix),
  });
}

for (const [name, open] of clients) suite(`redis, ${name}`, open, {});
suite('redis, not fair', (address) => new Redis(address), { fair: false });
