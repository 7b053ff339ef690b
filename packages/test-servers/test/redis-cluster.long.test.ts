import { beforeAll, describe, expect, test } from 'vitest';
import { type RedisCluster, eventually, redisCommand, startRedisCluster } from '../src/index.ts';

/** Of the slot of `{a}`: 15495. */
const key = 'x{a}';
const write = (cluster: RedisCluster, value: string): Promise<unknown> =>
  cluster.masterOf(key).then((master) => redisCommand(master, 'SET', key, value));
const read = (cluster: RedisCluster): Promise<unknown> =>
  cluster.masterOf(key).then((master) => redisCommand(master, 'GET', key));

describe('a Redis Cluster of three masters with a replica each', () => {
  let cluster: RedisCluster;
  beforeAll(async () => {
    cluster = await startRedisCluster();
    return () => cluster.stop();
  });

  test('all slots have a master, and each master has a replica', async () => {
    const masters = await cluster.masters();
    expect(masters).toEqual(cluster.nodes.slice(0, 3));
    for (const [index, master] of masters.entries()) {
      expect(await cluster.replicasOf(master)).toEqual([cluster.nodes[3 + index]]);
    }
    await write(cluster, 'one');
    expect(await read(cluster)).toBe('one');
  });

  test('a replica takes over, with all that its master had', async () => {
    await write(cluster, 'two');
    const old = await cluster.masterOf(key);
    const [replica] = await cluster.replicasOf(old);
    await cluster.failOver(replica!);
    expect(await cluster.masterOf(key)).toBe(replica);
    expect(await read(cluster)).toBe('two');
    await cluster.settled();
    expect(await cluster.replicasOf(replica!)).toEqual([old]);
  });

  test('a master that is killed is followed by its replica, and comes back as one', async () => {
    await cluster.settled();
    await write(cluster, 'three');
    const old = await cluster.masterOf(key);
    await redisCommand(old, 'WAIT', 0, 0);
    const [replica] = await cluster.replicasOf(old);
    await old.kill();
    await eventually('the replica as master', async () => (await cluster.masterOf(key)) === replica);
    await old.restart();
    await cluster.settled();
    expect(await cluster.replicasOf(replica!)).toEqual([old]);
    expect(await read(cluster)).toBe('three');
  });

  test('a slot is moved step by step', async () => {
    await cluster.settled();
    await write(cluster, 'four');
    const from = await cluster.masterOf(key);
    const to = (await cluster.masters()).find((node) => node !== from)!;
    const move = await cluster.moveSlotOf(key, to);
    await expect(redisCommand(from, 'GET', 'absent{a}')).rejects.toThrow(/^ASK 15495 /);
    await expect(redisCommand(from, 'MGET', key, 'absent{a}')).rejects.toThrow(/^TRYAGAIN/);
    expect(await move.moveKeys()).toBe(1);
    await move.end();
    expect(await cluster.masterOf(key)).toBe(to);
    expect(await read(cluster)).toBe('four');
  });
});

test('a Redis Cluster without replicas starts as well', async () => {
  await using cluster = await startRedisCluster({ replicas: 0 });
  expect(await cluster.masters()).toEqual(cluster.nodes);
  expect(await cluster.replicasOf(cluster.nodes[0]!)).toEqual([]);
});

test('a Redis Cluster cannot be made of a server that the environment names', async () => {
  process.env['LOCKS_TEST_REDIS_URL'] = 'redis://127.0.0.1:1';
  try {
    await expect(startRedisCluster()).rejects.toThrow(/unset LOCKS_TEST_REDIS_URL/);
  } finally {
    delete process.env['LOCKS_TEST_REDIS_URL'];
  }
});
