import { conformanceTests } from '@locks/conformance/vitest';
import { startRedis } from '@locks/test-servers';
import { Redis } from 'ioredis';
import { afterAll } from 'vitest';
import type { RedisOptions } from '../../src/index.ts';
import { breakable } from './faults.ts';
import { left } from './left.ts';
import type { Make } from './make.ts';
import type { Chosen } from '../../../conformance/test/support/selection.ts';
import { ownPrefix } from './redis.ts';
import { promptCopy, startReplica } from './replica.ts';

// A server that the environment names cannot be frozen or restarted.
const ownServer = !process.env['LOCKS_TEST_REDIS_URL'];

/**
 * Registers the suite, or those that `only` chooses. It has a server of its own, which it breaks
 * while other files run.
 */
export async function suite(name: string, make: Make, options: RedisOptions, only?: Chosen): Promise<void> {
  // The system keeps what a server wrote before it ended. To wait for the disk as well would delay
  // every reply.
  const args = [...['--appendonly', 'yes', '--appendfsync', 'no'], ...promptCopy];
  const server = await startRedis(ownServer ? { args } : {});
  const replica = options.minReplicas === undefined ? undefined : await startReplica(server);
  const { url } = server;
  const observer = new Redis(url);
  // Its connection is cut at each restart.
  observer.on('error', () => {});
  afterAll(async () => {
    observer.disconnect();
    await replica?.stop();
    await server.stop();
  });
  const prefix = ownPrefix();
  // Positions in the queue that last shorter than by default: several requirements wait for one to
  // lapse. And a shorter deadline: each call to a server that says nothing takes this long.
  const all = { timeout: 2_000, waiterTtl: 3_000, ...options, prefix };
  const { create, faults } = breakable(server, ownServer, (address) => make(address, all));
  conformanceTests({
    name,
    create,
    createOther: () => make(url, { ...all, waiterTtl: 600, tokenRetention: 1_000 }),
    faults,
    processes: { module: new URL('process.mjs', import.meta.url), args: { url, ...all } },
    leaks: () => left(observer, prefix),
    only,
  });
}
