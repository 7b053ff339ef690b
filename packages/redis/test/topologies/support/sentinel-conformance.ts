import type { Need } from '@locks/conformance';
import { conformanceTests } from '@locks/conformance/vitest';
import type { LockProvider } from '@locks/core';
import { systemRuntime } from '@locks/core/adapter';
import { closing, startRedisSentinel } from '@locks/test-servers';
import { Redis } from 'ioredis';
import { Redis as Redis5 } from 'ioredis-5';
import { Redis as Valkey } from 'iovalkey';
import { createSentinel } from 'redis';
import { afterAll, expect } from 'vitest';
import { createRedisProvider, fromConfig } from '../../../src/index.ts';
import type { RedisOptions } from '../../../src/index.ts';
import { leftOfAll } from '../../support/left.ts';
import { ownPrefix } from '../../support/redis.ts';
import type { Chosen } from '../../../../conformance/test/support/selection.ts';
import type { Nodes } from './cluster.ts';
import { answering, faultsOnTheWay, waysTo } from './ways.ts';
import type { Ways } from './ways.ts';

/** Makes a provider that asks the Sentinels at these addresses. */
type OpenSentinel = (hosts: Nodes, name: string, options: RedisOptions) => Promise<LockProvider>;

function overClient(open: (options: { readonly sentinels: Nodes; readonly name: string }) => Redis): OpenSentinel {
  return async (sentinels, name, options) => {
    const client = open({ sentinels, name });
    client.on('error', () => {});
    return closing(createRedisProvider(client, options), () => client.disconnect());
  };
}

const fromUrl: OpenSentinel = async (hosts, name, options) => {
  const url = `redis+sentinel://${hosts.map(({ host, port }) => `${host}:${port}`).join(',')}/${name}`;
  return await fromConfig({ url, options: { ...options, library: 'ioredis' }, runtime: systemRuntime });
};

const template = createSentinel({ name: '', sentinelRootNodes: [] });

/** In which ways a provider on Sentinels is made. */
const sentinelClients = {
  'ioredis 6': overClient((options) => new Redis(options as object)),
  'ioredis 5': overClient((options) => new Redis5(options as object) as unknown as Redis),
  iovalkey: overClient((options) => new Valkey(options as object) as unknown as Redis),
  'node-redis': async (hosts, name, options) => {
    // A new one has a new class, for which the library takes 0.1 s of a processor.
    const client = template.duplicate({ name, sentinelRootNodes: [...hosts] });
    client.on('error', () => {});
    await client.connect();
    return closing(createRedisProvider(client, options), () => client.destroy());
  },
  'from a URL': fromUrl,
} as const satisfies Record<string, OpenSentinel>;

/** A stop of all servers is the subject of other files: Sentinels would act on it. */
const needs = new Set<Need>(['processes', 'createOther', 'sever', 'silence', 'dropReply', 'delay', 'duplicate']);
const only: Chosen = ({ needs: wanted = [] }) => wanted.every((need) => needs.has(need));

/** Registers the suite for the master that Sentinels name. Each provider has proxies of its own. */
export async function sentinelSuite(way: keyof typeof sentinelClients): Promise<void> {
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
  const make = async (options: RedisOptions): Promise<LockProvider> => {
    const ways = await waysTo(set.servers, set.sentinels);
    const hosts = set.sentinels.map(({ port }) => ways.at(port)).map(({ host, port }) => ({ host, port }));
    const provider = closing(await sentinelClients[way](hosts, set.name, options), () => ways.stop());
    await answering(provider);
    waysOf.set(provider, ways);
    return provider;
  };
  conformanceTests({
    name: `Redis with Sentinels, ${way}`,
    create: () => make(settings),
    createOther: () => make({ ...settings, waiterTtl: 600, tokenRetention: 1_000 }),
    faults: faultsOnTheWay(waysOf),
    processes: {
      module: new URL('sentinel-process.mjs', import.meta.url),
      args: { sentinels: set.sentinels.map(({ host, port }) => ({ host, port })), name: set.name, ...settings },
    },
    leaks: () => leftOfAll(observers, prefix),
    only,
  });
}
