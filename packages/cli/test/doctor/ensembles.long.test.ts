import { startEtcdCluster, startZookeeperEnsemble } from '@locks/test-servers';
import { expect, test } from 'vitest';
import { doctor } from './support.ts';

test('doctor finds nothing at an ensemble of three, and that one of it is named, or is down', async () => {
  await using ensemble = await startZookeeperEnsemble({ size: 3, tickTime: 300, maxSessionTimeout: 40_000 });
  const url = ensemble.url.replace('//', '//app:secret@');
  const sound = await doctor(url, '--strict');
  expect(sound).toMatchObject({ bad: [], code: 0, errors: '' });
  expect(sound.findings.find(({ check }) => check === 'members')?.what).toMatch(/^2 of 3 servers must agree/);
  const [one, other] = ensemble.servers;
  expect((await doctor(`zookeeper://app:secret@127.0.0.1:${one?.port}`)).bad).toEqual(['warning addresses']);
  await other?.kill();
  // It may have been the leader.
  await ensemble.leader();
  expect((await doctor(url)).bad).toEqual(['warning silent-servers']);
});

test('doctor finds nothing at an etcd of three, and that one of it is named, or is down', async () => {
  await using cluster = await startEtcdCluster({ size: 3 });
  expect(await doctor(cluster.url, '--strict')).toMatchObject({ bad: [], code: 0, errors: '' });
  const [one] = cluster.servers;
  expect((await doctor(one?.url ?? '')).bad).toEqual(['warning addresses']);
  const [follower] = await cluster.followers();
  await follower?.kill();
  expect((await doctor(cluster.url)).bad).toEqual(['warning silent-members']);
});
