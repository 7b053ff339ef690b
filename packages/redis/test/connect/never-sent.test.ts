import { createLocks } from '@locks/core';
import type { LockProvider } from '@locks/core';
import { startProxy, startRedis } from '@locks/test-servers';
import { afterAll, describe, expect, test } from 'vitest';
import { createRedisProvider } from '../../src/index.ts';
import { clients, closeAfterTest, eventually, ownPrefix } from '../support/redis.ts';
import { stopAfterTest } from '../support/over.ts';

const server = await startRedis();
afterAll(() => server.stop());

describe.each(clients)('%s without an offline queue', (_name, create) => {
  test('says that a call without a connection was never sent, and core releases nothing for it', async () => {
    const proxy = await stopAfterTest(
      startProxy({ host: new URL(server.url).hostname, port: Number(new URL(server.url).port) }),
    );
    const client = closeAfterTest(
      create(proxy.url(server.url), { enableOfflineQueue: false, retryStrategy: () => 20 }),
    );
    await eventually('the connection', () => client.status === 'ready');
    const provider: LockProvider = createRedisProvider(client, { prefix: ownPrefix() });
    let released = 0;
    const release = provider.release.bind(provider);
    provider.release = (claim) => {
      released += 1;
      return release(claim);
    };
    const locks = createLocks(provider);
    await proxy.stop();
    await eventually('the loss of the connection', () => client.status !== 'ready');
    const calls = Array.from({ length: 20 }, (_, index) => locks.acquire(`key ${index}`, { wait: index * 20 }));
    for (const call of calls)
      await expect(call).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE', cause: { sent: false } });
    const start = performance.now();
    await locks.close();
    expect(released).toBe(0);
    expect(performance.now() - start).toBeLessThan(1_000);
    await provider.close();
  });
});
