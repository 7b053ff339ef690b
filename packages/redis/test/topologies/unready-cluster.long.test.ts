import { openLocks } from '@locks/core';
import { startRedis, startRedisCluster } from '@locks/test-servers';
import type { ServerHandle } from '@locks/test-servers';
import { expect, test } from 'vitest';
import { connect, eventually } from '../support/redis.ts';
import { stopAfterTest } from '../support/over.ts';

test('a Cluster that is not ready at first is open as soon as it is', async () => {
  const server = await stopAfterTest(
    startRedis({ args: ['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1'] }),
  );
  const node = connect({}, server.url);
  const state = async (): Promise<string> => String(await node.call('CLUSTER', 'INFO'));
  await node.call('CLUSTER', 'ADDSLOTSRANGE', 0, 99);
  expect(await state()).toContain('cluster_state:fail');
  const asked = async (): Promise<number> =>
    Number(/cmdstat_cluster\|(?:info|slots):calls=(\d+)/.exec(await node.info('commandstats'))?.[1]);
  const before = await asked();
  const opening = openLocks({ url: `redis+cluster://${server.host}:${server.port}` });
  await eventually('a client that asks', async () => (await asked()) > before);
  await node.call('CLUSTER', 'ADDSLOTSRANGE', 100, 16_383);
  const locks = await opening;
  await eventually('a lock', async () => (await locks.tryAcquire('job').catch(() => undefined)) ?? undefined);
  await locks.close();
});

test.each(['kill', 'pause'] as const)(
  'a Cluster opens while a master is down (%s), and serves the others',
  async (how) => {
    // By default all nodes refuse all keys as soon as one master is known to be down.
    await using cluster = await startRedisCluster({ replicas: 0, args: ['--cluster-require-full-coverage', 'no'] });
    const keys = Array.from({ length: 20 }, (_, index) => `job-${index}`);
    const masters = new Map<string, ServerHandle>();
    for (const key of keys) masters.set(key, await cluster.masterOf(`locks:${key}`));
    const down = masters.get('job-0');
    await down?.[how]();
    const began = performance.now();
    const locks = await openLocks({ url: cluster.url, options: { timeout: 500 } });
    expect(performance.now() - began).toBeLessThan(4_000);
    for (const key of keys.filter((one) => masters.get(one) !== down))
      await locks.withLock(key, () => {}, { wait: 1_000 });
    await expect(locks.tryAcquire('job-0')).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    await locks.close();
  },
);
