import { startRedis } from '@locks/test-servers';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { createRedisProvider } from '../../src/index.ts';
import { closeAfterTest } from '../support/redis.ts';

test('a list that is read across a restart has all keys, each once', async () => {
  const server = await startRedis({ args: ['--appendonly', 'yes', '--appendfsync', 'no'] });
  onTestFinished(() => server.stop());
  const provider = createRedisProvider(closeAfterTest(new Redis(server.url)), { timeout: 20_000 });
  const keys = Array.from({ length: 3_000 }, (_, number) => `key/${number}`);
  const [mode, ttl] = ['exclusive', 600_000] as const;
  await Promise.all(keys.map((key) => provider.tryAcquire({ key, owner: `me/${key}`, ttl, mode })));
  const listed: string[] = [];
  for await (const key of provider.list?.('key/') ?? []) {
    if (listed.length === 0) await server.restart();
    listed.push(key);
  }
  expect(listed.toSorted()).toEqual(keys.toSorted());
  await provider.close();
});
