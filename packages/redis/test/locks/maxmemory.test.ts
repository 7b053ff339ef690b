import { setTimeout as sleep } from 'node:timers/promises';
import { createLocks } from '@locks/core';
import { startRedis } from '@locks/test-servers';
import { describe, expect, test } from 'vitest';
import { connect } from '../support/redis.ts';
import { providerOver, stopAfterTest } from '../support/over.ts';

describe('a Redis that is full', () => {
  test.each([
    ['exclusive', {}],
    ['shared', { mode: 'shared' }],
    ['shared with permits', { mode: 'shared', permits: 2 }],
  ] as const)('keeps renewing and releases what is held, %s', async (_, options) => {
    const server = await stopAfterTest(startRedis({ args: ['--maxmemory-policy', 'noeviction'] }));
    const client = connect({}, server.url);
    const provider = providerOver(connect({}, server.url));
    const locks = createLocks(provider);
    const lease = await locks.acquire('job', { ...options, ttl: 1_500 });
    await client.config('SET', 'maxmemory', '1');
    await expect(locks.tryAcquire('other', { ttl: 1_500 })).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    const { owner, token, mode } = lease;
    // Also with a new token, as composites renew.
    const raised = token + 1_000n;
    expect(await provider.renew({ key: 'job', owner, mode, ttl: 1_500 }, raised)).toEqual({});
    const end = performance.now() + 1.5 * 1_500;
    while (performance.now() < end) {
      expect(lease.held).toBe(true);
      await sleep(20);
    }
    expect((await locks.inspect('job')).holders).toMatchObject([{ owner, token: raised }]);
    expect(await lease.release()).toBe(true);
    // What was denied left nothing.
    expect((await client.keys('*')).filter((name) => !name.endsWith(':token'))).toEqual([]);
    await locks.close();
  });
});
