import { startRedisCluster, startRedisSentinel } from '@locks/test-servers';
import { describe } from 'vitest';
import { testStoodStill } from '../support/stood-still.ts';

describe('a process that stood still while the servers of Sentinels ended its connections', () => {
  testStoodStill(async () => {
    const set = await startRedisSentinel();
    return { ports: set.servers.map(({ port }) => port), url: set.url, stop: () => set.stop() };
  });
});

describe('a process that stood still while the nodes of a Cluster ended its connections', () => {
  testStoodStill(async () => {
    const cluster = await startRedisCluster({ replicas: 0 });
    const ports = cluster.nodes.map(({ port }) => port);
    const url = `redis+cluster://${ports.map((port) => `127.0.0.1:${port}`).join(',')}`;
    return { ports, url, stop: () => cluster.stop() };
  });
});
