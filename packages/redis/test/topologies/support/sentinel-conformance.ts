import { conformanceTests } from '@locks/conformance/vitest';
import type { LockProvider } from '@locks/core';
import { closing, startRedisSentinel } from '@locks/test-servers';
import { Redis } from 'ioredis';
import { afterAll, expect } from 'vitest';
import { createRedisProvider } from '../../../src/index.ts';
import { leftOfAll } from '../../support/left.ts';
import { ownPrefix } from '../../support/redis.ts';
import { answering, faultsOnTheWay, waysTo } from './ways.ts';
import type { Ways } from './ways.ts';

/** Registers the suite for the master that Sentinels name. Each provider has proxies of its own. */
export async function sentinelSuite(name: string, only: readonly string[]): Promise<void> {
  // On a busy machine a master that runs may seem down. A failover costs waiters their order.
  const set = await startRedisSentinel({ downAfter: 30_000 });
  const observers = [new Redis(set.servers[0]?.url ?? '').on('error', () => {})];
  afterAll(async () => {
    for (const observer of observers) observer.disconnect();
    const last = await set.master();
    await set.stop();
    expect(last, 'no failover came between').toBe(set.servers[0]);
  });
  const prefix = ownPrefix();
  const settings = { timeout: 2_000, waiterTtl: 3_000, prefix };
  const waysOf = new WeakMap<LockProvider, Ways>();
  const sentinels = set.sentinels.map(({ host, port }) => ({ host, port }));
  const make = async (options: object, more: object = {}): Promise<LockProvider> => {
    const client = new Redis({ sentinels, name: set.name, ...options });
    client.on('error', () => {});
    const provider = closing(createRedisProvider(client, { ...settings, ...more }), () => client.disconnect());
    await answering(provider);
    return provider;
  };
  conformanceTests({
    name,
    async create() {
      const ways = await waysTo(set.servers);
      const provider = closing(await make(ways.options), () => ways.stop());
      waysOf.set(provider, ways);
      return provider;
    },
    createOther: () => make({}, { waiterTtl: 600, tokenRetention: 1_000 }),
    faults: faultsOnTheWay(waysOf),
    processes: {
      module: new URL('sentinel-process.mjs', import.meta.url),
      args: { sentinels, name: set.name, ...settings },
    },
    leaks: () => leftOfAll(observers, prefix),
    only,
  });
}
