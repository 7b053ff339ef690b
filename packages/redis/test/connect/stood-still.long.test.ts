import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openLocks } from '@locks/core';
import type { Lease, Locks } from '@locks/core';
import { startRedis, startRedisCluster, startRedisSentinel } from '@locks/test-servers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { libraries } from '../../src/connect/libraries.ts';
import { opened } from '../support/over.ts';

/** What a process connects to. */
interface Deployed {
  readonly ports: readonly number[];
  readonly url: string;
  stop(): Promise<void>;
}

const deployments: readonly (readonly [name: string, start: () => Promise<Deployed>])[] = [
  ...libraries.map((library): (typeof deployments)[number] => [
    library,
    async () => {
      const server = await startRedis();
      return { ports: [server.port], url: `${server.url}?library=${library}`, stop: () => server.stop() };
    },
  ]),
  [
    'Sentinels',
    async () => {
      const set = await startRedisSentinel();
      return { ports: set.servers.map(({ port }) => port), url: set.url, stop: () => set.stop() };
    },
  ],
  [
    'a Cluster',
    async () => {
      const cluster = await startRedisCluster({ replicas: 0 });
      return { ports: cluster.nodes.map(({ port }) => port), url: cluster.url, stop: () => cluster.stop() };
    },
  ],
];

const calls: Readonly<Record<string, (locks: Locks, lease: Lease) => Promise<unknown>>> = {
  tryAcquire: async (locks) => (await locks.tryAcquire('job'))?.held,
  tryWithLock: async (locks) => (await locks.tryWithLock('job', () => 1)).held,
  once: async (locks) => (await locks.once('job', 'ever', () => 1)).held,
  inspect: async (locks) => (await locks.inspect('job')).holders.length === 0,
  release: (_locks, lease) => lease.release(),
};

const killer = fileURLToPath(new URL('../support/kill-clients.mjs', import.meta.url));

/** The first calls of a process whose connections were ended while it stood still. */
describe.each(deployments)('a process that stood still while its connections ended, and %s', (_name, start) => {
  let deployed: Deployed;
  beforeAll(async () => void (deployed = await start()));
  afterAll(() => deployed.stop());

  /** Stands still until all connections have ended. */
  const standStill = (): unknown => execFileSync(process.execPath, [killer, ...deployed.ports.map(String)]);

  describe.each([
    ['its first call goes over the next one', 0],
    ['a call while the client connects again', 5],
  ])('%s', (_title, later) => {
    test.each(Object.entries(calls))('%s', async (name, call) => {
      const options = { prefix: `${later}-${name}:` };
      const locks = await opened(openLocks({ url: deployed.url, options }));
      const lease = await locks.acquire('held');
      standStill();
      if (later > 0) await sleep(later);
      expect(await call(locks, lease)).toBe(true);
    });
  });

  test('calls of one tick go in their order', async () => {
    const locks = await opened(openLocks(deployed.url));
    const lease = await locks.acquire('in order');
    standStill();
    const [freed, next] = await Promise.all([lease.release(), locks.tryAcquire('in order')]);
    expect([freed, next?.held]).toEqual([true, true]);
  });
});
