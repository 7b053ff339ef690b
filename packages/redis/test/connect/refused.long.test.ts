import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLocks } from '@locks/core';
import { startRedis } from '@locks/test-servers';
import type { Redis } from 'ioredis';
import { describe, expect, test } from 'vitest';
import { createRedisProvider } from '../../src/index.ts';
import { clients, closeAfterTest, connect } from '../support/redis.ts';
import { stopAfterTest } from '../support/over.ts';

/** What makes a server refuse to write, by the first word of its answer. */
const refusals: readonly (readonly [word: string, refuse: (admin: Redis) => Promise<unknown>])[] = [
  ['OOM', (admin) => admin.config('SET', 'maxmemory', '1')],
  ['READONLY', (admin) => admin.replicaof('127.0.0.1', 1)],
  ['NOREPLICAS', (admin) => admin.config('SET', 'min-replicas-to-write', '1')],
  ['MISCONF', failToSave],
];

async function failToSave(admin: Redis): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'locks-'));
  await admin.config('SET', 'save', '3600 1');
  await admin.config('SET', 'dir', folder);
  await rm(folder, { recursive: true });
  await admin.bgsave();
  await expect.poll(() => admin.info('persistence')).toContain('rdb_last_bgsave_status:err');
}

describe.each(clients)('%s: a server that refuses to write', (_name, create) => {
  test.each(refusals)('%s: an attempt left nothing, so no command follows it', async (word, refuse) => {
    const server = await stopAfterTest(
      startRedis({
        args: ['--maxmemory-policy', 'noeviction', '--enable-protected-configs', 'yes'],
      }),
    );
    const admin = connect({}, server.url);
    const client = closeAfterTest(create(server.url));
    const provider = createRedisProvider(client);
    const locks = createLocks(provider);
    await (await locks.acquire('before')).release();
    await refuse(admin);
    const refused = { code: 'LOCK_UNAVAILABLE', sent: false, message: expect.stringContaining(word) };
    // Alone, together with others of its tick, and for several keys at once.
    await expect(provider.tryAcquire({ key: 'a', owner: 'me/1', mode: 'exclusive', ttl: 5_000 })).rejects.toMatchObject(
      refused,
    );
    // A full server refuses no write that needs memory after one that needs none.
    const shared = { key: 'a', owner: 'me/2', mode: 'shared', ttl: 5_000 } as const;
    if (word !== 'OOM') await expect(provider.tryAcquire(shared)).rejects.toMatchObject(refused);
    const attempts = Array.from({ length: 300 }, (_, index) => locks.tryAcquire(`key ${index}`));
    for (const attempt of attempts) await expect(attempt).rejects.toMatchObject({ cause: refused });
    const several = locks.multiLock(['x', 'y', 'z']).tryAcquire();
    await expect(several).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    const waiter = locks.acquire('waited for', { wait: 300 });
    await expect(waiter).rejects.toMatchObject({ cause: refused });
    const before = await commands(admin);
    await sleep(1_000);
    expect((await commands(admin)) - before).toBeLessThan(5);
    const start = performance.now();
    await locks.close();
    expect(performance.now() - start).toBeLessThan(500);
    await provider.close();
  });
});

async function commands(admin: Redis): Promise<number> {
  return Number(/total_commands_processed:(\d+)/.exec(await admin.info('stats'))?.[1]);
}
