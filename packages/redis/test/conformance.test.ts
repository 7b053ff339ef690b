import { conformanceTests } from '@locks/conformance/vitest';
import type { LeakCounts } from '@locks/conformance';
import type { LockProvider } from '@locks/core';
import { Redis } from 'ioredis';
import { afterAll, inject } from 'vitest';
import { createRedisProvider } from '../src/index.ts';
import type { RedisOptions } from '../src/index.ts';
import { clients, ownPrefix } from './support/redis.ts';

const url = inject('redisUrl');
const observer = new Redis(url);
afterAll(() => observer.disconnect());

/** What a provider may leave in Redis: token counters and nothing else. */
async function left(prefix: string): Promise<LeakCounts> {
  const names = await observer.keys(`*${prefix}*`);
  const channels = (await observer.pubsub('CHANNELS', `${prefix}*`)) as readonly unknown[];
  const connections = String(await observer.client('LIST'))
    .trim()
    .split('\n').length;
  return { keys: names.filter((name) => !name.endsWith('}:token')).length, channels: channels.length, connections };
}

function suite(name: string, open: () => Redis, options: RedisOptions): void {
  const shared = open();
  afterAll(() => shared.disconnect());
  const prefix = ownPrefix();
  // Places in line that last shorter than by default: several requirements wait for one to lapse.
  const all = { waiterTtl: 3_000, ...options, prefix };
  conformanceTests({
    name,
    create: (): LockProvider => createRedisProvider(shared, all),
    processes: { module: new URL('support/process.mjs', import.meta.url), args: { url, ...all } },
    leaks: () => left(prefix),
  });
}

for (const [name, open] of clients) suite(`redis, ${name}`, () => open(url), {});
suite('redis, not fair', () => new Redis(url), { fair: false });
