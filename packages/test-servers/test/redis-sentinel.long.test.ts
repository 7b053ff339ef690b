import { beforeAll, describe, expect, test } from 'vitest';
import { type RedisSentinel, redisCommand, startRedisSentinel } from '../src/index.ts';

describe('a Redis with two replicas and three Sentinels', () => {
  let set: RedisSentinel;
  beforeAll(async () => {
    set = await startRedisSentinel();
    return () => set.stop();
  });

  test('the Sentinels name the master', async () => {
    expect(await set.master()).toBe(set.servers[0]);
    expect(set.url).toMatch(/^redis\+sentinel:\/\/127\.0\.0\.1:\d+,127\.0\.0\.1:\d+,127\.0\.0\.1:\d+\/main$/);
  });

  test('a replica takes over when it is told to', async () => {
    const old = await set.master();
    const next = await set.failOver();
    expect(next).not.toBe(old);
    await set.settled();
    await expect(redisCommand(old, 'SET', 'key', 'value')).rejects.toThrow(/^READONLY/);
  });

  test('a master that is killed is followed by a replica, and comes back as one', async () => {
    await set.settled();
    const old = await set.master();
    await old.kill();
    const next = await set.masterAfter(old);
    expect(await redisCommand(next, 'SET', 'key', 'value')).toBe('OK');
    await old.restart();
    await set.settled();
    await expect(redisCommand(old, 'SET', 'key', 'value')).rejects.toThrow(/^READONLY/);
  });
});
