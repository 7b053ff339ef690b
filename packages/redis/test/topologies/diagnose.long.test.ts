import { systemRuntime } from '@locks/core/adapter';
import { startRedisCluster, startRedisSentinel } from '@locks/test-servers';
import { expect, test } from 'vitest';
import { diagnose } from '../../src/index.ts';

/** The levels of the checks of the store at `url`. */
async function levelsOf(url: string, options: object = {}): Promise<readonly string[]> {
  const { findings } = await diagnose({ url, options: { ...options }, runtime: systemRuntime });
  return findings.map(({ check, level }) => `${check} ${level}`);
}

test('each master of a Cluster is asked, and replicas that lag are told of once', async () => {
  await using cluster = await startRedisCluster({ masters: 3, replicas: 1 });
  await cluster.settled();
  const levels = await levelsOf(cluster.url);
  expect(levels.filter((one) => one.startsWith('replication'))).toEqual(['replication warning']);
  expect(await levelsOf(cluster.url, { minReplicas: 1 })).toContain('replication ok');
});

test('the master that Sentinels name is asked', async () => {
  await using set = await startRedisSentinel({ sentinels: 3, replicas: 1 });
  const levels = await levelsOf(set.url);
  expect(levels).toContain('replication warning');
  expect(await levelsOf(set.url, { restartGuard: '30s' })).toContain('replication ok');
});
