import { openLocks } from '@locks/core';
import { startRedis } from '@locks/test-servers';
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
