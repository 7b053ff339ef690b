import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { openLocks } from '@locks/core';
import type { Lease, Locks } from '@locks/core';
import { startRedis, startRedisCluster, startRedisSentinel } from '@locks/test-servers';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

const killer = fileURLToPath(new URL('support/kill-clients.mjs', import.meta.url));

interface Deployed {
  readonly ports: readonly number[];
  readonly url: string;
  stop(): Promise<void>;
}

const deployments: readonly (readonly [name: string, start: () => Promise<Deployed>])[] = [
  [
    'one server',
    async () => {
      const server = await startRedis();
      return { ports: [server.port], url: server.url, stop: () => server.stop() };
    },
  ],
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
      const ports = cluster.nodes.map(({ port }) => port);
      const url = `redis+cluster://${ports.map((port) => `127.0.0.1:${port}`).join(',')}`;
      return { ports, url, stop: () => cluster.stop() };
    },
  ],
];

const calls: Readonly<Record<string, (locks: Locks, lease: Lease) => Promise<unknown>>> = {
  tryAcquire: async (locks) => (await locks.tryAcquire('job'))?.held,
  tryWithLock: async (locks) => (await locks.tryWithLock('job', () => 1)).held,
  once: async (locks) => (await locks.once('job', 'slot', () => 1)).held,
  inspect: async (locks) => (await locks.inspect('job')).holders.length === 0,
  release: (_locks, lease) => lease.release(),
};

describe.each(deployments)('a process that stood still while %s ended its connections', (_name, start) => {
  let deployed: Deployed;
  beforeAll(async () => void (deployed = await start()));
  afterAll(() => deployed.stop());

  test.each(Object.entries(calls))('its first call goes over the next one: %s', async (name, call) => {
    const { ports, url } = deployed;
    const locks = await openLocks({ url, options: { prefix: `first-${name.length}:` } });
    onTestFinished(() => locks.close());
    const lease = await locks.acquire('held');
    execFileSync(process.execPath, [killer, ...ports.map(String)]);
    expect(await call(locks, lease)).toBe(true);
  });

  test('calls of one tick go in their order', async () => {
    const { ports, url } = deployed;
    const locks = await openLocks(url);
    onTestFinished(() => locks.close());
    const lease = await locks.acquire('in order');
    execFileSync(process.execPath, [killer, ...ports.map(String)]);
    const [freed, next] = await Promise.all([lease.release(), locks.tryAcquire('in order')]);
    expect([freed, next?.held]).toEqual([true, true]);
  });

  test.each(Object.entries(calls))('a call while the client connects again: %s', async (name, call) => {
    const { ports, url } = deployed;
    const locks = await openLocks({ url, options: { prefix: `later-${name.length}:` } });
    onTestFinished(() => locks.close());
    const lease = await locks.acquire('held');
    execFileSync(process.execPath, [killer, ...ports.map(String)]);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await call(locks, lease)).toBe(true);
  });
});
