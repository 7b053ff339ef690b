import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { chooseServer } from '../src/start/choose.ts';
import { redisCommand, startRedis, startRedisCluster, wallClocks } from '../src/index.ts';
import { ask } from './ask.ts';
import { testExternalServer } from './external-server.ts';
import { testLocalProcess } from './local-process.ts';
import { testOwnServer } from './own-server.ts';

// Each way of running servers has its own tests; what it cannot do is another way's.
const way = chooseServer('redis', 'redis:8-alpine').kind;
if (way !== 'external') testOwnServer(way);
if (way === 'local') testLocalProcess();
testExternalServer();

describe.skipIf(way === 'external')('the options of a Redis', () => {
  test('it persists nothing unless asked', async () => {
    await using server = await startRedis();
    expect(await ask(server.url, 'CONFIG GET save')).toBe('*2\r\n$4\r\nsave\r\n$0');
    expect(await ask(server.url, 'SET key value')).toBe('+OK');
    await server.kill();
    await server.restart();
    expect(await ask(server.url, 'GET key')).toBe('$-1');
  });

  test('it persists at its end what it was asked to', async () => {
    await using server = await startRedis({ args: ['--save', '3600', '1'] });
    expect(await ask(server.url, 'SET key value')).toBe('+OK');
    await server.restart();
    expect(await ask(server.url, 'GET key')).toBe('$5\r\nvalue');
  });

  test('it asks for the password that it was given', async () => {
    await using server = await startRedis({ password: 'a b"c@/:é' });
    expect(await ask(server.url, 'PING')).toMatch(/^-NOAUTH/);
    expect(decodeURIComponent(new URL(server.url).password)).toBe('a b"c@/:é');
    await server.restart();
    expect(await ask(server.url, String.raw`AUTH "a b\"c@/:é"`)).toBe('+OK');
  });

  test('what it prints when it cannot start is told without the password', async () => {
    const failure = await startRedis({ password: 'hush-hush', args: ['--no-such-option', 'hush-hush'] }).catch(
      (error: unknown) => error,
    );
    expect(String(failure)).toContain('no-such-option');
    expect(String(failure)).not.toContain('hush-hush');
  });
});

test.runIf(way === 'local')(
  'its clock is put off while it runs, and stays so when it starts again; others are right',
  async () => {
    const hour = 3_600_000;
    await using clocks = await wallClocks();
    await using server = await startRedis({ clocks });
    await using other = await startRedis({ clocks });
    /** In ms: how far a server is ahead of this process. */
    const ahead = async (one: typeof server): Promise<number> => {
      const [seconds] = (await redisCommand(one, 'TIME')) as readonly string[];
      return Number(seconds) * 1_000 - Date.now();
    };
    const minute = 60_000;
    expect(Math.abs(await ahead(server))).toBeLessThan(minute);
    for (const off of [hour, -hour]) {
      await clocks.put(server, off);
      expect(Math.abs((await ahead(server)) - off)).toBeLessThan(minute);
    }
    await server.restart();
    expect(Math.abs((await ahead(server)) + hour)).toBeLessThan(minute);
    expect(Math.abs(await ahead(other))).toBeLessThan(minute);
  },
);

test('a Redis Cluster cannot be made of a server that the environment names', async () => {
  vi.stubEnv('LOCKS_TEST_REDIS_URL', 'redis://127.0.0.1:1');
  onTestFinished(() => void vi.unstubAllEnvs());
  await expect(startRedisCluster()).rejects.toThrow(/unset LOCKS_TEST_REDIS_URL/);
});
