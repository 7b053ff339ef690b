import { requirements } from '@locks/conformance';
import type { LeakCounts, Need } from '@locks/conformance';
import { conformanceTests } from '@locks/conformance/vitest';
import type { LockProvider } from '@locks/core';
import { systemRuntime } from '@locks/core/adapter';
import { startRedis } from '@locks/test-servers';
import { Redis } from 'ioredis';
import { afterAll } from 'vitest';
import { createRedisProvider, fromConfig } from '../../src/index.ts';
import type { RedisOptions } from '../../src/index.ts';
import { breakable, closing } from './faults.ts';
import { ownPrefix } from './redis.ts';

// Each file of test/conformance has a server of its own: they run beside each other. A server that others use must not be frozen or restarted; one that the environment names cannot be.
const ownServer = !process.env['LOCKS_TEST_REDIS_URL'];
// The system keeps what a server wrote before it ended; waiting for the disk as well would delay every reply by a while unknown.
const server = await startRedis(ownServer ? { args: ['--appendonly', 'yes', '--appendfsync', 'no'] } : {});
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

/** Makes the provider on the server at `address`. */
export type Make = (address: string, options: RedisOptions) => LockProvider | Promise<LockProvider>;

/** Registers the suite: all of it, or those that `only` names. */
export function suite(name: string, make: Make, options: RedisOptions, only?: readonly string[]): void {
  const prefix = ownPrefix();
  // Places in line that last shorter than by default: several requirements wait for one to lapse. And a shorter deadline: each
  // call to a server that says nothing takes this long.
  const all = { timeout: 2_000, waiterTtl: 3_000, ...options, prefix };
  const { create, faults } = breakable(server, ownServer, (address) => make(address, all));
  conformanceTests({
    name,
    create,
    createOther: () => make(url, { ...all, waiterTtl: 600, tokenRetention: 1_000 }),
    faults,
    processes: { module: new URL('process.mjs', import.meta.url), args: { url, ...all } },
    leaks: () => left(prefix),
    only,
  });
}

/** With a client of the caller, which he closes. */
export function over(open: (address: string) => Redis): Make {
  return (address, options) => {
    const client = open(address);
    // What becomes of its connections is the subject of the tests.
    client.on('error', () => {});
    return closing(createRedisProvider(client, options), () => client.disconnect());
  };
}

/** With a client that comes from configuration. */
export const configured: Make = (address, options) =>
  fromConfig({ url: address, options: { ...options }, runtime: systemRuntime });

/** The requirements whose needs satisfy `chosen`. */
export function ids(chosen: (needs: readonly Need[]) => boolean): readonly string[] {
  return requirements.filter(({ needs = [] }) => chosen(needs)).map(({ id }) => id);
}

const faultless = new Set<Need>(['processes', 'createOther']);

/** The requirements for which no fault is needed. */
export const withoutFaults: readonly string[] = ids((needs) => needs.every((need) => faultless.has(need)));

/** The others. */
export const withFaults: readonly string[] = ids((needs) => needs.some((need) => !faultless.has(need)));
